// Files mapped into memory that change while they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/storage/content_hash.hpp"
#include "engine/storage/input_file.hpp"
#include "tests/io/io_test_support.hpp"
#include "tests/needs.hpp"

namespace glycine::storage {
namespace {

using test::messageOf;
using test::TemporaryFolder;
using test::writeFile;
using ::testing::HasSubstr;

constexpr std::size_t kBytes = 100'000;

std::size_t sumOf(const MappedFile& file) {
    return std::accumulate(
        file.bytes().begin(), file.bytes().end(), std::size_t{0},
        [](std::size_t sum, std::byte byte) { return sum + static_cast<std::size_t>(byte); });
}

class MappedFileTest : public ::testing::Test {
  protected:
    void SetUp() override { writeFile(path_, std::string(kBytes, '\1')); }
    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_ / "a.bin";
};

TEST_F(MappedFileTest, StaysWhole) {
    const MappedFile file(path_);
    EXPECT_EQ(sumOf(file), kBytes);
    EXPECT_NO_THROW(file.requireUnchanged());
}

TEST_F(MappedFileTest, BytesThatAreGoneReadAsZero) {
    for (const std::size_t left : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{50'001}}) {
        writeFile(path_, std::string(kBytes, '\1'));
        const MappedFile file(path_);
        std::filesystem::resize_file(path_, left);
        EXPECT_EQ(sumOf(file), left);
        EXPECT_EQ(sumOf(file), left) << "a second time";
        EXPECT_THAT(
            messageOf<InputError>([&] { file.requireUnchanged(); }),
            HasSubstr("a.bin: was changed or cut short while it was read; expected the 100000 bytes"));
    }
}

TEST_F(MappedFileTest, OneByteLessIsSeenThoughNoPageIsGone) {
    const MappedFile file(path_);
    std::filesystem::resize_file(path_, kBytes - 1);
    EXPECT_THROW(file.requireUnchanged(), InputError);
}

TEST_F(MappedFileTest, OtherBytesOfTheSameLengthAreSeen) {
    const auto before = std::filesystem::last_write_time(path_);
    const MappedFile file(path_);
    std::filesystem::last_write_time(path_, before + std::chrono::seconds(1));
    EXPECT_THROW(file.requireUnchanged(), InputError);
}

TEST_F(MappedFileTest, MayBecomeLongerOrBeReplaced) {
    const MappedFile longer(path_);
    std::filesystem::resize_file(path_, kBytes + 1);
    EXPECT_NO_THROW(longer.requireUnchanged());
    const MappedFile replaced(path_);
    writeFile(folder_ / "b.bin", "other");
    std::filesystem::rename(folder_ / "b.bin", path_);
    EXPECT_EQ(sumOf(replaced), kBytes);
    EXPECT_NO_THROW(replaced.requireUnchanged());
}

TEST_F(MappedFileTest, OnlyTheFileThatWasCutIsRefused) {
    std::vector<std::unique_ptr<MappedFile>> files;
    for (int k = 0; k < 20; ++k) {
        const std::filesystem::path path = folder_ / std::to_string(k);
        writeFile(path, std::string(kBytes, '\1'));
        files.push_back(std::make_unique<MappedFile>(path));
    }
    files.erase(files.begin() + 3, files.begin() + 9);
    std::filesystem::resize_file(folder_ / "12", 0);
    std::size_t refused = 0;
    for (const auto& file : files) {
        sumOf(*file);
        try {
            file->requireUnchanged();
        } catch (const InputError& error) {
            ++refused;
            EXPECT_THAT(error.what(), HasSubstr("12: was changed"));
        }
    }
    EXPECT_EQ(refused, 1U);
    const MappedFile again(path_);
    EXPECT_EQ(sumOf(again), kBytes);
    EXPECT_NO_THROW(again.requireUnchanged()) << "places are used again";
}

TEST_F(MappedFileTest, OtherBusErrorsEndTheProcess) {
    if (const std::string lack = test::lackOfOwnAddresses(); !lack.empty()) GTEST_SKIP() << lack;
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const MappedFile file(path_);
    EXPECT_EXIT(raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace glycine::storage
