// The cuda backend: every variant of `distance` against plain loops. Skips itself where there is no NVIDIA
// driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/algorithms/distance/discrete_data.hpp"
#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/algorithms/distance/pair_sum.hpp"
#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "tests/algorithms/distance/distance_engine_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::distance {
namespace {

using namespace test;
using glycine::cuda::CudaBackend;

constexpr std::size_t kMebibyte = std::size_t(1) << 20;

/// Skips where the device or the machine lacks something that a variant needs.
#define REQUIRE_SUPPORT(engine, request)                              \
    if (const Support support = (engine).supports(request); !support) \
    GTEST_SKIP() << toString((request).variant) << ": " << support.reason()

// --- Data
// ----------------------------------------------------------------------------------------------------

enum class Alphabet { Genotypes, Binary, Dna, Protein, Bytes };

unsigned symbolsOf(Alphabet alphabet) {
    switch (alphabet) {
        case Alphabet::Genotypes:
            return 3;
        case Alphabet::Binary:
            return 2;
        case Alphabet::Dna:
            return 4;
        case Alphabet::Protein:
            return 20;
        case Alphabet::Bytes:
            break;
    }
    return 250;
}

/// Random symbols; with missing entries, the instance in the middle lacks all.
SymbolMatrix makeSymbols(Alphabet alphabet, std::size_t instances, std::size_t attributes, bool hasMissing,
                         unsigned seed = 1) {
    std::mt19937 random(seed);
    const unsigned count = symbolsOf(alphabet);
    Matrix<std::uint8_t> symbols(instances, attributes);
    for (std::size_t i = 0; i < instances; ++i) {
        for (std::size_t k = 0; k < attributes; ++k) {
            symbols(i, k) = static_cast<std::uint8_t>(random() % count);
            if (hasMissing && (i == instances / 2 || random() % 8 == 0)) symbols(i, k) = kMissingSymbol;
        }
    }
    DiscreteShape shape;
    shape.isGenotypes = alphabet == Alphabet::Genotypes;
    shape.planes = 1;
    while ((1U << shape.planes) < count) ++shape.planes;
    return SymbolMatrix(std::move(symbols), shape);
}

/// The counts of a tile by a plain loop.
CountedPairs countPlainly(const SymbolMatrix& source, const PairTile& tile, CountNeeds needs) {
    const DiscreteShape& shape = source.shape();
    Matrix<std::uint8_t> symbols(shape.instances, shape.attributes);
    source.readSymbols({0, shape.instances}, {0, shape.attributes}, symbols.view());
    CountedPairs counted(tile, needs);
    const PairCounts counts = counted.views();
    for (std::size_t i = 0; i < tile.rows.size(); ++i) {
        for (std::size_t j = 0; j < (tile.isDiagonal() ? i : tile.columns.size()); ++j) {
            const std::uint8_t* a = symbols.row(tile.rows.begin + i);
            const std::uint8_t* b = symbols.row(tile.columns.begin + j);
            std::uint32_t differing = 0, opposite = 0, valid = 0;
            for (std::size_t k = 0; k < shape.attributes; ++k) {
                const bool both = a[k] != kMissingSymbol && b[k] != kMissingSymbol;
                differing += both && a[k] != b[k];
                opposite += both && (a[k] + 2 == b[k] || b[k] + 2 == a[k]);
                valid += both;
            }
            counts.differing(i, j) = differing;
            if (needs.opposite) counts.opposite(i, j) = opposite;
            if (needs.valid) counts.valid(i, j) = valid;
        }
    }
    return counted;
}

void expectTile(CountingRun& run, const SymbolMatrix& source, const PairTile& tile, CountNeeds needs) {
    CountedPairs expected = countPlainly(source, tile, needs);
    CountedPairs found = countTile(run, source, tile, needs);
    ASSERT_TRUE(found.agreesWith(expected))
        << "tile (" << tile.rows.begin << ", " << tile.columns.begin << ")";
}

/// The whole as one tile, then tiles of odd sides on and off the diagonal.
void expectCounts(PairEngine& engine, const SymbolMatrix& source, CountNeeds needs, Variant variant,
                  std::size_t side) {
    const auto run = engine.startCounting(source, needs, variant);
    EXPECT_EQ(run->variant(), variant);
    expectTile(*run, source, wholeTile(source.shape().instances), needs);
    for (const PairTile& tile : tilesBelowDiagonal(source.shape().instances, side))
        expectTile(*run, source, tile, needs);
}

std::vector<CountNeeds> allNeeds(Alphabet alphabet) {
    if (alphabet == Alphabet::Genotypes) return {{false, false}, {true, false}, {false, true}, {true, true}};
    return {{false, false}, {false, true}};
}

PairRequest requestFor(const SymbolMatrix& source, CountNeeds needs, Variant variant) {
    PairRequest request;
    request.variant = variant;
    request.shape = source.shape();
    request.needs = needs;
    return request;
}

// --- Every variant
// --------------------------------------------------------------------------------------------

class CudaCounting : public testing::TestWithParam<Variant> {
  protected:
    static bool takesManyPlanes() {
        return GetParam() != Variant::Tensor && GetParam() != Variant::BitTensor;
    }
    static std::vector<Alphabet> alphabets() {
        std::vector<Alphabet> all{Alphabet::Genotypes, Alphabet::Binary, Alphabet::Dna};
        if (takesManyPlanes()) all.insert(all.end(), {Alphabet::Protein, Alphabet::Bytes});
        return all;
    }
};

TEST_P(CudaCounting, equalsPlainLoops) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const std::vector<std::pair<std::size_t, std::size_t>> sizes{{1, 1},   {2, 1},    {2, 63},  {3, 64},
                                                                 {37, 65}, {130, 95}, {67, 777}};
    for (const Alphabet alphabet : alphabets()) {
        for (const bool hasMissing : {false, true}) {
            for (const auto& [instances, attributes] : sizes) {
                const SymbolMatrix source = makeSymbols(alphabet, instances, attributes, hasMissing);
                for (const CountNeeds needs : allNeeds(alphabet)) {
                    SCOPED_TRACE(testing::Message()
                                 << symbolsOf(alphabet) << " symbols, missing " << hasMissing << ", "
                                 << instances << " x " << attributes << ", opposite " << needs.opposite
                                 << ", valid " << needs.valid);
                    REQUIRE_SUPPORT(*engine, requestFor(source, needs, GetParam()));
                    expectCounts(*engine, source, needs, GetParam(), (instances + 2) / 3);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
    EXPECT_EQ(backend->memory().used(), 0U);
}

TEST_P(CudaCounting, takesManyInstancesAndManyAttributes) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    for (const auto& [instances, attributes] :
         std::vector<std::pair<std::size_t, std::size_t>>{{601, 900}, {23, 20001}, {5, 300007}}) {
        for (const bool hasMissing : {false, true}) {
            const SymbolMatrix source = makeSymbols(Alphabet::Genotypes, instances, attributes, hasMissing);
            const CountNeeds needs{hasMissing, hasMissing};
            REQUIRE_SUPPORT(*engine, requestFor(source, needs, GetParam()));
            expectCounts(*engine, source, needs, GetParam(), 259);
        }
    }
}

TEST_P(CudaCounting, worksWithinLittleMemory) {
    // The int8 products have a workspace, and results of up to four products.
    const bool isTensor = GetParam() == Variant::Tensor;
    const std::size_t limit = (isTensor ? 16 : 4) * kMebibyte;
    REQUIRE_BACKEND(backend, limit);
    const auto engine = cuda::engine().create(*backend);
    const bool isPublished = takesManyPlanes() && GetParam() != Variant::Bitplane;
    const bool readsIntegers = GetParam() == Variant::Naive || GetParam() == Variant::Coalesced;
    // More than the device holds at once. The published kernels keep all symbols, but not all results.
    const std::size_t instances = isPublished ? 700 : isTensor ? 131 : 530;
    const std::size_t attributes = isPublished ? (readsIntegers ? 1000 : 4800) : isTensor ? 150001 : 17001;
    for (const bool hasMissing : {false, true}) {
        const SymbolMatrix source = makeSymbols(Alphabet::Genotypes, instances, attributes, hasMissing);
        const CountNeeds needs{hasMissing, hasMissing};
        REQUIRE_SUPPORT(*engine, requestFor(source, needs, GetParam()));
        const auto run = engine->startCounting(source, needs, GetParam());
        if (!isPublished) {
            EXPECT_THAT(run->note(), testing::HasSubstr("streamed"));
        }
        for (const PairTile& tile : tilesBelowDiagonal(instances, instances * 3 / 4))
            expectTile(*run, source, tile, needs);
        EXPECT_LE(backend->memory().used(), limit);
    }
    EXPECT_EQ(backend->memory().used(), 0U);
}

TEST_P(CudaCounting, refusesWhatDoesNotFitTheDevice) {
    REQUIRE_BACKEND(backend, std::size_t(1) << 14);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix source = makeSymbols(Alphabet::Genotypes, 200, 200, false);
    const Support support = engine->supports(requestFor(source, {}, GetParam()));
    ASSERT_FALSE(support);
    EXPECT_THAT(support.reason(),
                testing::AnyOf(testing::HasSubstr("device memory"), testing::HasSubstr("cuBLASLt"),
                               testing::HasSubstr("compute capability")));
}

TEST_P(CudaCounting, stopsWhenCancelled) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix source = makeSymbols(Alphabet::Genotypes, 100, 500, false);
    REQUIRE_SUPPORT(*engine, requestFor(source, {}, GetParam()));
    CountedPairs counted(wholeTile(100), {});
    for (const int looksBefore : {0, 1}) {
        int looks = 0;
        Progress cancelled({}, [&] { return ++looks > looksBefore; });
        const auto run = engine->startCounting(source, {}, GetParam());
        EXPECT_THROW(run->count(wholeTile(100), counted.views(), cancelled), CancelledError);
    }
    EXPECT_EQ(backend->memory().used(), 0U);
    expectCounts(*engine, source, {}, GetParam(), 100);
}

TEST_P(CudaCounting, takesTheTimeOfItsStages) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix source = makeSymbols(Alphabet::Genotypes, 112, 512, false);
    REQUIRE_SUPPORT(*engine, requestFor(source, {}, GetParam()));
    const auto run = engine->startCounting(source, {}, GetParam());
    EXPECT_EQ(run->times().total(), 0);
    expectTile(*run, source, wholeTile(112), {});
    const PairTimes first = run->times();
    EXPECT_GT(first.pack, 0);
    EXPECT_GT(first.upload, 0);
    EXPECT_GT(first.compute, 0);
    EXPECT_GT(first.download, 0);
    expectTile(*run, source, wholeTile(112), {});
    EXPECT_EQ(run->times().pack, first.pack) << "operands stay on the device";
    EXPECT_GT(run->times().compute, first.compute);
}

INSTANTIATE_TEST_SUITE_P(AllVariants, CudaCounting,
                         testing::Values(Variant::Naive, Variant::Coalesced, Variant::Char4,
                                         Variant::Register, Variant::Shared, Variant::Bitplane,
                                         Variant::BitTensor, Variant::Tensor),
                         [](const auto& instance) { return std::string(toString(instance.param)); });

TEST(CudaCounting, choosesByItself) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const SymbolMatrix genotypes = makeSymbols(Alphabet::Genotypes, 10, 10, false);
    const Variant forFew = engine->startCounting(genotypes, {}, Variant::Default)->variant();
    EXPECT_EQ(forFew, backend->computeCapability() >= 80 && backend->computeCapability() < 100
                          ? Variant::BitTensor
                          : Variant::Bitplane);
    const SymbolMatrix protein = makeSymbols(Alphabet::Protein, 10, 10, false);
    EXPECT_EQ(engine->startCounting(protein, {}, Variant::Default)->variant(), Variant::Bitplane);
}

TEST(CudaCounting, sharesOneResultAmongThousands) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const std::size_t n = 3001;
    const SymbolMatrix source = makeSymbols(Alphabet::Genotypes, n, 5003, true);
    const CountNeeds needs{true, true};
    const auto countWith = [&](Variant variant) {
        return countTile(*engine, source, wholeTile(n), needs, variant);
    };
    CountedPairs expected = countWith(Variant::Shared);
    for (const Variant variant : {Variant::Bitplane, Variant::BitTensor, Variant::Tensor}) {
        if (!engine->supports(requestFor(source, needs, variant))) continue;
        CountedPairs found = countWith(variant);
        EXPECT_TRUE(found.agreesWith(expected)) << toString(variant);
    }
}

TEST(CudaCounting, refusesWithAReason) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const auto reasonFor = [&](const PairRequest& request) { return engine->supports(request).reason(); };
    PairRequest request;
    request.shape = {10, 10, 5, false, false};
    request.variant = Variant::BitTensor;
    EXPECT_THAT(reasonFor(request), testing::HasSubstr("5 planes"));
    request.variant = Variant::Tensor;
    EXPECT_THAT(reasonFor(request), testing::HasSubstr("5 planes"));
    request.variant = Variant::Packed;
    EXPECT_THAT(reasonFor(request), testing::HasSubstr("packed"));
    request.variant = Variant::Direct;
    EXPECT_THAT(reasonFor(request), testing::HasSubstr("coordinates"));
    request.isCoordinates = true;
    EXPECT_EQ(reasonFor(request), "");
    request.variant = Variant::Shared;
    EXPECT_THAT(reasonFor(request), testing::HasSubstr("direct"));
    EXPECT_FALSE(cuda::engine().variants.empty());
}

// --- Coordinates
// ----------------------------------------------------------------------------------------------

Matrix<float> makeCoordinates(std::size_t instances, std::size_t attributes, float scale = 1) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    Matrix<float> coordinates(instances, attributes);
    for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t k = 0; k < attributes; ++k) coordinates(i, k) = scale * normal(random);
    return coordinates;
}

void expectSums(PairEngine& engine, const Matrix<float>& coordinates, SumTerm term, std::size_t side) {
    const double tolerance = summationTolerance(coordinates.columns());
    std::vector<PairTile> tiles = tilesBelowDiagonal(coordinates.rows(), side);
    tiles.push_back(wholeTile(coordinates.rows()));
    for (const PairTile& tile : tiles) {
        GuardedMatrix<double> sums = sumTile(engine, coordinates.view(), term, tile);
        for (std::size_t i = 0; i < tile.rows.size(); ++i) {
            for (std::size_t j = 0; j < (tile.isDiagonal() ? i : tile.columns.size()); ++j) {
                const double expected =
                    sumOfTerms(coordinates.row(tile.rows.begin + i), coordinates.row(tile.columns.begin + j),
                               coordinates.columns(), term);
                ASSERT_NEAR(sums.view()(i, j), expected, tolerance * expected) << i << ", " << j;
            }
        }
    }
}

TEST(CudaSumming, equalsPlainLoops) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    for (const SumTerm term : {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference})
        for (const auto& [instances, attributes] : std::vector<std::pair<std::size_t, std::size_t>>{
                 {1, 1}, {2, 3}, {65, 257}, {130, 1000}, {301, 15}, {7, 20011}})
            expectSums(*engine, makeCoordinates(instances, attributes), term, (instances + 2) / 3);
}

TEST(CudaSumming, worksWithinLittleMemory) {
    REQUIRE_BACKEND(backend, 6 * kMebibyte);
    const auto engine = cuda::engine().create(*backend);
    expectSums(*engine, makeCoordinates(300, 5003), SumTerm::SquaredDifference, 170);
    EXPECT_EQ(backend->memory().used(), 0U);
}

TEST(CudaSumming, repairsWhatLeavesTheRangeOfFloats) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    for (const float scale : {1e25F, 1e-25F})
        for (const SumTerm term : {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference})
            expectSums(*engine, makeCoordinates(20, 100, scale), term, 9);
}

TEST(CudaSumming, isTheSameFromRunToRun) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::engine().create(*backend);
    const Matrix<float> coordinates = makeCoordinates(200, 3000);
    const PairTile tile{{100, 200}, {0, 100}};
    GuardedMatrix<double> first = sumTile(*engine, coordinates.view(), SumTerm::SquaredDifference, tile);
    GuardedMatrix<double> second = sumTile(*engine, coordinates.view(), SumTerm::SquaredDifference, tile);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_TRUE(std::equal(first.view().row(i), first.view().row(i) + 100, second.view().row(i)));
}

}  // namespace
}  // namespace glycine::distance
