// Parts of the gl engine of `distance`: every style of its shaders, and tiles and panels for given limits.
// Counts and sums: tests/backends/distance_backends_test.cpp.

#include "engine/distance/random_data.hpp"
#include "engine/gl/distance/bit_counting.hpp"
#include "engine/gl/distance/float_runs.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/distance/distance_engine_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

using namespace gl;

class GlPairStyles : public OnGl {};

TEST_F(GlPairStyles, CountTheSame) {
    const SymbolMatrix source = makeSymbols(kGenotypes, 37, 3001, true);
    CountedPairs expected = countPlainly(source);
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
                    expectCounts(run, source, needs, halvesOf(37), expected);
                }
}

TEST_F(GlPairStyles, CountPast16Bits) {
    // All attributes differ between instances 0 and 1, and none between 0 and 2.
    constexpr std::size_t kAttributes = 150001;
    Matrix<std::uint8_t> matrix(5, kAttributes, 0);
    std::fill_n(matrix.row(1), kAttributes, std::uint8_t{2});
    std::fill_n(matrix.row(3), kAttributes, std::uint8_t{1});
    const SymbolMatrix source(std::move(matrix), {.planes = 2, .isGenotypes = true});
    CountedPairs expected = countPlainly(source);
    for (const bool carrySave : {false, true}) {
        const BitCounting::Style style{8, backend_->gl().features.bitCount, carrySave, false};
        BitCounting run(*backend_, source, {.opposite = true}, {8, 65408}, style);
        expectCounts(run, source, {.opposite = true}, halvesOf(5), expected);
    }
}

TEST_F(GlPairStyles, SumTheSameForAnyNumberOfRenderTargets) {
    const Matrix<float> coordinates = randomCoordinates(37, 1030, 5);
    const Matrix<double> expected = sumPlainly(coordinates, SumTerm::SquaredDifference);
    for (const std::size_t rowsPerTexel : {1, 4, 8}) {
        SCOPED_TRACE(rowsPerTexel);
        CoordinateSumming run(*backend_, coordinates.view(), SumTerm::SquaredDifference, {40, 512},
                              {false, 4, rowsPerTexel});
        expectSums(run, coordinates, {wholeTile(37)}, expected);
    }
}

TEST(GlPairs, ChooseWhatTheDialectHas) {
    for (const Dialect dialect : allDialects()) {
        const OwnedBackend& shared = sharedBackend(dialect);
        if (!shared.backend) continue;
        shared.backend->makeCurrent();
        const auto engine = gl::engine().create(*shared.backend);
        const SymbolMatrix source = makeSymbols(kGenotypes, 5, 10, false);
        EXPECT_EQ(engine->startCounting(source, {}, Variant::Default)->variant(),
                  dialect == Dialect::Gl21 ? Variant::Packed : Variant::Bits);
        const Matrix<float> coordinates = randomCoordinates(3, 10, 7);
        EXPECT_EQ(engine->startSumming(coordinates.view(), SumTerm::AbsoluteDifference, Variant::Default)
                      ->variant(),
                  Variant::Packed);
    }
}

TEST(GlPairs, PreferTilesThatFit) {
    BackendOptions options;
    options.maxTextureSize = 64;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    // Bits: 64 texels along x hold 512 attributes, and along y the counts of 512 rows, which gives two pieces
    // of 304. The others: 64 instances.
    const SymbolMatrix source = makeSymbols(kGenotypes, 600, 700, true);
    const auto engine = gl::engine().create(*owned.backend);
    EXPECT_EQ(engine->preferredTile({.variant = Variant::Bits, .shape = source.shape()}), 304U);
    EXPECT_EQ(engine->preferredTile({.variant = Variant::Scalar, .shape = source.shape()}), 64U);
    const CountNeeds needs{.opposite = false, .valid = true};
    CountedPairs expected = countPlainly(source);
    expectCounts(*engine->startCounting(source, needs, Variant::Bits), source, needs, {wholeTile(600)},
                 expected);
}

TEST(GlPairs, RefusesWhatDoesNotFitAtAll) {
    BackendOptions options;
    options.maxTextureSize = 8;
    OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    const SymbolMatrix source = makeSymbols(kGenotypes, 9, 100, false);
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
    // As wide as the data, rounded up to texels; at most the range of 16-bit counts.
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
    // Two panels and the target fit into the memory.
    for (const std::size_t bytes : {std::size_t{1} << 15, std::size_t{1} << 20, std::size_t{1} << 26}) {
        const std::optional<pairs::gl::PanelPlan> plan =
            pairs::gl::planPanels(bits, limits, bytes, 4096, 0, 0);
        ASSERT_TRUE(plan) << bytes;
        EXPECT_LE(bits.targetBytes(plan->side) + 2 * bits.panelBytes(plan->side, plan->attributes), bytes);
    }
    EXPECT_FALSE(pairs::gl::planPanels(bits, limits, 100, 4096, 0, 0));
    const std::size_t least = pairs::gl::bytesForSmallestPieces(bits);
    EXPECT_FALSE(pairs::gl::planPanels(bits, limits, least - 1, 4096, 0, 0));
    EXPECT_TRUE(pairs::gl::planPanels(bits, limits, least, 4096, 0, 0));
    limits.maxTextureSize = 15;
    EXPECT_FALSE(pairs::gl::planPanels(bits, limits, kPlenty, 4096, 0, 0));
}

}  // namespace
}  // namespace glycine::distance
