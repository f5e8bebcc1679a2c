#include "app/crossapen/output_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::crossapen {
namespace {

namespace fs = std::filesystem;
using test::messageOf;
using test::TemporaryFolder;
using test::writeFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

OutputPlan plan(std::vector<std::string> outputs, std::vector<std::string> subjects, bool isSquare = false,
                bool hasGroups = false) {
    return planOutputs({std::move(outputs), isSquare, hasGroups}, subjects);
}

TEST(DistinctNames, FoldersComeBeforeEqualNamesOnly) {
    EXPECT_THAT(distinctNames({"a/one.edf", "b/two.edf"}), ElementsAre("one.edf", "two.edf"));
    EXPECT_THAT(distinctNames({"a/x.edf", "b/x.edf", "b/y.edf"}), ElementsAre("a/x.edf", "b/x.edf", "y.edf"));
    EXPECT_THAT(distinctNames({"p/a/x.edf", "q/a/x.edf"}), ElementsAre("p/a/x.edf", "q/a/x.edf"));
}

TEST(DistinctNames, TheSameFileTwiceIsAMistake) {
    EXPECT_THAT(messageOf<UsageError>([] { distinctNames({"x.edf", "./x.edf"}); }), HasSubstr("given twice"));
}

TEST(OutputPlan, EndingsNameFiles) {
    const OutputPlan files =
        plan({"o.npz", "o.NPY", "o.csv", "o.png", "o.svg", "o.PDF", "o.json"}, {"x.edf"});
    EXPECT_THAT(files.npz, ElementsAre("o.npz"));
    EXPECT_THAT(files.npy, ElementsAre("o.NPY"));
    EXPECT_THAT(files.longCsv, ElementsAre("o.csv"));
    EXPECT_THAT(files.pictures, ElementsAre("o.png", "o.svg", "o.PDF"));
    EXPECT_THAT(files.summaries, ElementsAre("o.json"));
    EXPECT_TRUE(files.folder.empty());
    EXPECT_EQ(files.unfinished, "o.npz");
    EXPECT_EQ(files.files().size(), 8u);  // the names beside o.NPY
    EXPECT_TRUE(plan({"-"}, {"x.edf"}).unfinished.empty());
    EXPECT_THAT(plan({"-"}, {"x.edf"}).longCsv, ElementsAre("-"));
}

TEST(OutputPlan, EverythingElseIsAFolder) {
    const OutputPlan files = plan({"results.v2"}, {"a/x.edf", "b/x.edf", "y"});
    EXPECT_EQ(files.folder, "results.v2");
    EXPECT_THAT(files.folderNpz, ElementsAre("results.v2/a_x.npz", "results.v2/b_x.npz", "results.v2/y.npz"));
    EXPECT_THAT(files.longCsv, ElementsAre("results.v2/entropies.csv"));
    EXPECT_TRUE(files.groupCsv.empty());
    EXPECT_EQ(plan({"out/"}, {"x"}).folder, "out");
}

TEST(OutputPlan, AnExistingFolderMayBeCalledAnything) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "x.npz");
    EXPECT_EQ(plan({(folder / "x.npz").string()}, {"x"}).folder, folder / "x.npz");
}

TEST(OutputPlan, SquareIsForOneInput) {
    EXPECT_THAT(plan({"o.csv"}, {"x"}, true).squareCsv, ElementsAre("o.csv"));
    EXPECT_THAT(messageOf<UsageError>([] { plan({"o.csv"}, {"x", "y"}, true); }), HasSubstr("there are 2"));
    EXPECT_THAT(messageOf<UsageError>([] { plan({"o.npz"}, {"x"}, true); }), HasSubstr("--square"));
    EXPECT_THAT(plan({"o.csv"}, {"x", "y"}).longCsv, ElementsAre("o.csv"));
}

TEST(OutputPlan, MistakesAreNamed) {
    EXPECT_THAT(messageOf<UsageError>([] {
                    plan({"o.npz"}, {"x", "y"});
                }),
                AllOf(HasSubstr("o.npz"), HasSubstr("folder")));
    EXPECT_THAT(messageOf<UsageError>([] { plan({"o.tsv"}, {"x"}); }), HasSubstr(".npz, .npy, .csv"));
    EXPECT_THAT(messageOf<UsageError>([] { plan({"a1", "b1"}, {"x"}); }), HasSubstr("one folder"));
    EXPECT_THAT(messageOf<UsageError>([] { plan({"o.csv"}, {"x"}, false, true); }), HasSubstr("--groups"));
    EXPECT_THAT(messageOf<UsageError>([] { plan({"out"}, {"x.edf", "x.bdf"}); }), HasSubstr("x.npz"));
}

TEST(OutputFolder, IsRemovedWhenNothingCameIntoIt) {
    const TemporaryFolder folder;
    { const OutputFolder made(folder / "out"); }
    EXPECT_FALSE(fs::exists(folder / "out"));
    {
        const OutputFolder made(folder / "out");
        writeFile(folder / "out" / "x", "x");
    }
    EXPECT_TRUE(fs::exists(folder / "out" / "x"));
    writeFile(folder / "file", "x");
    EXPECT_THAT(messageOf<UsageError>([&] { const OutputFolder made(folder / "file"); }),
                HasSubstr("is a file"));
}

TEST(OutputFolder, AFolderThatWasThereStays) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "out");
    { const OutputFolder found(folder / "out"); }
    EXPECT_TRUE(fs::exists(folder / "out"));
}

}  // namespace
}  // namespace glycine::crossapen
