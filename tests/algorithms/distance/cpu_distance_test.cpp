// The cpu engine of `distance` against the reference, with every instruction set that this machine has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "engine/algorithms/distance/cpu/plane_panels.hpp"
#include "engine/algorithms/distance/cpu/sub_tiles.hpp"
#include "engine/algorithms/distance/random_data.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "tests/algorithms/distance/distance_engine_fixtures.hpp"

namespace glycine::distance {
namespace {

using namespace cpu;
using namespace test;
using testing::HasSubstr;

std::vector<InstructionSet> availableSets() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
        if (set <= detectInstructionSet()) sets.push_back(set);
    return sets;
}

std::unique_ptr<PairEngine> makeCpu(InstructionSet set, int threads) {
    HostBackend backend("cpu", threads, set);
    return cpu::engine().create(backend);
}

std::unique_ptr<PairEngine> makeReference() {
    HostBackend backend("reference", 1);
    return reference::engine().create(backend);
}

/// All counts that make sense for a shape.
std::vector<CountNeeds> allNeeds(const DiscreteShape& shape) {
    std::vector<CountNeeds> needs{{false, false}, {false, true}};
    if (shape.isGenotypes) needs.insert(needs.end(), {{true, false}, {true, true}});
    return needs;
}

void expectReferenceCounts(const DiscreteSource& source, const PairTile& tile) {
    for (const CountNeeds needs : allNeeds(source.shape())) {
        CountedPairs expected = countTile(*makeReference(), source, tile, needs);
        for (const InstructionSet set : availableSets()) {
            SCOPED_TRACE(testing::Message()
                         << source.shape().instances << " x " << source.shape().attributes << ", "
                         << source.shape().planes << " planes, missing " << source.shape().hasMissing << ", "
                         << toString(set) << ", opposite " << needs.opposite << ", valid " << needs.valid);
            CountedPairs found = countTile(*makeCpu(set, 2), source, tile, needs);
            ASSERT_TRUE(found.agreesWith(expected));
        }
    }
}

TEST(CpuDistance, CountsGenotypesOfAnySize) {
    for (const std::size_t instances : {1, 2, 5, 17, 33})
        for (const std::size_t attributes : {1, 2, 3, 63, 64, 65, 127, 129, 511, 513, 1000, 4100})
            for (const double missing : {0.0, 0.1}) {
                const auto source = randomGenotypes({.instances = instances,
                                                     .attributes = attributes,
                                                     .seed = attributes,
                                                     .missing = missing,
                                                     .uniform = true});
                expectReferenceCounts(*source, wholeTile(instances));
            }
}

TEST(CpuDistance, CountsWithAnyNumberOfPlanes) {
    for (unsigned planes = 1; planes <= 8; ++planes)
        for (const std::size_t attributes : {1, 100, 2600})
            for (const double missing : {0.0, 0.2}) {
                const unsigned symbols = std::min(1U << planes, 255U);
                const auto source = randomSymbols(9, attributes, symbols, missing, planes);
                ASSERT_EQ(source->shape().planes, planes);
                expectReferenceCounts(*source, wholeTile(9));
            }
}

TEST(CpuDistance, CountsTilesBesideTheDiagonal) {
    const auto source =
        randomGenotypes({.instances = 90, .attributes = 700, .seed = 2, .missing = 0.05, .uniform = false});
    for (const PairTile& tile : {PairTile{{70, 90}, {0, 70}}, PairTile{{89, 90}, {3, 4}},
                                 PairTile{{40, 77}, {5, 38}}, PairTile{{13, 90}, {13, 90}}})
        expectReferenceCounts(*source, tile);
}

TEST(CpuDistance, InstancesWithoutAnyEntry) {
    const auto random =
        randomGenotypes({.instances = 12, .attributes = 333, .seed = 4, .missing = 0.3, .uniform = true});
    Matrix<std::uint8_t> symbols(12, 333);
    random->readSymbols({0, 12}, {0, 333}, symbols.view());
    for (const std::size_t instance : {0, 5, 6, 11}) std::fill_n(symbols.row(instance), 333, kMissingSymbol);
    expectReferenceCounts(SymbolMatrix(std::move(symbols), random->shape()), wholeTile(12));
    const SymbolMatrix nothing(Matrix<std::uint8_t>(3, 70, kMissingSymbol), random->shape());
    expectReferenceCounts(nothing, wholeTile(3));
}

// So many pairs that several threads take part.
TEST(CpuDistance, CountsManyPairs) {
    const auto source =
        randomGenotypes({.instances = 301, .attributes = 1001, .seed = 6, .missing = 0.1, .uniform = false});
    expectReferenceCounts(*source, wholeTile(301));
    expectReferenceCounts(*source, {{101, 301}, {0, 101}});
}

// Several chunks, and several blocks that are read one after the other.
TEST(CpuDistance, CountsManyAttributes) {
    const auto source = randomGenotypes(
        {.instances = 33, .attributes = 700'001, .seed = 5, .missing = 0.02, .uniform = true});
    CountedPairs expected = countTile(*makeReference(), *source, wholeTile(33), {true, true});
    for (const InstructionSet set : availableSets())
        for (const int threads : {1, 3}) {
            CountedPairs found = countTile(*makeCpu(set, threads), *source, wholeTile(33), {true, true});
            EXPECT_TRUE(found.agreesWith(expected)) << toString(set) << ", " << threads << " threads";
        }
}

// One run goes through several tiles, and keeps operands between them.
TEST(CpuDistance, CountsTileAfterTile) {
    const auto source = randomSymbols(100, 3000, 4, 0.1, 8);
    CountedPairs expected = countTile(*makeReference(), *source, wholeTile(100), {false, true});
    const auto engine = makeCpu(detectInstructionSet(), 2);
    const auto run = engine->startCounting(*source, {false, true}, Variant::Bitplane);
    for (const PairTile& tile :
         {PairTile{{0, 30}, {0, 30}}, PairTile{{30, 60}, {0, 30}}, PairTile{{30, 60}, {30, 60}},
          PairTile{{60, 100}, {0, 30}}, PairTile{{60, 100}, {30, 60}}, PairTile{{60, 100}, {60, 100}}}) {
        CountedPairs found = countTile(*run, *source, tile, {false, true});
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c)
                ASSERT_EQ(found.pair(r, c), expected.pair(tile.rows.begin + r, tile.columns.begin + c));
    }
    EXPECT_EQ(run->variant(), Variant::Bitplane);
    EXPECT_GT(run->times().compute, 0);
    EXPECT_GT(run->times().pack, 0);
}

/// Counts how often it is read.
class CountedReads final : public DiscreteSource {
  public:
    explicit CountedReads(const DiscreteSource& source) : source_(source) {}
    const DiscreteShape& shape() const override { return source_.shape(); }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        source_.readSymbols(instances, attributes, target);
    }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        ++reads;
        return source_.readPlanes(instances, attributes);
    }
    mutable std::atomic<int> reads{0};

  private:
    const DiscreteSource& source_;
};

TEST(PanelCache, KeepsWhatWasUsedLast) {
    const auto random = randomGenotypes({.instances = 12, .attributes = 1000, .seed = 1, .uniform = true});
    const CountedReads source(*random);
    const CountKind kind{.planes = 2, .hasMissing = false, .needs = {}};
    const std::size_t bytes = PlanePanel::words(4, 1000, kind) * sizeof(std::uint64_t);
    EXPECT_EQ(bytes, 4U * 2 * 2 * 64);  // instances, planes, units of 64 bytes
    PanelCache cache(source, kind, 2 * bytes);
    cache.panel({0, 4}, {0, 1000}, 2);
    const auto first = cache.panel({0, 4}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 1);
    cache.panel({4, 8}, {0, 1000}, 2);
    cache.panel({0, 4}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 2);
    // The third displaces the second; `first` is in use and stays as it is.
    cache.panel({8, 12}, {0, 1000}, 2);
    cache.panel({0, 4}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 3);
    cache.panel({4, 8}, {0, 1000}, 2);
    cache.panel({8, 12}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 5);
    const PlanePanel again(random->readPlanes({0, 4}, {0, 1000}), kind, {}, 1);
    EXPECT_EQ(std::memcmp(first->strip(0, 0), again.strip(0, 0), bytes), 0);
}

TEST(PanelCache, MayKeepNothing) {
    const auto random = randomGenotypes({.instances = 4, .attributes = 2000, .seed = 1, .uniform = true});
    PanelCache cache(*random, {.planes = 2, .hasMissing = false, .needs = {}}, 0);
    for (const Range attributes : {Range{0, 1024}, Range{1024, 2000}}) {
        const PlanePanel expected(random->readPlanes({0, 4}, attributes),
                                  {.planes = 2, .hasMissing = false, .needs = {}}, {}, 1);
        const auto panel = cache.panel({0, 4}, attributes, 2);
        EXPECT_EQ(std::memcmp(panel->strip(0, 0), expected.strip(0, 0), panel->units(0) * 4 * 2 * 64), 0);
    }
}

TEST(SubTiles, CoverEachPairOnce) {
    for (const PairTile& tile : {PairTile{{0, 1}, {0, 1}}, PairTile{{7, 150}, {7, 150}},
                                 PairTile{{64, 200}, {0, 64}}, PairTile{{10, 13}, {2, 9}}}) {
        std::size_t pairs = 0;
        for (const PairTile& part : subTiles(tile, 64, 4, 2)) {
            pairs += part.pairs();
            EXPECT_EQ((part.rows.begin - tile.rows.begin) % 4, 0U);
            EXPECT_EQ((part.columns.begin - tile.columns.begin) % 4, 0U);
            EXPECT_LE(part.rows.end, tile.rows.end);
            EXPECT_LE(part.columns.end, tile.columns.end);
            if (tile.isDiagonal() && !part.isDiagonal()) {
                EXPECT_LE(part.columns.end, part.rows.begin);
            }
        }
        EXPECT_EQ(pairs, tile.pairs());
    }
    EXPECT_GE(subTiles({{0, 64}, {0, 64}}, 64, 4, 2).size(), 10U);
}

/// Largest relative difference of two results.
double largestDifference(GuardedMatrix<double>& a, GuardedMatrix<double>& b, const PairTile& tile) {
    double largest = 0;
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c) {
            const double x = a.view()(r, c);
            const double y = b.view()(r, c);
            if (x != y) largest = std::max(largest, std::abs(x - y) / std::abs(y));
            if (std::isnan(x)) return std::numeric_limits<double>::infinity();
        }
    return largest;
}

void expectReferenceSums(const Matrix<float>& coordinates, const PairTile& tile) {
    for (const SumTerm term : {SumTerm::AbsoluteDifference, SumTerm::SquaredDifference}) {
        GuardedMatrix<double> expected = sumTile(*makeReference(), coordinates.view(), term, tile);
        GuardedMatrix<double> generic =
            sumTile(*makeCpu(InstructionSet::Generic, 1), coordinates.view(), term, tile);
        SCOPED_TRACE(testing::Message() << coordinates.rows() << " x " << coordinates.columns() << ", term "
                                        << static_cast<int>(term));
        EXPECT_LE(largestDifference(generic, expected, tile), summationTolerance(coordinates.columns()));
        for (const InstructionSet set : availableSets()) {
            GuardedMatrix<double> found = sumTile(*makeCpu(set, 3), coordinates.view(), term, tile);
            EXPECT_EQ(largestDifference(found, generic, tile), 0) << toString(set);
        }
    }
}

TEST(CpuDistance, SumsCoordinatesOfAnySize) {
    for (const std::size_t instances : {1, 2, 5, 17, 33, 70})
        for (const std::size_t attributes : {1, 2, 3, 63, 64, 65, 127, 255, 256, 257, 1000})
            expectReferenceSums(randomCoordinates(instances, attributes, attributes), wholeTile(instances));
}

TEST(CpuDistance, SumsTilesBesideTheDiagonal) {
    const Matrix<float> coordinates = randomCoordinates(90, 300, 3);
    for (const PairTile& tile : {PairTile{{70, 90}, {0, 70}}, PairTile{{89, 90}, {3, 4}},
                                 PairTile{{40, 77}, {5, 38}}, PairTile{{13, 90}, {13, 90}}})
        expectReferenceSums(coordinates, tile);
}

// Several blocks of attributes that are packed one after the other.
TEST(CpuDistance, SumsManyAttributes) {
    expectReferenceSums(randomCoordinates(20, 300'000, 3), wholeTile(20));
}

// Squares that float32 cannot hold, or holds with few bits only, beside ordinary ones.
TEST(CpuDistance, SumsCoordinatesOfAnyMagnitude) {
    Matrix<float> coordinates = randomCoordinates(24, 40, 3);
    const float scales[] = {1, 1e-42F, 1e-30F, 1e-23F, 1e-20F, 1e10F, 1e20F, 1e38F};
    for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t k = 0; k < 40; ++k) coordinates(i, k) *= scales[i / 3];
    std::copy_n(coordinates.row(3), 40, coordinates.row(4));
    std::copy_n(coordinates.row(0), 40, coordinates.row(2));
    expectReferenceSums(coordinates, wholeTile(24));
}

TEST(CpuDistance, ChoosesTheVariantByTheData) {
    const auto engine = makeCpu(InstructionSet::Generic, 1);
    PairRequest symbols;
    symbols.shape = {.instances = 10, .attributes = 10, .planes = 2};
    PairRequest coordinates;
    coordinates.isCoordinates = true;
    coordinates.shape.instances = coordinates.shape.attributes = 10;
    for (PairRequest* request : {&symbols, &coordinates}) EXPECT_TRUE(engine->supports(*request));
    for (PairRequest* request : {&symbols, &coordinates}) request->variant = Variant::Bitplane;
    EXPECT_TRUE(engine->supports(symbols));
    EXPECT_THAT(engine->supports(coordinates).reason(), HasSubstr("for coordinates: direct"));
    for (PairRequest* request : {&symbols, &coordinates}) request->variant = Variant::Direct;
    EXPECT_THAT(engine->supports(symbols).reason(), HasSubstr("for symbols: bitplane"));
    EXPECT_TRUE(engine->supports(coordinates));
    for (PairRequest* request : {&symbols, &coordinates}) request->variant = Variant::Serial;
    EXPECT_THAT(engine->supports(symbols).reason(), HasSubstr("it has: bitplane, direct"));
    EXPECT_THAT(engine->supports(coordinates).reason(), HasSubstr("it has: bitplane, direct"));
    const Matrix<float> values(10, 10, 0.0F);
    EXPECT_EQ(engine->startSumming(values.view(), SumTerm::AbsoluteDifference, Variant::Default)->variant(),
              Variant::Direct);
    std::vector<std::string> names;
    for (const VariantInfo& info : cpu::engine().variants) {
        names.push_back(info.name);
        EXPECT_TRUE(info.isDefault);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"bitplane", "direct"}));
}

TEST(CpuDistance, PrefersEqualTiles) {
    const auto engine = makeCpu(InstructionSet::Generic, 1);
    PairRequest request;
    EXPECT_EQ(engine->preferredTile(request), 4096U);
    for (const auto& [instances, tile] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {4096, 4096}, {4097, 2049}, {10000, 3334}}) {
        request.shape.instances = instances;
        EXPECT_EQ(engine->preferredTile(request), tile);
    }
}

TEST(CpuDistance, CanBeCancelled) {
    const auto engine = makeCpu(detectInstructionSet(), 2);
    std::atomic<int> asked{0};
    Progress progress({}, [&] { return ++asked > 3; });
    const auto source = randomGenotypes({.instances = 200, .attributes = 1000, .seed = 1, .uniform = true});
    CountedPairs counted(wholeTile(200), {});
    EXPECT_THROW(engine->startCounting(*source, {}, Variant::Default)
                     ->count(wholeTile(200), counted.views(), progress),
                 CancelledError);
    asked = 0;
    Matrix<double> sums(200, 200);
    const Matrix<float> coordinates = randomCoordinates(200, 100, 1);
    EXPECT_THROW(engine->startSumming(coordinates.view(), SumTerm::AbsoluteDifference, Variant::Default)
                     ->sum(wholeTile(200), sums.view(), progress),
                 CancelledError);
}

TEST(CpuDistance, RefusesAnotherBackend) {
    class Other : public Backend {
      public:
        std::string_view name() const override { return "cpu"; }
        std::string device() const override { return {}; }
        std::string driver() const override { return {}; }
        const Capabilities& capabilities() const override { return capabilities_; }

      private:
        Capabilities capabilities_;
    } other;
    EXPECT_THROW(cpu::engine().create(other), UsageError);
}

}  // namespace
}  // namespace glycine::distance
