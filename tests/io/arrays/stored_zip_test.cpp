#include "engine/io/arrays/stored_zip.hpp"

#include <zip.h>

#include <filesystem>
#include <random>

#include "engine/io/arrays/npz.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

constexpr std::size_t kEndBytes = 22;

std::string number(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
}

/// Writes an archive of these names and bytes.
void writeArchive(const std::filesystem::path& path,
                  const std::vector<std::pair<std::string, std::string>>& members) {
    storage::AtomicFile file(path);
    StoredArchive archive(file);
    for (const auto& [name, bytes] : members) {
        archive.begin(name, bytes.size());
        // Write in two parts, as for rows.
        const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
        archive.write(all.first(bytes.size() / 3));
        archive.write(all.subspan(bytes.size() / 3));
        archive.end();
    }
    archive.finish();
    file.commit();
}

/// More than one thread reads at once.
std::string manyBytes() {
    std::mt19937 random(5);
    std::string bytes((std::size_t{1} << 20) + 77, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

std::string readAll(ByteSource& source) {
    std::string bytes(source.size(), '\0');
    EXPECT_EQ(source.read(std::as_writable_bytes(std::span(bytes))), bytes.size());
    return bytes;
}

StoredSize sizeOf(const std::filesystem::path& path, std::uint64_t index) {
    zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
    zip_stat_t status;
    EXPECT_EQ(zip_stat_index(archive, index, 0, &status), 0);
    zip_discard(archive);
    return {status.size, status.crc};
}

TEST(StoredZip, IsWhatLibzipReads) {
    const TemporaryFolder folder;
    const std::vector<std::pair<std::string, std::string>> members{
        {"a.npy", manyBytes()}, {"β.npy", "short"}, {"empty", ""}};
    writeArchive(folder / "a.zip", members);
    int code = 0;
    zip_t* const archive = zip_open((folder / "a.zip").c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    ASSERT_NE(archive, nullptr) << code;
    EXPECT_EQ(zip_get_num_entries(archive, 0), 3);
    for (std::size_t k = 0; k < members.size(); ++k) {
        EXPECT_EQ(zip_get_name(archive, k, 0), members[k].first);
        zip_file_t* const file = zip_fopen_index(archive, k, 0);
        // Read one byte past the end, which makes libzip compare the CRC-32.
        std::string bytes(members[k].second.size() + 1, '\0');
        EXPECT_EQ(zip_fread(file, bytes.data(), bytes.size()), static_cast<zip_int64_t>(bytes.size() - 1));
        EXPECT_EQ(zip_fread(file, bytes.data(), 1), 0);
        bytes.pop_back();
        EXPECT_EQ(bytes, members[k].second);
        zip_fclose(file);
    }
    zip_discard(archive);
}

TEST(StoredZip, HoldsMoreMembersThanSixteenBitsCount) {
    const TemporaryFolder folder;
    constexpr std::size_t kCount = 65537;
    std::vector<std::pair<std::string, std::string>> members;
    for (std::size_t k = 0; k < kCount; ++k) members.emplace_back(std::to_string(k), "");
    members.back().second = "last";
    writeArchive(folder / "a.zip", members);
    const std::string bytes = readFile(folder / "a.zip");
    const std::size_t end = bytes.size() - kEndBytes;
    EXPECT_EQ(bytes.substr(end + 8, 2), number(0xffff, 2));
    // The record of 64-bit numbers, and the one that says where it is.
    EXPECT_EQ(bytes.substr(end - 20 - 56 + 24, 8), number(kCount, 8));
    int code = 0;
    zip_t* const archive = zip_open((folder / "a.zip").c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    ASSERT_NE(archive, nullptr) << code;
    EXPECT_EQ(zip_get_num_entries(archive, 0), static_cast<zip_int64_t>(kCount));
    zip_discard(archive);
    const auto last = openStoredMember(folder / "a.zip", kCount - 1, members.back().first,
                                       sizeOf(folder / "a.zip", kCount - 1), "last");
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(readAll(*last), "last");
}

TEST(StoredZip, ReadsWhatItWrites) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "a.zip";
    writeArchive(path, {{"a.npy", "first"}, {"b.npy", manyBytes()}});
    const auto second = openStoredMember(path, 1, "b.npy", sizeOf(path, 1), "b");
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(readAll(*second), manyBytes());
    EXPECT_EQ(openStoredMember(path, 1, "a.npy", sizeOf(path, 1), "a"), nullptr);
    EXPECT_EQ(openStoredMember(path, 2, "b.npy", sizeOf(path, 1), "b"), nullptr);
    EXPECT_EQ(openStoredMember(path, 1, "b.npy", {std::uint64_t{1} << 40U, 0}, "b"), nullptr);
}

/// Puts the directory's offset into a record of 64-bit numbers, as in archives beyond 4 GiB.
std::string withLongDirectory(const std::string& archive) {
    const std::size_t end = archive.size() - kEndBytes;
    const std::string place = archive.substr(end + 16, 4) + number(0, 4);
    const std::string bytes = archive.substr(end + 12, 4) + number(0, 4);
    const std::string count = archive.substr(end + 10, 2) + number(0, 6);
    return archive.substr(0, end) + number(0x06064b50, 4) + number(44, 8) + number(45, 2) + number(45, 2) +
           number(0, 8) + count + count + bytes + place + number(0x07064b50, 4) + number(0, 4) +
           number(end, 8) + number(1, 4) + archive.substr(end, 16) + number(0xffffffff, 4) + number(0, 2);
}

TEST(StoredZip, FindsMembersByLongPlaces) {
    const TemporaryFolder folder;
    writeArchive(folder / "a.zip", {{"a.npy", "first"}, {"b.npy", "second"}});
    const std::filesystem::path path = folder / "long.zip";
    writeFile(path, withLongDirectory(readFile(folder / "a.zip")));
    const auto second = openStoredMember(path, 1, "b.npy", sizeOf(path, 1), "b");
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(readAll(*second), "second");
}

TEST(StoredZip, LeavesUnusualArchivesToLibzip) {
    const TemporaryFolder folder;
    Matrix<float> matrix(2, 2, 1.5F);
    NpzWriter writer;
    writer.add("upper", npyMatrixSource<float>(matrix.view()));
    writer.write(folder / "a.npz");
    std::string bytes = readFile(folder / "a.npz");
    bytes.replace(bytes.size() - 2, 2, number(4, 2) + "note");
    const std::filesystem::path path = folder / "comment.npz";
    writeFile(path, bytes);
    EXPECT_EQ(openStoredMember(path, 0, "upper.npy", sizeOf(path, 0), "upper"), nullptr);
    EXPECT_EQ(readNpyMatrix<float>(*NpzReader(path).open("upper"))(1, 1), 1.5F);
}

TEST(StoredZip, RefusesOtherBytesThanWereWritten) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "a.zip";
    writeArchive(path, {{"a.npy", manyBytes()}});
    StoredSize size = sizeOf(path, 0);
    const auto member = openStoredMember(path, 0, "a.npy", size, "here");
    std::filesystem::resize_file(path, 700'000);
    std::string bytes(size.size, '\0');
    EXPECT_THAT(messageOf<InputError>([&] { member->read(std::as_writable_bytes(std::span(bytes))); }),
                AllOf(HasSubstr("here"), HasSubstr("shorter")));
    writeArchive(path, {{"a.npy", manyBytes()}});
    ++size.crc;
    const auto other = openStoredMember(path, 0, "a.npy", size, "here");
    EXPECT_THAT(messageOf<InputError>([&] { readAll(*other); }), HasSubstr("CRC error"));
}

TEST(StoredZip, CountsTheBytesOfAMember) {
    const TemporaryFolder folder;
    storage::AtomicFile file(folder / "a.zip");
    StoredArchive archive(file);
    archive.begin("a", 3);
    archive.write(std::as_bytes(std::span("12", 2)));
    EXPECT_THROW(archive.end(), std::logic_error);
}

}  // namespace
}  // namespace glycine::io
