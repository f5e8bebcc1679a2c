#include "engine/study/study_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::study {
namespace {

using ::testing::HasSubstr;

class StudyFolderTest : public ::testing::Test {
  protected:
    StudyFolder open(bool restart = false) const {
        return StudyFolder(folder.path(), "version: 1\n", {"first", "second"}, restart);
    }
    std::string refusal() const {
        return glycine::test::messageOf<UsageError>([this] { open(true); });
    }

    glycine::test::TemporaryFolder folder;
    std::filesystem::path step = folder / "steps/first.json";
};

TEST_F(StudyFolderTest, GoesOnWhereItWas) {
    open().keep(0, {{"seconds", 1}});
    StudyFolder again = open();
    EXPECT_TRUE(again.isDone(0));
    EXPECT_FALSE(again.isDone(1));
    EXPECT_EQ(again.load(0)["seconds"], 1);
}

TEST_F(StudyFolderTest, FilesOfTheUserAreRefusedAndUntouched) {
    std::filesystem::create_directory(folder / "steps");
    glycine::test::writeFile(step, "my notes");
    EXPECT_THAT(refusal(),
                HasSubstr("first.json is there already, and no journal of a stopped study lists it"));
    EXPECT_EQ(glycine::test::readFile(step), "my notes");
    EXPECT_FALSE(std::filesystem::exists(folder / "steps/journal"));
}

TEST_F(StudyFolderTest, LinksAreNotFollowed) {
    open().keep(0, {{"seconds", 1}});
    glycine::test::writeFile(folder / "victim", "the user's");
    std::filesystem::remove(step);
    std::filesystem::create_symlink(folder / "victim", step);
    EXPECT_THAT(refusal(), HasSubstr("first.json is a symbolic link"));
    std::filesystem::remove(step);
    StudyFolder running = open();
    std::filesystem::create_symlink(folder / "victim", step);
    EXPECT_THROW(running.keep(0, {{"seconds", 2}}), UsageError);
    EXPECT_EQ(glycine::test::readFile(folder / "victim"), "the user's");
}

}  // namespace
}  // namespace glycine::study
