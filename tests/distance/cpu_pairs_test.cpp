// Parts of the cpu engine of `distance`: panels, sub-tiles and tiles. Neither instruction set nor number of
// threads affects a result. Counts and sums: tests/backends/distance_backends_test.cpp.
#include "engine/distance/cpu/plane_panels.hpp"
#include "engine/distance/random_data.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/distance/distance_engine_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

using namespace cpu;

std::unique_ptr<DistanceEngine> makeCpu(InstructionSet set, int threads) {
    HostBackend backend("cpu", threads, set);
    return cpu::engine().create(backend);
}

/// Calls `ask` with an engine for each instruction set of this machine and for several numbers of threads.
template <class Ask>
void onAllEngines(Ask&& ask) {
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
        for (const int threads : {1, 3}) {
            if (set > detectInstructionSet()) continue;
            SCOPED_TRACE(testing::Message() << toString(set) << ", " << threads << " threads");
            ask(*makeCpu(set, threads));
        }
}

// Several chunks, and several blocks that are read one after another.
TEST(CpuPairs, CountTheSameOnAnyNumberOfThreads) {
    const auto source = randomGenotypes(
        {.instances = 33, .attributes = 700'001, .seed = 5, .missing = 0.02, .uniform = true});
    const auto generic = makeCpu(InstructionSet::Generic, 2);
    CountedPairs expected = countTile(*generic, *source, wholeTile(33), {true, true});
    onAllEngines([&](DistanceEngine& engine) {
        EXPECT_TRUE(countTile(engine, *source, wholeTile(33), {true, true}).agreesWith(expected));
    });
}

TEST(CpuPairs, SumToTheSameBits) {
    const auto expectSameBitsOf = [](const auto& coordinates, const PairTile& tile) {
        for (const SumTerm term : kSumTerms) {
            const auto sum = [&](DistanceEngine& engine) {
                return sumTile(engine, coordinates.view(), term, tile);
            };
            GuardedMatrix<double> expected = sum(*makeCpu(InstructionSet::Generic, 2));
            onAllEngines([&](DistanceEngine& engine) {
                GuardedMatrix<double> found = sum(engine);
                for (std::size_t r = 0; r < tile.rows.size(); ++r)
                    for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c)
                        ASSERT_EQ(found.view()(r, c), expected.view()(r, c)) << r << ", " << c;
            });
        }
    };
    const auto expectSameBits = [&](const Matrix<float>& coordinates, const PairTile& tile) {
        expectSameBitsOf(coordinates, tile);
        expectSameBitsOf(widened(coordinates), tile);
    };
    for (const std::size_t instances : {1, 2, 5, 17, 33, 70})
        for (const std::size_t attributes : {1, 2, 3, 63, 64, 65, 127, 255, 256, 257, 1000})
            expectSameBits(randomCoordinates(instances, attributes, attributes), wholeTile(instances));
    const Matrix<float> coordinates = randomCoordinates(90, 300, 3);
    for (const PairTile& tile : {PairTile{{70, 90}, {0, 70}}, PairTile{{89, 90}, {3, 4}},
                                 PairTile{{40, 77}, {5, 38}}, PairTile{{13, 90}, {13, 90}}})
        expectSameBits(coordinates, tile);
    // Several blocks of attributes that are packed one after another.
    expectSameBits(randomCoordinates(20, 300'000, 3), wholeTile(20));
    // Squares that float32 cannot hold, or holds with few bits only, next to ordinary ones.
    Matrix<float> scaled = randomCoordinates(24, 40, 3);
    const float scales[] = {1, 1e-42F, 1e-30F, 1e-23F, 1e-20F, 1e10F, 1e20F, 1e38F};
    for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t k = 0; k < 40; ++k) scaled(i, k) *= scales[i / 3];
    expectSameBits(scaled, wholeTile(24));
}

// A run keeps operands between its tiles.
TEST(CpuPairs, TakeTheTimeOfTheirStages) {
    const auto source = randomSymbols(100, 3000, 4, 0.1, 8);
    const auto engine = makeCpu(detectInstructionSet(), 2);
    const auto run = engine->startCounting(*source, {}, Variant::Bitplane);
    countTile(*run, *source, {{30, 60}, {0, 30}}, {});
    EXPECT_GT(run->times().compute, 0);
    EXPECT_GT(run->times().pack, 0);
}

/// Counts how often the source is read.
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

TEST(PlanePanelCache, KeepsWhatWasUsedLast) {
    const auto random = randomGenotypes({.instances = 12, .attributes = 1000, .seed = 1, .uniform = true});
    const CountedReads source(*random);
    const CountKind kind{.planes = 2, .hasMissing = false, .needs = {}};
    const std::size_t bytes = PlanePanel::words(4, 1000, kind) * sizeof(std::uint64_t);
    EXPECT_EQ(bytes, 4U * 2 * 2 * 64);  // instances, planes, units of 64 bytes
    PlanePanelCache cache(source, kind, 2 * bytes);
    cache.panel({0, 4}, {0, 1000}, 2);
    const auto first = cache.panel({0, 4}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 1);
    cache.panel({4, 8}, {0, 1000}, 2);
    cache.panel({0, 4}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 2);
    // The third panel displaces the second; `first` is in use and stays unchanged.
    cache.panel({8, 12}, {0, 1000}, 2);
    cache.panel({0, 4}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 3);
    cache.panel({4, 8}, {0, 1000}, 2);
    cache.panel({8, 12}, {0, 1000}, 2);
    EXPECT_EQ(source.reads, 5);
    const PlanePanel again(random->readPlanes({0, 4}, {0, 1000}), kind, {}, 1);
    EXPECT_EQ(std::memcmp(first.strip(0, 0), again.strip(0, 0), bytes), 0);
}

TEST(PlanePanelCache, TakesPartsOfPanelsFromTheBeginningOfAStripOn) {
    const auto random = randomGenotypes({.instances = 12, .attributes = 1000, .seed = 1, .uniform = true});
    const CountedReads source(*random);
    const CountKind kind{.planes = 2, .hasMissing = false, .needs = {}};
    PlanePanelCache cache(source, kind, std::size_t{1} << 20);
    cache.panel({0, 12}, {0, 1000}, 1);
    const PanelPart part = cache.panel({4, 9}, {0, 1000}, 1);
    EXPECT_EQ(source.reads, 1);
    // Its first strip is complete.
    const PlanePanel own(random->readPlanes({4, 9}, {0, 1000}), kind, {}, 1);
    const std::size_t strip = kind.stripWords(part.units(0)) * sizeof(std::uint64_t);
    EXPECT_EQ(std::memcmp(part.strip(0, 0), own.strip(0, 0), strip), 0);
    cache.panel({2, 9}, {0, 1000}, 1);
    EXPECT_EQ(source.reads, 2) << "begins within a strip";
    cache.panel({0, 12}, {0, 512}, 1);
    EXPECT_EQ(source.reads, 3) << "other attributes";
}

TEST(PlanePanelCache, MayKeepNothing) {
    const auto random = randomGenotypes({.instances = 4, .attributes = 2000, .seed = 1, .uniform = true});
    PlanePanelCache cache(*random, {.planes = 2, .hasMissing = false, .needs = {}}, 0);
    for (const Range attributes : {Range{0, 1024}, Range{1024, 2000}}) {
        const PlanePanel expected(random->readPlanes({0, 4}, attributes),
                                  {.planes = 2, .hasMissing = false, .needs = {}}, {}, 1);
        const auto panel = cache.panel({0, 4}, attributes, 2);
        EXPECT_EQ(std::memcmp(panel.strip(0, 0), expected.strip(0, 0), panel.units(0) * 4 * 2 * 64), 0);
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

TEST(CpuPairs, SayWhichVariantIsForTheData) {
    const auto engine = makeCpu(InstructionSet::Generic, 1);
    const auto reason = [&](Variant variant, bool isCoordinates) {
        return engine->supports({.variant = variant, .isCoordinates = isCoordinates}).reason();
    };
    EXPECT_THAT(reason(Variant::Bitplane, true), HasSubstr("for coordinates: direct"));
    EXPECT_THAT(reason(Variant::Direct, false), HasSubstr("for symbols: bitplane"));
    for (const bool isCoordinates : {false, true})
        EXPECT_THAT(reason(Variant::Serial, isCoordinates), HasSubstr("it has: bitplane, direct"));
    for (const VariantInfo& info : cpu::engine().variants) EXPECT_TRUE(info.isDefault) << info.name;
}

TEST(CpuPairs, PrefersEqualTiles) {
    const auto engine = makeCpu(InstructionSet::Generic, 1);
    PairRequest request;
    EXPECT_EQ(engine->preferredTile(request), 4096U);
    for (const auto& [instances, tile] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {4096, 4096}, {4097, 2049}, {10000, 3334}}) {
        request.shape.instances = instances;
        EXPECT_EQ(engine->preferredTile(request), tile);
    }
}

TEST(CpuPairs, RefusesAnotherBackend) {
    test::NamedBackend other("cpu");
    EXPECT_THROW(cpu::engine().create(other), UsageError);
}

}  // namespace
}  // namespace glycine::distance
