// Tests means over epochs, the state that a stopped run keeps, and the files that a run writes.
#include <initializer_list>

#include "app/crossapen/output_plan.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/results/value_store.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

/// The summary of one element over epochs.
EntropyMatrix summaryOf(std::initializer_list<double> values) {
    EpochSummary summary(1, 1, false);
    for (const double value : values) summary.add(Matrix<double>(1, 1, value).view());
    return summary.finish("name", "label");
}

TEST(EpochSummary, MeanAndDeviationByHand) {
    // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32.
    const EntropyMatrix result = summaryOf({2, 4, 4, 4, 5, 5, 7, 9});
    EXPECT_EQ(result.name, "name");
    EXPECT_EQ(result.label, "label");
    EXPECT_DOUBLE_EQ(result.mean(0, 0), 5);
    EXPECT_DOUBLE_EQ(result.deviation(0, 0), std::sqrt(32.0 / 7));
    EXPECT_EQ(result.epochsUsed(0, 0), 8);
    EXPECT_TRUE(result.epochs.empty());
}

TEST(EpochSummary, ElementsAreApart) {
    EpochSummary summary(2, 3, false);
    Matrix<double> values(2, 3);
    for (const double epoch : {0.0, 1.0}) {
        for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = static_cast<double>(k) + 4 * epoch;
        summary.add(values.view());
    }
    const EntropyMatrix result = summary.finish("", "");
    ASSERT_EQ(result.mean.rows(), 2);
    ASSERT_EQ(result.mean.columns(), 3);
    for (std::size_t k = 0; k < values.size(); ++k) {
        EXPECT_EQ(result.mean.data()[k], static_cast<double>(k) + 2);
        EXPECT_DOUBLE_EQ(result.deviation.data()[k], std::sqrt(8.0));
    }
}

TEST(EpochSummary, NothingCancelsNextToALargeMean) {
    // The squares of these values do not fit the 53 bits of a double without losing their differences.
    const EntropyMatrix result = summaryOf({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
    EXPECT_EQ(result.mean(0, 0), 1e9 + 10);
    EXPECT_DOUBLE_EQ(result.deviation(0, 0), std::sqrt(30.0));
}

TEST(EpochSummary, UndefinedValuesAreLeftOut) {
    const EntropyMatrix result = summaryOf({kNaN, 1, kNaN, 3});
    EXPECT_EQ(result.mean(0, 0), 2);
    EXPECT_DOUBLE_EQ(result.deviation(0, 0), std::sqrt(2.0));
    EXPECT_EQ(result.epochsUsed(0, 0), 2);
}

TEST(EpochSummary, FewEpochs) {
    const EntropyMatrix none = summaryOf({kNaN, kNaN});
    EXPECT_TRUE(std::isnan(none.mean(0, 0)));
    EXPECT_TRUE(std::isnan(none.deviation(0, 0)));
    EXPECT_EQ(none.epochsUsed(0, 0), 0);
    const EntropyMatrix one = summaryOf({1.5});
    EXPECT_EQ(one.mean(0, 0), 1.5);
    EXPECT_TRUE(std::isnan(one.deviation(0, 0)));
    EXPECT_EQ(one.epochsUsed(0, 0), 1);
}

TEST(EpochSummary, InfiniteValues) {
    const EntropyMatrix above = summaryOf({1, kInfinity, 2, kInfinity});
    EXPECT_EQ(above.mean(0, 0), kInfinity);
    EXPECT_TRUE(std::isnan(above.deviation(0, 0)));
    EXPECT_EQ(above.epochsUsed(0, 0), 4);
    EXPECT_EQ(summaryOf({-kInfinity, 1}).mean(0, 0), -kInfinity);
    EXPECT_TRUE(std::isnan(summaryOf({-kInfinity, kInfinity}).mean(0, 0)));
}

TEST(EpochSummary, EpochsAreKeptOnRequest) {
    EpochSummary summary(1, 2, true);
    Matrix<double> values(1, 2, 1.0);
    summary.add(values.view());
    values(0, 1) = kNaN;
    summary.add(values.view());
    const EntropyMatrix result = summary.finish("", "");
    ASSERT_EQ(result.epochs.size(), 2);
    EXPECT_EQ(result.epochs[0](0, 1), 1);
    EXPECT_TRUE(std::isnan(result.epochs[1](0, 1)));
    EXPECT_EQ(result.epochsUsed(0, 1), 1);
}

/// Two files of different shapes: 3 epochs of 2 × 2 × 2 values, 5 epochs of 1 × 3 × 1.
std::vector<StoredFile> twoFiles() {
    return {{3, {2, 2, 2}}, {5, {1, 3, 1}}};
}
constexpr std::string_view kIdentity = "m: 1\nr: 0.2\n";

void fill(ValueStore& store, std::size_t file, Range epochs, double value) {
    const std::span<double> values = store.values(file, epochs);
    std::fill(values.begin(), values.end(), value);
}

TEST(ValueStore, EpochsLieOneAfterTheOther) {
    ValueStore store(twoFiles());
    ASSERT_EQ(store.values(0, {0, 3}).size(), 24u);
    ASSERT_EQ(store.values(1, {1, 3}).size(), 6u);
    EXPECT_EQ(store.values(0, {2, 3}).data(), store.values(0, {0, 3}).data() + 16);
    EXPECT_EQ(store.values(1, {0, 1}).data(), store.values(0, {0, 3}).data() + 24);
    EXPECT_FALSE(store.has(0, 0));
}

TEST(ValueStore, EnteredTilesSurviveTheProcess) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run";
    {
        ValueStore store(path, kIdentity, twoFiles(), false);
        fill(store, 0, {0, 2}, 1.5);
        store.enter(0, {0, 2});
        fill(store, 1, {3, 5}, 2.5);
        store.enter(1, {3, 5});
        fill(store, 0, {2, 3}, 9);  // not marked as stored
    }
    EXPECT_TRUE(storage::hasUnfinishedRun(path));
    ValueStore store(path, kIdentity, twoFiles(), false);
    std::vector<bool> entered;
    for (std::size_t epoch = 0; epoch < 3; ++epoch) entered.push_back(store.has(0, epoch));
    for (std::size_t epoch = 0; epoch < 5; ++epoch) entered.push_back(store.has(1, epoch));
    EXPECT_THAT(entered, ElementsAre(true, true, false, false, false, false, true, true));
    EXPECT_THAT(store.values(0, {0, 2}), Each(1.5));
    EXPECT_THAT(store.values(1, {3, 5}), Each(2.5));
    store.discard();
    EXPECT_FALSE(storage::hasUnfinishedRun(path));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ValueStore, ADamagedTileIsNotBelieved) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run";
    {
        ValueStore store(path, kIdentity, twoFiles(), false);
        for (const std::size_t epoch : {0u, 1u}) {
            fill(store, 0, {epoch, epoch + 1}, 1);
            store.enter(0, {epoch, epoch + 1});
        }
    }
    {
        std::fstream file(fs::path(path) += ".unfinished", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(8 * 8 + 3);  // within epoch 1
        file.put('x');
    }
    ValueStore store(path, kIdentity, twoFiles(), false);
    EXPECT_TRUE(store.has(0, 0));
    EXPECT_FALSE(store.has(0, 1));
}

TEST(ValueStore, AnotherRunIsRefusedAndRestartForgets) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run";
    {
        ValueStore store(path, kIdentity, twoFiles(), false);
        fill(store, 0, {0, 1}, 1);
        store.enter(0, {0, 1});
    }
    EXPECT_THAT(messageOf<UsageError>([&] { ValueStore(path, "m: 2\nr: 0.2\n", twoFiles(), false); }),
                HasSubstr("--restart"));
    ValueStore store(path, "m: 2\nr: 0.2\n", twoFiles(), true);
    EXPECT_FALSE(store.has(0, 0));
    EXPECT_THAT(store.values(0, {0, 3}), Each(0.0));
}

TEST(ValueStore, ARunThatFinishedNothingLeavesNothing) {
    const TemporaryFolder folder;
    { ValueStore store(folder / "run", kIdentity, twoFiles(), false); }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

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
    EXPECT_EQ(files.files().size(), 8u);  // the names written next to o.NPY
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

TEST(OutputPlan, ScalpMapsNeedPlacesOnTheHead) {
    const auto scalps = [](std::vector<std::string> outputs, bool hasScalp, const fs::path& drawn) {
        return planOutputs({.outputs = std::move(outputs), .hasScalp = hasScalp, .scalp = drawn}, {"x.edf"});
    };
    EXPECT_THAT(scalps({"o.csv"}, true, {}).scalps, testing::IsEmpty());
    EXPECT_THAT(scalps({"out"}, true, {}).scalps, ElementsAre("out/scalp.png"));
    const OutputPlan both = scalps({"out"}, true, "head.svg");
    EXPECT_THAT(both.scalps, ElementsAre("out/scalp.png", "head.svg"));
    EXPECT_THAT(both.files(), testing::Contains(fs::path("head.svg")));
    EXPECT_THAT(scalps({"out"}, false, {}).scalps, testing::IsEmpty());
    EXPECT_THAT(messageOf<UsageError>([&] { scalps({"o.csv"}, false, "head.svg"); }),
                HasSubstr("fewer than three channels have a place on the head"));
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
    EXPECT_THAT(messageOf<UsageError>([] {
                    plan({"a1", "b1"}, {"x"});
                }),
                HasSubstr("-o names two folders, a1 and b1; expected one"));
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
