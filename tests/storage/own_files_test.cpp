// Files that appear complete or not at all, files that the program owns, mapped files.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <csignal>

#include "engine/storage/atomic_file.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/input_file.hpp"
#include "tests/test.hpp"

namespace glycine::storage {
namespace {

TEST(AtomicFile, AppearsOnlyWithCommit) {
    const TemporaryFolder folder;
    AtomicFile file(folder / "out.bin");
    file.write("complete");
    EXPECT_FALSE(std::filesystem::exists(folder / "out.bin"));
    file.commit();
    EXPECT_EQ(readFile(folder / "out.bin"), "complete");
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(AtomicFile, FilesOfOneResultAppearTogether) {
    const TemporaryFolder folder;
    writeFile(folder / "b.bin", "old");
    AtomicFile a(folder / "a.bin"), b(folder / "b.bin");
    a.write("values");
    b.write("names");
    const std::size_t before = filesInPlace().size();
    AtomicFile::commitTogether({&a, &b});
    EXPECT_EQ(readFile(folder / "a.bin"), "values");
    EXPECT_EQ(readFile(folder / "b.bin"), "names");
    EXPECT_EQ(filesInPlace().size(), before + 2);
    EXPECT_EQ(folder.fileCount(), 2U);
}

TEST(AtomicFile, IsListedOnceItIsInPlace) {
    const TemporaryFolder folder;
    const std::size_t before = filesInPlace().size();
    AtomicFile file(folder / "out.bin");
    EXPECT_EQ(filesInPlace().size(), before);
    file.commit();
    ASSERT_EQ(filesInPlace().size(), before + 1);
    EXPECT_EQ(filesInPlace().back(), folder / "out.bin");
    forgetFolder(folder / "other");
    EXPECT_EQ(filesInPlace().size(), before + 1);
    forgetFolder(folder.path());
    EXPECT_EQ(filesInPlace().size(), before);
}

// Leftovers of other processes: the numbers in the names are theirs.
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

/// On a file system without nameless files.
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
        AtomicFile small(folder / "small.bin"), file(folder / "out.bin");
        small.write("complete");
        file.write(std::string(5000, 'x'));
        AtomicFile::commitTogether({&small, &file});
    });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, AllOf(HasSubstr("out.bin: cannot write"), HasSubstr("File too large")));
    EXPECT_EQ(readFile(folder / "out.bin"), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

/// On file systems with and without nameless files.
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

// ---- Mapped files that change while they are read.

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
