#include "engine/storage/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::storage {
namespace {

using test::messageOf;
using test::readFile;
using test::TemporaryFolder;
using test::writeFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// On file systems with files without a name, and on those without.
class OwnFileTest : public ::testing::TestWithParam<bool> {
  protected:
    OwnFileTest() { pretendNoNamelessFiles(!GetParam()); }
    ~OwnFileTest() override { pretendNoNamelessFiles(false); }

    std::string refusal() const {
        return messageOf<UsageError>([this] { OwnFile::find(path); });
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder / "out.unfinished";
};

TEST_P(OwnFileTest, IsMadeWhereNothingIs) {
    EXPECT_FALSE(OwnFile::find(path));
    const auto made = OwnFile::make(path, "contents");
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->isInPlace());
    EXPECT_EQ(readFile(path), "contents");
    EXPECT_EQ(folder.fileCount(), 1U);
    EXPECT_TRUE(OwnFile::check(path));
    EXPECT_TRUE(OwnFile::find(path));
}

TEST_P(OwnFileTest, IsNotMadeWhereSomethingIs) {
    writeFile(path, "the user's");
    EXPECT_FALSE(OwnFile::make(path, "ours"));
    EXPECT_EQ(readFile(path), "the user's");
    std::filesystem::remove(path);
    std::filesystem::create_symlink(folder / "nothing", path);
    EXPECT_FALSE(OwnFile::make(path, "ours"));
    EXPECT_TRUE(std::filesystem::is_symlink(path));
    EXPECT_EQ(folder.fileCount(), 1U) << "nothing was written through the link";
}

TEST_P(OwnFileTest, RefusesWhatThisProgramHasNotMade) {
    writeFile(folder / "victim", "the user's");
    std::filesystem::create_symlink("victim", path);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("out.unfinished is a symbolic link"), HasSubstr("move it away")));
    std::filesystem::remove(path);
    std::filesystem::create_symlink("nothing", path);
    EXPECT_THAT(refusal(), HasSubstr("a symbolic link"));
    std::filesystem::remove(path);
    std::filesystem::create_hard_link(folder / "victim", path);
    EXPECT_THAT(refusal(), HasSubstr("a file with other names, too"));
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(refusal(), HasSubstr("a folder"));
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(refusal(), HasSubstr("a pipe"));
    EXPECT_THAT(messageOf<UsageError>([] { OwnFile::check("/dev/null"); }), HasSubstr("a device"));
    EXPECT_EQ(readFile(folder / "victim"), "the user's");
}

TEST_P(OwnFileTest, RefusesAFileOfAnotherUser) {
    writeFile(path, "another's");
    if (::chown(path.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root gives files away";
    EXPECT_THAT(refusal(), HasSubstr("a file of another user"));
}

TEST_P(OwnFileTest, OnlyItsOwnNameIsTakenAway) {
    auto first = OwnFile::make(path);
    std::filesystem::rename(path, folder / "elsewhere");
    writeFile(path, "the user's");
    EXPECT_FALSE(first->isInPlace());
    EXPECT_FALSE(first->rename(folder / "out"));
    first->remove();
    EXPECT_EQ(readFile(path), "the user's");
    EXPECT_EQ(folder.fileCount(), 2U);
    auto second = OwnFile::make(folder / "other", "ours");
    EXPECT_TRUE(second->rename(path));
    EXPECT_EQ(readFile(path), "ours");
    EXPECT_FALSE(std::filesystem::exists(folder / "other"));
}

INSTANTIATE_TEST_SUITE_P(FileSystems, OwnFileTest, ::testing::Bool(), [](const auto& param) {
    return param.param ? "WithNamelessFiles" : "WithoutNamelessFiles";
});

}  // namespace
}  // namespace glycine::storage
