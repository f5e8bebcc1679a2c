// What the commands of `distance` compute beside the distances themselves: sizes, generated inputs, agreement
// with the reference, samples of pairs, data in memory, the paper's loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/algorithms/distance/random_data.hpp"
#include "engine/algorithms/distance/study/data_size.hpp"
#include "engine/algorithms/distance/study/pair_agreement.hpp"
#include "engine/algorithms/distance/study/pair_question.hpp"
#include "engine/algorithms/distance/study/paper_loop.hpp"
#include "engine/algorithms/distance/study/plane_source.hpp"
#include "engine/algorithms/distance/study/sampled_pairs.hpp"
#include "engine/algorithms/distance/study/tiled_run.hpp"
#include "engine/algorithms/distance/study/validation_inputs.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::distance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The reference for some of the tests: needed through the registry.
void registerReference() {
    static const bool once = [] {
        registerHostBackends();
        return true;
    }();
    static_cast<void>(once);
}

SymbolMatrix symbols(std::size_t instances, std::size_t attributes, std::initializer_list<int> values,
                     DiscreteShape shape) {
    Matrix<std::uint8_t> matrix(instances, attributes);
    std::copy(values.begin(), values.end(), matrix.data());
    return {std::move(matrix), shape};
}
constexpr DiscreteShape kGenotypes{.planes = 2, .isGenotypes = true};

TEST(DataSize, IsParsedAndPrinted) {
    EXPECT_EQ(parseDataSize("17x65"), (DataSize{17, 65}));
    EXPECT_EQ(parseDataSize("2000×100000"), (DataSize{2000, 100000}));
    EXPECT_EQ(parseDataSize("1X1"), (DataSize{1, 1}));
    EXPECT_EQ(parseDataSize("3*7"), (DataSize{3, 7}));
    EXPECT_EQ(formatDataSize({2000, 100000}), "2,000 × 100,000");
    for (const char* wrong : {"", "5", "x", "5x", "x5", "0x5", "5x0", "-1x5", "5x5x5", "5 x 5", "1e3x5",
                              "99999999999999999999x1"})
        EXPECT_THROW(parseDataSize(wrong), UsageError) << wrong;
}

class ValidationInputs : public ::testing::TestWithParam<DataSize> {};

TEST_P(ValidationInputs, AreWhatTheyAreCalled) {
    const DataSize size = GetParam();
    for (const InputKind kind : allInputKinds()) {
        SCOPED_TRACE(toString(kind));
        const DataSet data = makeValidationInput(kind, size, 1);
        EXPECT_EQ(data.view().instances(), size.instances);
        EXPECT_EQ(data.view().attributes(), size.attributes);
        if (kind == InputKind::Coordinates) {
            EXPECT_TRUE(data.view().isCoordinates());
            continue;
        }
        const DiscreteShape& shape = data.discrete->shape();
        const bool isGenotypes = kind == InputKind::Genotypes || kind == InputKind::GappedGenotypes;
        const bool isProtein = kind == InputKind::Protein || kind == InputKind::GappedProtein;
        const bool isGapped = kind == InputKind::GappedGenotypes || kind == InputKind::GappedDna ||
                              kind == InputKind::GappedProtein;
        EXPECT_EQ(shape.isGenotypes, isGenotypes);
        EXPECT_EQ(shape.planes, isProtein ? 5U : 2U);
        EXPECT_EQ(shape.hasMissing, isGapped);
        Matrix<std::uint8_t> values(size.instances, size.attributes);
        data.discrete->readSymbols({0, size.instances}, {0, size.attributes}, values.view());
        for (std::size_t k = 0; k < size.attributes; ++k)
            EXPECT_EQ(values(size.instances / 2, k) == kMissingSymbol, isGapped);
    }
}
INSTANTIATE_TEST_SUITE_P(Sizes, ValidationInputs,
                         ::testing::Values(DataSize{1, 1}, DataSize{2, 1}, DataSize{17, 65}));

TEST(Questions, AreThoseThatSomeMeasureAsks) {
    const auto names = [](const DataView& data) {
        std::vector<std::string> result;
        for (const PairQuestion& question : questionsAbout(data)) result.push_back(question.name);
        return result;
    };
    const SymbolMatrix complete = symbols(1, 2, {0, 1}, kGenotypes);
    const SymbolMatrix missing = symbols(1, 2, {0, kMissingSymbol}, kGenotypes);
    const SymbolMatrix dna = symbols(1, 2, {0, 3}, {.planes = 2});
    Matrix<float> coordinates(1, 2, 0.5F);
    EXPECT_THAT(names({&complete, {}}), ElementsAre("differing", "differing, opposite"));
    EXPECT_THAT(names({&missing, {}}), ElementsAre("differing", "differing, in common", "differing, opposite",
                                                   "differing, opposite, in common"));
    EXPECT_THAT(names({&dna, {}}), ElementsAre("differing"));
    EXPECT_THAT(names({nullptr, coordinates.view()}),
                ElementsAre("absolute differences", "squared differences"));
    EXPECT_EQ(questionFor({&missing, {}}, Measure::Mismatch).needs, CountNeeds{});
    EXPECT_TRUE(questionFor({&missing, {}}, Measure::Allele).needs.opposite);
    EXPECT_EQ(questionFor({nullptr, coordinates.view()}, Measure::Manhattan).term,
              SumTerm::AbsoluteDifference);
    EXPECT_THROW(questionFor({&dna, {}}, Measure::Allele), UsageError);
}

/// How a faulty engine goes wrong.
enum class Fault { None, OneCount, Unwritten, Stray, Opposite, SmallSum, LargeSum, NoNumber };

/// Computes plainly, and commits one fault.
class FaultyEngine final : public PairEngine {
  public:
    FaultyEngine(PairEngine& honest, Fault fault, std::size_t side)
        : honest_(honest), fault_(fault), side_(side) {}
    Support supports(const PairRequest& request) const override { return honest_.supports(request); }
    std::size_t preferredTile(const PairRequest&) const override { return side_; }
    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant) override {
        return std::make_unique<Counting>(honest_.startCounting(source, needs, Variant::Default), *this);
    }
    std::unique_ptr<SummingRun> startSumming(MatrixView<const float> coordinates, SumTerm term,
                                             Variant) override {
        return std::make_unique<Summing>(honest_.startSumming(coordinates, term, Variant::Default), *this);
    }
    const std::vector<PairTile>& tiles() const { return tiles_; }

  private:
    struct Counting final : CountingRun {
        Counting(std::unique_ptr<CountingRun> honest, FaultyEngine& engine)
            : honest_(std::move(honest)), engine_(engine) {}
        Variant variant() const override { return Variant::Serial; }
        PairTimes times() const override { return honest_->times(); }
        void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override {
            engine_.tiles_.push_back(tile);
            const std::size_t last = tile.rows.size() - 1;
            const std::uint32_t before = counts.differing(last, 0);
            honest_->count(tile, counts, progress);
            if (tile.pairs() == 0) return;
            if (engine_.fault_ == Fault::OneCount) ++counts.differing(last, 0);
            if (engine_.fault_ == Fault::Unwritten) counts.differing(last, 0) = before;
            if (engine_.fault_ == Fault::Stray) *(counts.differing.row(last) + tile.columns.size()) = 0;
            if (engine_.fault_ == Fault::Opposite && !counts.opposite.empty()) ++counts.opposite(last, 0);
        }
        std::unique_ptr<CountingRun> honest_;
        FaultyEngine& engine_;
    };
    struct Summing final : SummingRun {
        Summing(std::unique_ptr<SummingRun> honest, FaultyEngine& engine)
            : honest_(std::move(honest)), engine_(engine) {}
        Variant variant() const override { return Variant::Serial; }
        PairTimes times() const override { return honest_->times(); }
        void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override {
            honest_->sum(tile, sums, progress);
            if (tile.pairs() == 0) return;
            double& value = sums(tile.rows.size() - 1, 0);
            if (engine_.fault_ == Fault::SmallSum) value *= 1 + 1e-8;
            if (engine_.fault_ == Fault::LargeSum) value *= 1.01;
            if (engine_.fault_ == Fault::NoNumber) value = std::nan("");
        }
        std::unique_ptr<SummingRun> honest_;
        FaultyEngine& engine_;
    };

    PairEngine& honest_;
    Fault fault_;
    std::size_t side_;
    std::vector<PairTile> tiles_;
};

class Agreement : public ::testing::Test {
  protected:
    void SetUp() override {
        registerReference();
        backend_ = BackendRegistry::instance().create("reference", {});
        engine_ = createPairEngine(*backend_);
    }
    /// The last question about the input, put to an engine with this fault.
    Comparison compare(InputKind kind, DataSize size, Fault fault, std::size_t side = 1000) {
        const DataSet data = makeValidationInput(kind, size, 1);
        Progress progress;
        FaultyEngine engine(*engine_, fault, side);
        double seconds = 0;
        const Comparison comparison =
            compareWithReference(engine, data.view(), questionsAbout(data.view()).back(), Variant::Default,
                                 askReference(data.view(), progress), progress, seconds);
        tiles_ = engine.tiles();
        return comparison;
    }

    std::unique_ptr<Backend> backend_;
    std::unique_ptr<PairEngine> engine_;
    std::vector<PairTile> tiles_;
};

TEST_F(Agreement, OfTheReferenceWithItself) {
    for (const InputKind kind : allInputKinds()) {
        for (const DataSize size : {DataSize{1, 1}, DataSize{2, 1}, DataSize{7, 65}}) {
            const Comparison comparison = compare(kind, size, Fault::None);
            EXPECT_TRUE(comparison.isEqual) << toString(kind) << comparison.place;
            EXPECT_EQ(comparison.largestDifference, 0);
        }
    }
}

TEST_F(Agreement, IsAskedOnAndOffTheDiagonal) {
    compare(InputKind::Genotypes, {7, 65}, Fault::None);
    EXPECT_THAT(tiles_,
                ElementsAre(PairTile{{0, 7}, {0, 7}}, PairTile{{0, 3}, {0, 3}}, PairTile{{3, 6}, {0, 3}},
                            PairTile{{3, 6}, {3, 6}}, PairTile{{6, 7}, {0, 3}}, PairTile{{6, 7}, {3, 6}},
                            PairTile{{6, 7}, {6, 7}}));
    // Never larger than what suits the engine.
    compare(InputKind::Genotypes, {3, 1}, Fault::None, 2);
    EXPECT_EQ(tiles_.size(), 6U);
    compare(InputKind::Genotypes, {2, 1}, Fault::None);
    EXPECT_THAT(tiles_, ElementsAre(PairTile{{0, 2}, {0, 2}}, PairTile{{0, 1}, {0, 1}},
                                    PairTile{{1, 2}, {0, 1}}, PairTile{{1, 2}, {1, 2}}));
}

TEST_F(Agreement, CountsMustBeEqual) {
    for (const Fault fault : {Fault::OneCount, Fault::Unwritten, Fault::Opposite, Fault::Stray}) {
        const Comparison comparison = compare(InputKind::GappedGenotypes, {7, 65}, fault);
        EXPECT_FALSE(comparison.isEqual);
        EXPECT_FALSE(comparison.agrees());
        EXPECT_EQ(comparison.allowedDifference, 0);
    }
    EXPECT_THAT(compare(InputKind::Genotypes, {2, 1}, Fault::OneCount).place,
                HasSubstr("differing attributes of (1, 0): "));
    EXPECT_THAT(compare(InputKind::Genotypes, {2, 64}, Fault::Opposite).place,
                HasSubstr("opposite homozygotes of (1, 0): "));
    EXPECT_THAT(compare(InputKind::Dna, {7, 65}, Fault::Stray).place, HasSubstr("overwritten"));
}

TEST_F(Agreement, SumsMayDifferByRounding) {
    const Comparison close = compare(InputKind::Coordinates, {5, 30}, Fault::SmallSum);
    EXPECT_FALSE(close.isEqual);
    EXPECT_TRUE(close.agrees());
    EXPECT_NEAR(close.largestDifference, 1e-8, 1e-9);
    EXPECT_FALSE(compare(InputKind::Coordinates, {5, 30}, Fault::LargeSum).agrees());
    EXPECT_FALSE(compare(InputKind::Coordinates, {5, 30}, Fault::NoNumber).agrees());
}

TEST_F(Agreement, OfValues) {
    const DataSet data = makeValidationInput(InputKind::GappedGenotypes, {6, 40}, 1);
    Progress progress;
    DistanceOptions options{.measure = Measure::Proportion, .missing = MissingRule::Ignore};
    const auto values = computeValues(*backend_, data.view(), options, progress);
    // An instance without any genotype has no distance, and none is equal to none.
    EXPECT_TRUE(std::isnan(values->value(3, 0)));
    EXPECT_TRUE(compareValues(*values, *values, data.view(), options.measure).isEqual);
    options.measure = Measure::Mismatch;
    const auto others = computeValues(*backend_, data.view(), options, progress);
    EXPECT_FALSE(compareValues(*values, *others, data.view(), options.measure).agrees());
}

class PlaneSources : public ::testing::TestWithParam<InputKind> {};

TEST_P(PlaneSources, HoldTheSame) {
    const DataSet data = makeValidationInput(GetParam(), {9, 203}, 3);
    Progress progress;
    const PlaneSource source(*data.discrete, progress);
    const DiscreteShape& shape = source.shape();
    EXPECT_EQ(shape.instances, 9U);
    EXPECT_EQ(shape.hasMissing, data.discrete->shape().hasMissing);
    for (const Range instances : {Range{0, 9}, Range{2, 5}}) {
        for (const Range attributes : {Range{0, 203}, Range{64, 203}, Range{64, 100}, Range{128, 192}}) {
            Matrix<std::uint8_t> expected(instances.size(), attributes.size());
            Matrix<std::uint8_t> found(instances.size(), attributes.size());
            data.discrete->readSymbols(instances, attributes, expected.view());
            source.readSymbols(instances, attributes, found.view());
            EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), found.data()));
            const PlaneBlock expectedPlanes = data.discrete->readPlanes(instances, attributes);
            const PlaneBlock foundPlanes = source.readPlanes(instances, attributes);
            ASSERT_EQ(foundPlanes.stride(), expectedPlanes.stride());
            for (std::size_t i = 0; i < instances.size(); ++i)
                for (unsigned p = 0; p < shape.storedPlanes(); ++p)
                    EXPECT_TRUE(std::equal(expectedPlanes.plane(i, p),
                                           expectedPlanes.plane(i, p) + expectedPlanes.stride(),
                                           foundPlanes.plane(i, p)))
                        << i << ", " << p;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Kinds, PlaneSources,
                         ::testing::Values(InputKind::Genotypes, InputKind::GappedGenotypes, InputKind::Dna,
                                           InputKind::GappedDna, InputKind::Protein,
                                           InputKind::GappedProtein));

TEST_F(Agreement, SampledPairsFindWhatIsWrong) {
    const auto check = [&](InputKind kind, Fault fault, std::size_t side) {
        const DataSet data = makeValidationInput(kind, {9, 130}, 2);
        Progress progress;
        FaultyEngine engine(*engine_, fault, side);
        const PairQuestion question = questionsAbout(data.view()).back();
        SampledPairs pairs(data.view(), question.term, 100, 1);
        TiledRun run(engine, data.view(), question, Variant::Default);
        run.start();
        run.compute([&](const PairTile& tile, const TileResult& result) { pairs.check(tile, result); },
                    progress);
        return (pairs.finish() ? "right: " : "WRONG: ") + pairs.verdict();
    };
    for (const std::size_t side : {1000, 4}) {
        EXPECT_EQ(check(InputKind::GappedGenotypes, Fault::None, side), "right: 36 pairs exact");
        EXPECT_EQ(check(InputKind::Protein, Fault::None, side), "right: 36 pairs exact");
        EXPECT_THAT(check(InputKind::Coordinates, Fault::None, side), StartsWith("right: "));
        EXPECT_EQ(check(InputKind::Coordinates, Fault::SmallSum, side), "right: 36 pairs within 1e-08");
        EXPECT_THAT(check(InputKind::Coordinates, Fault::LargeSum, side), StartsWith("WRONG: pair ("));
        EXPECT_THAT(check(InputKind::Coordinates, Fault::NoNumber, side), StartsWith("WRONG: pair ("));
        EXPECT_THAT(check(InputKind::Dna, Fault::OneCount, side), StartsWith("WRONG: pair ("));
        EXPECT_THAT(check(InputKind::GappedGenotypes, Fault::Opposite, side), StartsWith("WRONG: pair ("));
    }
    EXPECT_THAT(check(InputKind::Dna, Fault::OneCount, 1000), HasSubstr("pair (8, 0): "));
}

TEST_F(Agreement, SampledPairsMissNoTile) {
    const DataSet data = makeValidationInput(InputKind::Dna, {40, 10}, 2);
    SampledPairs pairs(data.view(), {}, 5, 1);
    EXPECT_FALSE(pairs.finish());
    EXPECT_EQ(pairs.verdict(), "0 of 10 pairs were computed");
    SampledPairs few(makeValidationInput(InputKind::Dna, {1, 10}, 2).view(), {}, 5, 1);
    EXPECT_TRUE(few.finish());
}

TEST(PaperLoop, CountsBothWaysAndAdds) {
    const int data[] = {0, 1, 2, 0, 1, 1, 2, 1, 2};
    int distance[9] = {};
    countAsInPaper(3, 3, data, distance);
    EXPECT_THAT(distance, ElementsAre(0, 1, 1, 1, 0, 2, 1, 2, 0));
    countAsInPaper(3, 3, data, distance);
    EXPECT_EQ(distance[1], 2);
}

}  // namespace
}  // namespace glycine::distance
