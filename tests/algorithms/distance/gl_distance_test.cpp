// Every gl variant of `distance` in every dialect against a plain loop and against the reference.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <tuple>

#include "engine/algorithms/distance/gl/bit_counting.hpp"
#include "engine/algorithms/distance/gl/coordinate_summing.hpp"
#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/algorithms/distance/random_data.hpp"
#include "engine/core/error.hpp"
#include "engine/core/guarded_matrix.hpp"
#include "engine/gl/debug_log.hpp"
#include "engine/gl/gl_backend.hpp"
#include "tests/gl/gl_test_backend.hpp"

namespace glycine::distance {
namespace {

using namespace gl;
using test::OwnedBackend;
using test::sharedBackend;
using testing::HasSubstr;

/// Symbols of `planes` bits (2: genotypes) with some regularity in them, so that equal and opposite entries
/// are frequent. With `missing`, every seventh entry is missing and so is all of instance 1.
SymbolMatrix symbols(std::size_t instances, std::size_t attributes, unsigned planes, bool missing) {
    Matrix<std::uint8_t> matrix(instances, attributes);
    const unsigned count = planes == 2 ? 3 : planes == 8 ? 255 : 1U << planes;
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t k = 0; k < attributes; ++k) {
            state = state * 1664525U + 1013904223U;
            const bool isMissing = missing && (i == 1 || (state >> 8) % 7 == 0);
            matrix(i, k) = isMissing ? kMissingSymbol : static_cast<std::uint8_t>((state >> 16) % count);
        }
    return SymbolMatrix(std::move(matrix), {.planes = planes, .isGenotypes = planes == 2});
}

/// Asks for all counts that the data have, and compares them with a loop over the symbols.
void expectCounts(CountingRun& run, const DiscreteSource& source, CountNeeds needs, const PairTile& tile) {
    SCOPED_TRACE(testing::Message() << tile.rows.begin << "-" << tile.rows.end << " × " << tile.columns.begin
                                    << "-" << tile.columns.end);
    const std::size_t rows = tile.rows.size();
    const std::size_t columns = tile.columns.size();
    GuardedMatrix<std::uint32_t> differing(rows, columns);
    GuardedMatrix<std::uint32_t> opposite(rows, columns);
    GuardedMatrix<std::uint32_t> valid(rows, columns);
    PairCounts counts;
    counts.differing = differing.view();
    if (needs.opposite) counts.opposite = opposite.view();
    if (needs.valid) counts.valid = valid.view();
    Progress progress;
    run.count(tile, counts, progress);

    const std::size_t attributes = source.shape().attributes;
    Matrix<std::uint8_t> a(rows, attributes);
    Matrix<std::uint8_t> b(columns, attributes);
    source.readSymbols(tile.rows, {0, attributes}, a.view());
    source.readSymbols(tile.columns, {0, attributes}, b.view());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns && tile.columns.begin + j < tile.rows.begin + i; ++j) {
            std::uint32_t expected[3] = {};
            for (std::size_t k = 0; k < attributes; ++k) {
                if (a(i, k) == kMissingSymbol || b(j, k) == kMissingSymbol) continue;
                expected[0] += a(i, k) != b(j, k) ? 1 : 0;
                expected[1] += std::abs(int{a(i, k)} - int{b(j, k)}) == 2 ? 1 : 0;
                expected[2] += 1;
            }
            ASSERT_EQ(counts.differing(i, j), expected[0]) << i << ", " << j;
            if (needs.opposite) {
                ASSERT_EQ(counts.opposite(i, j), expected[1]) << i << ", " << j;
            }
            if (needs.valid) {
                ASSERT_EQ(counts.valid(i, j), expected[2]) << i << ", " << j;
            }
        }
    EXPECT_TRUE(differing.isIntact());
    EXPECT_TRUE(opposite.isIntact());
    EXPECT_TRUE(valid.isIntact());
}

/// The whole as one tile, and two halves against each other.
void expectCountsOfAllTiles(CountingRun& run, const DiscreteSource& source, CountNeeds needs) {
    const std::size_t n = source.shape().instances;
    expectCounts(run, source, needs, {{0, n}, {0, n}});
    if (n >= 2) expectCounts(run, source, needs, {{n / 2, n}, {0, n / 2}});
    const PairTimes times = run.times();
    for (const double stage : {times.pack, times.upload, times.compute, times.download}) EXPECT_GE(stage, 0);
}

void expectSums(SummingRun& run, MatrixView<const float> data, SumTerm term, const PairTile& tile) {
    GuardedMatrix<double> guarded(tile.rows.size(), tile.columns.size());
    const MatrixView<double> sums = guarded.view();
    Progress progress;
    run.sum(tile, sums, progress);
    const double tolerance = summationTolerance(data.columns());
    for (std::size_t i = 0; i < tile.rows.size(); ++i)
        for (std::size_t j = 0; j < tile.columns.size() && tile.columns.begin + j < tile.rows.begin + i;
             ++j) {
            double expected = 0;
            for (std::size_t k = 0; k < data.columns(); ++k) {
                const double d = double{data(tile.rows.begin + i, k)} - data(tile.columns.begin + j, k);
                expected += term == SumTerm::SquaredDifference ? d * d : std::abs(d);
            }
            ASSERT_NEAR(sums(i, j), expected, tolerance * expected) << i << ", " << j;
        }
    EXPECT_TRUE(guarded.isIntact());
}

class GlDistance : public testing::TestWithParam<std::tuple<Dialect, Variant>> {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(std::get<0>(GetParam()));
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        engine_ = gl::engine().create(*shared.backend);
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }

    Variant variant() const { return std::get<1>(GetParam()); }

    void compareCounts(unsigned planes, bool missing) {
        for (const std::size_t instances : {1, 2, 5, 17, 33, 70})
            for (const std::size_t attributes : {1, 3, 64, 65, 129, 1000, 5000}) {
                if (instances > 17 && attributes == 5000 && planes != 2) continue;  // the loop takes long
                SCOPED_TRACE(testing::Message() << instances << " × " << attributes << ", " << planes
                                                << " planes, missing: " << missing);
                const SymbolMatrix source = symbols(instances, attributes, planes, missing);
                const CountNeeds needs{.opposite = planes == 2, .valid = true};
                const Support support = engine_->supports({.variant = variant(), .shape = source.shape()});
                if (!support) GTEST_SKIP() << support.reason();
                const auto run = engine_->startCounting(source, needs, variant());
                EXPECT_EQ(run->variant(), variant());
                expectCountsOfAllTiles(*run, source, needs);
                if (HasFatalFailure()) return;
            }
    }

    std::unique_ptr<PairEngine> engine_;
};

TEST_P(GlDistance, CountsOfGenotypesEqualAPlainLoop) {
    compareCounts(2, false);
}
TEST_P(GlDistance, CountsOfGenotypesWithMissingOnesEqualAPlainLoop) {
    compareCounts(2, true);
}
TEST_P(GlDistance, CountsOfOneBitSymbolsEqualAPlainLoop) {
    compareCounts(1, false);
    compareCounts(1, true);
}
TEST_P(GlDistance, CountsOfFiveBitSymbolsEqualAPlainLoop) {
    compareCounts(5, false);
    compareCounts(5, true);
}
TEST_P(GlDistance, CountsOfEightBitSymbolsEqualAPlainLoop) {
    compareCounts(8, false);
    compareCounts(8, true);
}

TEST_P(GlDistance, SumsOfCoordinatesAgreeWithAPlainLoop) {
    for (const std::size_t instances : {1, 2, 5, 17, 33, 70})
        for (const std::size_t attributes : {1, 3, 64, 65, 129, 1000, 5000})
            for (const SumTerm term : {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference}) {
                SCOPED_TRACE(testing::Message() << instances << " × " << attributes);
                const Matrix<float> data = randomCoordinates(instances, attributes, 3);
                const Support support = engine_->supports({.variant = variant(), .isCoordinates = true});
                if (!support) GTEST_SKIP() << support.reason();
                const auto run = engine_->startSumming(data.view(), term, variant());
                EXPECT_EQ(run->variant(), variant());
                expectSums(*run, data.view(), term, {{0, instances}, {0, instances}});
                if (instances >= 2)
                    expectSums(*run, data.view(), term, {{instances / 2, instances}, {0, instances / 2}});
                if (HasFatalFailure()) return;
            }
}

/// Squares of 1e25 are beyond float32, those of 1e-30 below it: such sums are taken again in double.
TEST_P(GlDistance, SumsBeyondFloatAreTakenAgain) {
    const Support support = engine_->supports({.variant = variant(), .isCoordinates = true});
    if (!support) GTEST_SKIP() << support.reason();
    Matrix<float> data(3, 2);
    const float entries[] = {1e25F, 2, 0, 3.5F, 1e-30F, 3.5F};
    std::copy_n(entries, 6, data.data());
    for (const SumTerm term : {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference}) {
        const auto run = engine_->startSumming(data.view(), term, variant());
        expectSums(*run, data.view(), term, {{0, 3}, {0, 3}});
    }
}

TEST_P(GlDistance, StopsWhenCancelledAndIsFitForTheNextCall) {
    const SymbolMatrix source = symbols(70, 5000, 2, false);
    if (!engine_->supports({.variant = variant(), .shape = source.shape()})) GTEST_SKIP();
    const auto run = engine_->startCounting(source, {}, variant());
    Matrix<std::uint32_t> counts(70, 70);
    int checks = 0;
    Progress progress({}, [&] { return ++checks > 2; });
    EXPECT_THROW(run->count({{0, 70}, {0, 70}}, PairCounts{counts.view(), {}, {}}, progress), CancelledError);
    expectCountsOfAllTiles(*run, source, {});
}

INSTANTIATE_TEST_SUITE_P(All, GlDistance,
                         testing::Combine(testing::ValuesIn(allDialects()),
                                          testing::Values(Variant::Scalar, Variant::Packed, Variant::Bits)),
                         [](const auto& parameters) {
                             return std::string(toString(std::get<0>(parameters.param))) + "_" +
                                    std::string(toString(std::get<1>(parameters.param)));
                         });

class GlDistanceOnGl33 : public testing::Test {
  protected:
    void SetUp() override {
        const OwnedBackend& shared = sharedBackend(Dialect::Gl33);
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }
    glycine::gl::GlBackend* backend_ = nullptr;
};

TEST_F(GlDistanceOnGl33, BitsCountTheSameInEveryStyleOfTheShader) {
    const SymbolMatrix source = symbols(37, 3001, 2, true);
    const CountNeeds needs{.opposite = true, .valid = false};
    for (const std::size_t rowsPerTexel : {8, 4})
        for (const bool bitCount : {false, true})
            for (const bool carrySave : {false, true})
                for (const bool normalised : {false, true}) {
                    if (bitCount && !backend_->gl().features.bitCount) continue;
                    if (rowsPerTexel == 4 && (bitCount || carrySave != normalised)) continue;
                    SCOPED_TRACE(testing::Message() << rowsPerTexel << bitCount << carrySave << normalised);
                    const BitCounting::Style style{rowsPerTexel, bitCount, carrySave, normalised};
                    BitCounting run(*backend_, source, needs, {40, 1024}, style);
                    expectCountsOfAllTiles(run, source, needs);
                }
}

TEST_F(GlDistanceOnGl33, SumsAreTheSameForAnyNumberOfRenderTargets) {
    const Matrix<float> data = randomCoordinates(37, 1030, 5);
    for (const std::size_t rowsPerTexel : {1, 4, 8}) {
        SCOPED_TRACE(rowsPerTexel);
        CoordinateSumming run(*backend_, data.view(), SumTerm::SquaredDifference, {40, 512},
                              {false, 4, rowsPerTexel});
        expectSums(run, data.view(), SumTerm::SquaredDifference, {{0, 37}, {0, 37}});
    }
}

TEST_F(GlDistanceOnGl33, CountsPast16BitsAreAddedUp) {
    // All attributes of instances 0 and 1 differ, and none of 0 and 2.
    constexpr std::size_t kAttributes = 150001;
    Matrix<std::uint8_t> matrix(5, kAttributes, 0);
    std::fill_n(matrix.row(1), kAttributes, std::uint8_t{2});
    std::fill_n(matrix.row(3), kAttributes, std::uint8_t{1});
    const SymbolMatrix source(std::move(matrix), {.planes = 2, .isGenotypes = true});
    for (const bool carrySave : {false, true}) {
        const BitCounting::Style style{8, backend_->gl().features.bitCount, carrySave, false};
        BitCounting run(*backend_, source, {.opposite = true}, {8, 65408}, style);
        expectCountsOfAllTiles(run, source, {.opposite = true, .valid = false});
    }
}

TEST_F(GlDistanceOnGl33, BlocksOfCoordinatesAreAddedOnTheHost) {
    const Matrix<float> data = randomCoordinates(3, 140001, 7);
    const auto run = gl::engine().create(*backend_)->startSumming(data.view(), SumTerm::AbsoluteDifference,
                                                                  Variant::Default);
    EXPECT_EQ(run->variant(), Variant::Packed);
    expectSums(*run, data.view(), SumTerm::AbsoluteDifference, {{0, 3}, {0, 3}});
}

TEST_F(GlDistanceOnGl33, ProgressReachesTheWorkOfTheTile) {
    const SymbolMatrix source = symbols(70, 1000, 2, true);
    for (const Variant variant : {Variant::Packed, Variant::Bits}) {
        double last = 0;
        const PairTile tile{{0, 70}, {0, 70}};
        Progress progress([&](const ProgressUpdate& update) { last = update.fraction; });
        // A part of a millionth may be lost to rounding.
        progress.begin("counting", static_cast<double>(tile.pairs()) * 1000 * (1 - 1e-6));
        Matrix<std::uint32_t> counts(70, 70);
        const auto run = gl::engine().create(*backend_)->startCounting(source, {}, variant);
        run->count(tile, PairCounts{counts.view(), {}, {}}, progress);
        EXPECT_EQ(last, 1) << toString(variant);
    }
}

TEST_F(GlDistanceOnGl33, RefusesWithAReasonBeforeAnyWork) {
    const auto engine = gl::engine().create(*backend_);
    EXPECT_THAT(engine->supports({.variant = Variant::Bits, .isCoordinates = true}).reason(),
                HasSubstr("bits counts symbols"));
    EXPECT_THAT(engine->supports({.variant = Variant::Tensor}).reason(),
                HasSubstr("the backend 'gl' has no variant 'tensor'; it has: scalar, packed, bits"));
    const OwnedBackend& legacy = sharedBackend(Dialect::Gl21);
    if (!legacy.backend) GTEST_SKIP() << legacy.reason;
    const auto old = gl::engine().create(*legacy.backend);
    EXPECT_THAT(old->supports({.variant = Variant::Bits}).reason(),
                HasSubstr("bits needs integer textures, which OpenGL 2.1 lacks"));
    const SymbolMatrix source = symbols(5, 10, 2, false);
    EXPECT_EQ(old->startCounting(source, {}, Variant::Default)->variant(), Variant::Packed);
    backend_->makeCurrent();
}

/// All variants on a device that pretends to be smaller, in tiles that exceed it.
void expectPiecesGiveTheSame(const BackendOptions& options) {
    OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    const auto engine = gl::engine().create(*owned.backend);
    const SymbolMatrix source = symbols(133, 2500, 2, true);
    const CountNeeds needs{.opposite = true, .valid = true};
    const Matrix<float> data = randomCoordinates(133, 700, 9);
    for (const Variant variant : {Variant::Scalar, Variant::Packed, Variant::Bits}) {
        SCOPED_TRACE(toString(variant));
        const PairRequest request{.variant = variant, .shape = source.shape(), .needs = needs};
        ASSERT_TRUE(engine->supports(request)) << engine->supports(request).reason();
        EXPECT_LT(engine->preferredTile(request), 133U);
        const auto counting = engine->startCounting(source, needs, variant);
        expectCountsOfAllTiles(*counting, source, needs);
        if (variant == Variant::Bits) continue;
        const auto summing = engine->startSumming(data.view(), SumTerm::SquaredDifference, variant);
        expectSums(*summing, data.view(), SumTerm::SquaredDifference, {{0, 133}, {0, 133}});
    }
    EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty());
}

TEST(GlDistanceInPieces, PastTheTextureLimit) {
    BackendOptions options;
    options.maxTextureSize = 64;
    OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    // Bits: 64 texels along x hold 512 attributes, and along y the counts of 512 rows, which makes two pieces
    // of 304; the others: 64 instances.
    const SymbolMatrix source = symbols(600, 700, 2, true);
    const auto engine = gl::engine().create(*owned.backend);
    EXPECT_EQ(engine->preferredTile({.variant = Variant::Bits, .shape = source.shape()}), 304U);
    EXPECT_EQ(engine->preferredTile({.variant = Variant::Scalar, .shape = source.shape()}), 64U);
    const CountNeeds needs{.opposite = false, .valid = true};
    for (const Variant variant : {Variant::Scalar, Variant::Packed}) {
        SCOPED_TRACE(toString(variant));
        expectCounts(*engine->startCounting(source, needs, variant), source, needs, {{0, 133}, {0, 133}});
    }
    expectCounts(*engine->startCounting(source, needs, Variant::Bits), source, needs, {{0, 600}, {0, 600}});
    EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty());
}

TEST(GlDistanceInPieces, PastTheMemory) {
    BackendOptions options;
    options.maxDeviceBytes = std::size_t{32} << 10;
    expectPiecesGiveTheSame(options);
}

TEST(GlDistanceInPieces, WithinATinyPassBudget) {
    BackendOptions options;
    options.passBudgetMilliseconds = 1e-3;
    options.maxTextureSize = 128;
    OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    const SymbolMatrix source = symbols(133, 2500, 2, true);
    const auto engine = gl::engine().create(*owned.backend);
    for (const Variant variant : {Variant::Packed, Variant::Bits}) {
        const auto run = engine->startCounting(source, {}, variant);
        expectCounts(*run, source, {}, {{0, 133}, {0, 133}});
    }
}

TEST(GlDistanceInPieces, RefusesWhatDoesNotFitAtAll) {
    BackendOptions options;
    options.maxTextureSize = 8;
    OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    const SymbolMatrix source = symbols(9, 100, 2, false);
    const Support support =
        gl::engine().create(*owned.backend)->supports({.variant = Variant::Bits, .shape = source.shape()});
    EXPECT_FALSE(support);
    EXPECT_THAT(support.reason(), HasSubstr("fit into textures of 8 x 8 texels"));
}

TEST(PanelPlan, TakesTheLargestPiecesThatFit) {
    glycine::gl::GlLimits limits;
    limits.maxTextureSize = 16384;
    limits.maxTextureBytes = std::size_t{1} << 30;
    const pairs::gl::PanelLayout bits = BitCounting::layout({}, {.planes = 2});
    constexpr std::size_t kPlenty = std::size_t{8} << 30;
    // As wide as the data, rounded up to texels; at most what 16 bits can count.
    EXPECT_EQ(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 1000, 500)->side, 1000U);
    EXPECT_EQ(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 1000, 500)->attributes, 512U);
    EXPECT_EQ(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 0, 0)->side, 4096U);
    EXPECT_EQ(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 0, 0)->attributes, 65408U);
    // Pieces of about equal size.
    EXPECT_EQ(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 5000, 0)->side, 2504U);
    EXPECT_EQ(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 0, 150000)->attributes, 50048U);
    // Nine planes: 16384 texels hold 227 groups of 128.
    EXPECT_EQ(pairs::gl::planPanels(BitCounting::layout({}, {.planes = 8, .hasMissing = true}), limits,
                                    kPlenty, 4096, 0, 0)
                  ->attributes,
              227U * 128);
    // Two panels and the target stay within the memory.
    for (const std::size_t bytes : {std::size_t{1} << 15, std::size_t{1} << 20, std::size_t{1} << 26}) {
        const std::optional<pairs::gl::PanelPlan> plan =
            pairs::gl::planPanels(bits, limits, bytes, 4096, 0, 0);
        ASSERT_TRUE(plan) << bytes;
        EXPECT_LE(bits.targetBytes(plan->side) + 2 * bits.panelBytes(plan->side, plan->attributes), bytes);
    }
    EXPECT_FALSE(pairs::gl::planPanels(bits, limits, 100, 4096, 0, 0));
    limits.maxTextureSize = 15;
    EXPECT_FALSE(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 0, 0));
}

}  // namespace
}  // namespace glycine::distance
