#include "engine/io/arrays/npz.hpp"

#include <zip.h>

#include <algorithm>

#include "tests/test.hpp"

namespace glycine::io {
namespace {

/// An archive written with Python's zipfile module, compression ZIP_DEFLATED: member upper.npy, a 2 × 2
/// matrix of float64, [[0, 3], [3, 0]].
const std::string& deflatedArchive() {
    static const std::string bytes = [] {
        constexpr unsigned char kBytes[] = {
            0x50, 0x4b, 0x03, 0x04, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xac, 0x8a,
            0x3e, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x09, 0x00, 0x14, 0x00, 0x75, 0x70,
            0x70, 0x65, 0x72, 0x2e, 0x6e, 0x70, 0x79, 0x01, 0x00, 0x10, 0x00, 0xa0, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x4f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b,
            0x10, 0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4, 0x6e, 0xa5, 0xa0,
            0x6e, 0x93, 0x66, 0xa1, 0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f,
            0x5f, 0x94, 0x92, 0x0a, 0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16,
            0xa4, 0x02, 0xf9, 0x1a, 0x46, 0x3a, 0x0a, 0x46, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0x64, 0x03, 0x2e,
            0x06, 0x14, 0xc0, 0xe1, 0x80, 0x4a, 0x33, 0x30, 0x00, 0x00, 0x50, 0x4b, 0x01, 0x02, 0x2d, 0x03,
            0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xac, 0x8a, 0x3e, 0xfb, 0x4f, 0x00,
            0x00, 0x00, 0xa0, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x75, 0x70, 0x70, 0x65, 0x72, 0x2e, 0x6e, 0x70,
            0x79, 0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x37, 0x00, 0x00,
            0x00, 0x8a, 0x00, 0x00, 0x00, 0x00, 0x00};
        return std::string(reinterpret_cast<const char*>(kBytes), sizeof(kBytes));
    }();
    return bytes;
}

TEST(Npz, RoundTrip) {
    const TemporaryFolder folder;
    Matrix<double> upper(3, 3, 2.5);
    Matrix<std::int32_t> counts(1, 2, 7);
    NpzWriter writer;
    writer.add("upper", npyMatrixSource<double>(upper.view()));
    writer.add("counts", npyMatrixSource<std::int32_t>(counts.view()));
    writer.add("atoms", std::vector<std::string>{"N", "CA", "Cβ"});
    writer.write(folder / "out.npz");

    const NpzReader reader(folder / "out.npz");
    EXPECT_THAT(reader.names(), ElementsAre("upper", "counts", "atoms"));
    EXPECT_TRUE(reader.contains("upper"));
    EXPECT_FALSE(reader.contains("lower"));
    const Matrix<double> back = readNpyMatrix<double>(*reader.open("upper"));
    EXPECT_EQ(back.rows(), 3U);
    EXPECT_EQ(back(2, 1), 2.5);
    EXPECT_EQ(readNpyMatrix<std::int32_t>(*reader.open("counts"))(0, 1), 7);
    EXPECT_THAT(readNpyStrings(*reader.open("atoms")), ElementsAre("N", "CA", "Cβ"));
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(Npz, ArraysOfOneAndThreeDimensions) {
    const TemporaryFolder folder;
    const std::vector<double> onsets{0, 6.4};
    const Matrix<double> epoch(2, 3, 1.5);
    NpzWriter writer;
    writer.add("onsets", npyVectorSource<double>(onsets));
    writer.add("epochs", npyStackSource<double>({epoch.view(), epoch.view(), epoch.view(), epoch.view()}));
    writer.write(folder / "out.npz");
    const NpzReader reader(folder / "out.npz");
    EXPECT_THAT(readNpyHeader(*reader.open("onsets")).shape, ElementsAre(2));
    EXPECT_THAT(readNpyHeader(*reader.open("epochs")).shape, ElementsAre(4, 2, 3));
}

TEST(Npz, EqualArraysGiveEqualFiles) {
    const TemporaryFolder folder;
    Matrix<float> matrix(5, 5, 1.0F);
    for (const char* name : {"a.npz", "b.npz"}) {
        NpzWriter writer;
        writer.add("upper", npyMatrixSource<float>(matrix.view()));
        writer.write(folder / name);
    }
    EXPECT_EQ(readFile(folder / "a.npz"), readFile(folder / "b.npz"));
}

TEST(Npz, ReadsDeflatedMembers) {
    const TemporaryFolder folder;
    writeFile(folder / "deflated.npz", deflatedArchive());
    const NpzReader reader(folder / "deflated.npz");
    const Matrix<double> matrix = readNpyMatrix<double>(*reader.open("upper"));
    EXPECT_EQ(matrix(0, 0), 0);
    EXPECT_EQ(matrix(0, 1), 3);
    EXPECT_EQ(matrix(1, 0), 3);
}

/// A matrix that exceeds the pieces in which members are read, deflated by libzip as member upper.npy.
Matrix<double> writeDeflated(const std::filesystem::path& path) {
    Matrix<double> matrix(300, 300);
    for (std::size_t i = 0; i < 300; ++i)
        for (std::size_t j = 0; j < 300; ++j) matrix(i, j) = static_cast<double>((i * j) % 1009) / 8;
    const NpyMatrixSource source = npyMatrixSource<double>(matrix.view());
    std::string bytes = npyHeaderText(source);
    bytes.append(reinterpret_cast<const char*>(matrix.data()), matrix.rows() * matrix.columns() * 8);
    zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    const zip_int64_t index =
        zip_file_add(archive, "upper.npy", zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
    EXPECT_EQ(zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 6), 0);
    EXPECT_EQ(zip_close(archive), 0);
    return matrix;
}

TEST(Npz, UnpacksLargeMembersAsAWhole) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "deflated.npz";
    const Matrix<double> expected = writeDeflated(path);
    const NpzReader reader(path);
    const Matrix<double> matrix = readNpyMatrix<double>(*reader.open("upper"));
    EXPECT_TRUE(std::equal(expected.data(), expected.data() + 300 * 300, matrix.data()));
    // In pieces of any size, small ones first and between others.
    const auto source = reader.open("upper");
    const auto again = reader.open("upper");
    std::string whole(source->size(), '\0'), parts(source->size() + 10, '\0');
    EXPECT_EQ(source->read(std::as_writable_bytes(std::span(whole))), whole.size());
    std::size_t filled = 0;
    for (const std::size_t piece : {std::size_t{100}, std::size_t{70000}, std::size_t{3}, std::size_t{90000}})
        filled += again->read(std::as_writable_bytes(std::span(parts).subspan(filled, piece)));
    filled += again->read(std::as_writable_bytes(std::span(parts).subspan(filled)));
    EXPECT_TRUE(parts.substr(0, filled) == whole);
}

TEST(Npz, DamagedLargeMembers) {
    const TemporaryFolder folder;
    writeDeflated(folder / "sound.npz");
    const std::string sound = readFile(folder / "sound.npz");
    const std::size_t entry = sound.find("PK\x01\x02");
    ASSERT_NE(entry, std::string::npos);
    constexpr std::size_t kCrcAt = 16;
    for (const std::size_t place : {sound.size() / 2, entry + kCrcAt}) {
        std::string bytes = sound;
        bytes[place] ^= 0x55;
        writeFile(folder / "damaged.npz", bytes);
        const NpzReader reader(folder / "damaged.npz");
        EXPECT_THAT(messageOf<InputError>([&] { readNpyMatrix<double>(*reader.open("upper")); }),
                    HasSubstr("damaged.npz: member upper.npy: "));
    }
}

TEST(Npz, ChecksTheCrc) {
    const TemporaryFolder folder;
    Matrix<float> matrix(4, 4, 1.0F);
    NpzWriter writer;
    writer.add("upper", npyMatrixSource<float>(matrix.view()));
    writer.write(folder / "out.npz");
    std::string bytes = readFile(folder / "out.npz");
    const std::size_t element = bytes.find(std::string("\x00\x00\x80\x3f", 4));
    ASSERT_NE(element, std::string::npos);
    bytes[element] = 1;
    writeFile(folder / "damaged.npz", bytes);
    const NpzReader reader(folder / "damaged.npz");
    EXPECT_THAT(messageOf<InputError>([&] { readNpyMatrix<float>(*reader.open("upper")); }),
                AllOf(HasSubstr("damaged.npz: member upper.npy"), HasSubstr("CRC")));
}

TEST(Npz, RefusesWhatIsNoArchive) {
    const TemporaryFolder folder;
    writeFile(folder / "text.npz", "this is no archive");
    EXPECT_THAT(messageOf<InputError>([&] { NpzReader reader(folder / "text.npz"); }),
                AllOf(HasSubstr("text.npz: not an NPZ file"), HasSubstr("ZIP")));
    EXPECT_THAT(messageOf<InputError>([&] { NpzReader reader(folder / "none.npz"); }),
                HasSubstr("No such file or directory"));
}

TEST(Npz, TruncatedArchiveIsCalledTruncated) {
    const TemporaryFolder folder;
    const std::string& whole = deflatedArchive();
    for (const std::size_t length : {whole.size() - 1, whole.size() - 30, std::size_t{40}, std::size_t{4}}) {
        writeFile(folder / "cut.npz", whole.substr(0, length));
        EXPECT_THAT(
            messageOf<InputError>([&] { const NpzReader reader(folder / "cut.npz"); }),
            AllOf(HasSubstr("cut.npz: truncated or damaged"), HasSubstr(std::to_string(length) + " bytes")))
            << length;
    }
}

TEST(Npz, RefusesAMemberThatIsThereTwice) {
    const TemporaryFolder folder;
    NpzWriter writer;
    const Matrix<double> one(1, 1, 1), two(1, 1, 2);
    writer.add("upper", npyMatrixSource<double>(one.view()));
    writer.add("uppex", npyMatrixSource<double>(two.view()));
    writer.write(folder / "two.npz");
    std::string bytes = readFile(folder / "two.npz");
    for (std::size_t at = bytes.find("uppex"); at != std::string::npos; at = bytes.find("uppex"))
        bytes[at + 4] = 'r';
    writeFile(folder / "two.npz", bytes);
    EXPECT_THAT(messageOf<InputError>([&] { const NpzReader reader(folder / "two.npz"); }),
                HasSubstr("two.npz: members 1 and 2 are both named 'upper.npy'; expected each name once"));
}

TEST(Npz, NamesTheArraysThereAre) {
    const TemporaryFolder folder;
    writeFile(folder / "deflated.npz", deflatedArchive());
    const NpzReader reader(folder / "deflated.npz");
    EXPECT_THAT(messageOf<InputError>([&] { reader.open("lower"); }),
                AllOf(HasSubstr("has no array 'lower'"), HasSubstr("known: upper")));
}

TEST(Npz, RefusesASizeThatNoDeflatedDataReach) {
    const TemporaryFolder folder;
    std::string bytes = deflatedArchive();
    // The uncompressed size in the central directory: 4 bytes at offset 24 of its entry.
    const std::size_t entry = bytes.find("PK\x01\x02");
    ASSERT_NE(entry, std::string::npos);
    bytes[entry + 27] = 0x70;
    writeFile(folder / "bomb.npz", bytes);
    EXPECT_THAT(messageOf<InputError>([&] {
                    const NpzReader reader(folder / "bomb.npz");
                    reader.open("upper");
                }),
                HasSubstr("cannot unpack to"));
}

TEST(Npz, FailedWriteNamesPathAndKeepsTheOldFile) {
    const TemporaryFolder folder;
    writeFile(folder / "out.npz", "old");
    NpyMatrixSource failing{"<f4", 4, 2, 2,
                            [](std::size_t, std::byte*) { throw Error("row source failed"); }};
    NpzWriter writer;
    writer.add("upper", failing);
    EXPECT_EQ(messageOf<Error>([&] { writer.write(folder / "out.npz"); }), "row source failed");
    EXPECT_EQ(readFile(folder / "out.npz"), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
    EXPECT_THAT(messageOf<Error>([&] { writer.write(folder / "missing/out.npz"); }),
                HasSubstr("missing/out.npz: cannot write"));
}

}  // namespace
}  // namespace glycine::io
