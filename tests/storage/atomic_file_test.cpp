#include "engine/storage/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

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

TEST(AtomicFile, AppearsOnlyWithCommit) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "out.bin");
    file.write("complete");
    EXPECT_FALSE(std::filesystem::exists(folder / "out.bin"));
    file.commit();
    EXPECT_EQ(readFile(folder / "out.bin"), "complete");
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(AtomicFile, IsListedOnceItIsInPlace) {
    const TemporaryFolder folder;
    const std::size_t before = filesInPlace().size();
    AtomicFile file(folder / "out.bin");
    EXPECT_EQ(filesInPlace().size(), before);
    file.commit();
    ASSERT_EQ(filesInPlace().size(), before + 1);
    EXPECT_EQ(filesInPlace().back(), folder / "out.bin");
}

// By other processes: the numbers are theirs.
TEST(AtomicFile, LeftoversAreRemovedWhenAFolderIsFirstWrittenTo) {
    const TemporaryFolder folder;
    const auto exists = [&folder](const char* name) { return std::filesystem::exists(folder / name); };
    const auto write = [&folder](const char* name) { AtomicFile(folder / name).commit(); };
    writeFile(folder / "victim", "the user's");
    for (const char* name : {".glycine-12-7.tmp", ".glycine-13-0.tmp", ".glycine.tmp", ".glycine-12-.tmp",
                             ".glycine-x-1.tmp", "glycine-12-7.tmp", ".glycine-12-7.tmp.csv"})
        writeFile(folder / name, "half");
    std::filesystem::create_symlink("victim", folder / ".glycine-14-0.tmp");
    std::filesystem::create_hard_link(folder / "victim", folder / ".glycine-15-0.tmp");
    std::filesystem::create_directory(folder / ".glycine-16-0.tmp");
    write("a.csv");
    EXPECT_FALSE(exists(".glycine-12-7.tmp") || exists(".glycine-13-0.tmp"));
    EXPECT_EQ(folder.fileCount(), 10U) << "the others are no leftovers";
    EXPECT_EQ(readFile(folder / "victim"), "the user's");
    writeFile(folder / ".glycine-12-9.tmp", "half");
    write("b.csv");
    EXPECT_TRUE(exists(".glycine-12-9.tmp")) << "the folder was read again";
}

TEST(AtomicFile, HasNoNameUntilItIsComplete) {
    const TemporaryFolder folder;
    if (!Folder(folder.path()).makeNameless(0600).isOpen())
        GTEST_SKIP() << "this file system has no files without a name";
    for (const char* before : {"", "old"}) {
        if (*before != '\0') writeFile(folder / "out.bin", before);
        AtomicFile file(folder / "out.bin");
        file.write("half");
        EXPECT_EQ(folder.fileCount(), *before != '\0' ? 1U : 0U);
        file.commit();
        EXPECT_EQ(readFile(folder / "out.bin"), "half");
        EXPECT_EQ(folder.fileCount(), 1U);
        std::filesystem::remove(folder / "out.bin");
    }
}

TEST(AtomicFile, TakesNamesAsLongAsTheFileSystemDoes) {
    const TemporaryFolder folder;
    const std::string name(255, 'n');
    for (int i = 0; i < 2; ++i) {
        AtomicFile file(folder / name);
        file.write("contents");
        file.commit();
        EXPECT_EQ(readFile(folder / name), "contents");
    }
}

TEST(AtomicFile, WritesWhereADanglingLinkLeads) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "data");
    std::filesystem::create_symlink("data/real.bin", folder / "middle");
    std::filesystem::create_symlink("middle", folder / "link.bin");
    AtomicFile file(folder / "link.bin");
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.bin"));
    EXPECT_EQ(readFile(folder / "data/real.bin"), "new");
    std::filesystem::create_symlink("loop", folder / "loop");
    EXPECT_THAT(messageOf<Error>([&] { AtomicFile loop(folder / "loop"); }),
                HasSubstr("it is a symbolic link that leads nowhere"));
}

/// On a file system without files that have no name.
class AtomicFileByName : public ::testing::Test {
  protected:
    AtomicFileByName() { pretendNoNamelessFiles(true); }
    ~AtomicFileByName() override { pretendNoNamelessFiles(false); }
};

TEST_F(AtomicFileByName, KeepsTheOldFileUntilItIsComplete) {
    const TemporaryFolder folder;
    writeFile(folder / "out.bin", "old");
    std::filesystem::permissions(folder / "out.bin", std::filesystem::perms(0640));
    {
        AtomicFile file(folder / "out.bin");
        file.write("half of the new");
        EXPECT_EQ(folder.fileCount(), 2U);
    }
    EXPECT_EQ(readFile(folder / "out.bin"), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
    AtomicFile file(folder / "out.bin");
    file.write("new");
    file.commit();
    EXPECT_EQ(readFile(folder / "out.bin"), "new");
    EXPECT_EQ(std::filesystem::status(folder / "out.bin").permissions(), std::filesystem::perms(0640));
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(AtomicFile, IsCopiedWhereItCannotBeNamed) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "out.bin");
    file.write(std::string(3'000'000, 'x'));
    file.seek(1);
    file.write("y");
    pretendNoNamelessFiles(true);
    file.commit();
    pretendNoNamelessFiles(false);
    EXPECT_EQ(readFile(folder / "out.bin"), "xy" + std::string(2'999'998, 'x'));
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(AtomicFile, KeepsTheOldFileAndCleansUpWithoutCommit) {
    const TemporaryFolder folder;
    writeFile(folder / "out.bin", "old");
    {
        AtomicFile file(folder / "out.bin");
        file.write("half of the new");
    }
    EXPECT_EQ(readFile(folder / "out.bin"), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(AtomicFile, ReplacesTheOldFileAndKeepsItsPermissions) {
    const TemporaryFolder folder;
    writeFile(folder / "out.bin", "old");
    std::filesystem::permissions(folder / "out.bin", std::filesystem::perms(0640));
    AtomicFile file(folder / "out.bin");
    file.write("new");
    file.commit();
    EXPECT_EQ(readFile(folder / "out.bin"), "new");
    EXPECT_EQ(std::filesystem::status(folder / "out.bin").permissions(), std::filesystem::perms(0640));
}

TEST(AtomicFile, FollowsASymbolicLink) {
    const TemporaryFolder folder;
    writeFile(folder / "real.bin", "old");
    std::filesystem::create_symlink("real.bin", folder / "link.bin");
    AtomicFile file(folder / "link.bin");
    file.write("new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.bin"));
    EXPECT_EQ(readFile(folder / "real.bin"), "new");
}

TEST(AtomicFile, SeekOverwritesInPlace) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "out.bin");
    file.write("0123456789");
    file.seek(2);
    file.write("ab");
    EXPECT_EQ(file.position(), 4U);
    file.commit();
    EXPECT_EQ(readFile(folder / "out.bin"), "01ab456789");
}

TEST(AtomicFile, NamesPathAndCauseForAMissingFolder) {
    const TemporaryFolder folder;
    const std::string message = messageOf<Error>([&] { AtomicFile file(folder / "missing/out.bin"); });
    EXPECT_THAT(message, AllOf(HasSubstr("missing/out.bin"), HasSubstr("No such file or directory")));
}

TEST(AtomicFile, RefusesAFolderAndADevice) {
    const TemporaryFolder folder;
    EXPECT_THAT(messageOf<Error>([&] { AtomicFile file(folder.path()); }), HasSubstr("it is a folder"));
    EXPECT_THAT(messageOf<Error>([&] { AtomicFile file("/dev/null"); }),
                HasSubstr("/dev/null: cannot write: it is a device"));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// A limit on the size of files acts like a full disk, without filling one.
TEST(AtomicFile, ReportsAFailedWriteAndKeepsTheOldFile) {
    const TemporaryFolder folder;
    writeFile(folder / "out.bin", "old");
    struct rlimit before {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limited = before;
    limited.rlim_cur = 1000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
    const std::string message = messageOf<Error>([&] {
        AtomicFile file(folder / "out.bin");
        file.write(std::string(5000, 'x'));
        file.commit();
    });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, AllOf(HasSubstr("out.bin: cannot write"), HasSubstr("File too large")));
    EXPECT_EQ(readFile(folder / "out.bin"), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

}  // namespace
}  // namespace glycine::storage
