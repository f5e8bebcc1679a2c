#include "engine/bounds/input/molecule_bounds.hpp"

#include <omp.h>

#include "engine/bounds/input/random_bounds.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/host_memory.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

double distance(const Position& a, const Position& b) {
    return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                     (a[2] - b[2]) * (a[2] - b[2]));
}

template <class T>
OwnedBounds<T> makePairBounds(std::span<const Position> positions, const PairBoundsOptions& options,
                              PairBoundsReport& report) {
    const NumberFormat format = numberFormat(AnyBoundMatrices(BoundMatrices<T>()));
    return std::get<OwnedBounds<T>>(
        bounds::makePairBounds(positions, options, format, report, silentProgress()));
}

/// Four atoms on a line, 0, 3, 4 and 10 Å.
const std::vector<Position> kLine{{0, 0, 0}, {3, 0, 0}, {4, 0, 0}, {10, 0, 0}};

TEST(PairBounds, AsTheChapterMakesThem) {
    PairBoundsOptions options;
    options.tolerance = 0.5;
    options.cutoff = 4;
    PairBoundsReport report;
    OwnedBounds<double> bounds = makePairBounds<double>(kLine, options, report);
    EXPECT_EQ(bounds.upper(0, 1), 3.5);
    EXPECT_EQ(bounds.lower(0, 1), 2.5);
    EXPECT_EQ(bounds.upper(2, 1), 1.5);
    EXPECT_EQ(bounds.lower(1, 2), 0.5);
    // At the cut-off and beyond: molecule diameter and hydrogen diameter.
    EXPECT_EQ(bounds.upper(0, 2), 10.5);
    EXPECT_EQ(bounds.lower(3, 0), 0.62);
    EXPECT_EQ(bounds.upper(3, 3), 0);
    EXPECT_EQ(bounds.lower(3, 3), 0);
    EXPECT_EQ(report.candidatePairs, 2U);
    EXPECT_EQ(report.knownPairs, 2U);
    EXPECT_EQ(report.diameter, 10.5);
    EXPECT_EQ(report.closerThanHydrogenDiameter, 0U);
}

TEST(PairBounds, LowerBoundIsNeverNegative) {
    PairBoundsOptions options;
    options.tolerance = 2;
    PairBoundsReport report;
    EXPECT_EQ(makePairBounds<double>(kLine, options, report).lower(1, 2), 0);
}

TEST(PairBounds, PositionsThatBreakTheDefaultsAreCounted) {
    PairBoundsOptions options;
    options.known = 0;
    options.hydrogenDiameter = 2;
    options.diameter = 8;
    PairBoundsReport report;
    OwnedBounds<double> bounds = makePairBounds<double>(kLine, options, report);
    EXPECT_EQ(report.closerThanHydrogenDiameter, 1U);
    EXPECT_EQ(report.fartherThanDiameter, 1U);
    EXPECT_EQ(report.knownPairs, 0U);
    EXPECT_EQ(bounds.upper(0, 3), 8);
    EXPECT_EQ(bounds.lower(1, 2), 2);
}

template <class T>
class PairBoundsOfFormat : public ::testing::Test {};
using Formats = ::testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(PairBoundsOfFormat, Formats);

TYPED_TEST(PairBoundsOfFormat, PositionsSatisfyTheirBoundsEvenWithoutTolerance) {
    const std::vector<Position> positions = randomPositions(150, 3);
    PairBoundsOptions options;
    options.tolerance = 0;
    options.known = 0.5;
    PairBoundsReport report;
    OwnedBounds<TypeParam> bounds = makePairBounds<TypeParam>(positions, options, report);
    for (std::size_t i = 0; i < 150; ++i)
        for (std::size_t j = 0; j < 150; ++j) {
            const double d = distance(positions[i], positions[j]);
            EXPECT_GE(toAngstrom(bounds.upper(i, j)), d);
            EXPECT_LE(toAngstrom(bounds.lower(i, j)), d);
            EXPECT_EQ(bounds.upper(i, j), bounds.upper(j, i));
            EXPECT_EQ(bounds.lower(i, j), bounds.lower(j, i));
        }
}

TEST(PairBounds, KnownShareIsMet) {
    RandomBoundsOptions options;
    options.atoms = 1000;
    options.known = 0.1;
    const BoundSet set = randomBounds(options, NumberFormat::Float32);
    // 499,500 pairs: the standard deviation of the share is 0.0004.
    EXPECT_NEAR(static_cast<double>(set.knownPairs) / 499500.0, 0.1, 0.002);
    options.seed = 2;
    EXPECT_NE(randomBounds(options, NumberFormat::Float32).knownPairs, set.knownPairs);
}

// In one seed of ten (2 and 8) the farthest pair is known: its bound is the diameter, which unknown pairs
// have, too.
TEST(PairBounds, KnownPairsAreCountedAsReadersOfTheFileCount) {
    const TemporaryFolder folder;
    for (const double known : {0.0, 0.1, 1.0})
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            RandomBoundsOptions options;
            options.atoms = 40;
            options.known = known;
            options.seed = seed;
            BoundSet made = randomBounds(options, NumberFormat::Float32);
            writeBounds(folder / "b.npz", made.matrices(), {});
            EXPECT_EQ(loadBounds(folder / "b.npz", {}).knownPairs, made.knownPairs)
                << known << ", seed " << seed;
            EXPECT_THAT(made.description, HasSubstr(fmt::format(": {} of 780 pairs", made.knownPairs)));
        }
}

TEST(PairBounds, GeneratingRefusesWhatDoesNotFitAndStops) {
    RandomBoundsOptions options;
    options.atoms = 100'000'000;  // 80 PB
    const std::string refusal = messageOf<MemoryError>([&] { randomBounds(options, NumberFormat::Float32); });
    EXPECT_THAT(refusal,
                AllOf(HasSubstr("making bounds of 100,000,000 atoms needs "), HasSubstr(" of memory, and ")));
    EXPECT_EQ(bytesForRandomBounds({.atoms = 1000}, NumberFormat::Float64) -
                  bytesForRandomBounds({.atoms = 1000}, NumberFormat::Float32),
              2 * 1000 * 1000 * 4.0);
    options.atoms = 3000;
    for (const int looksBefore : {0, 1, 5, 100, 4000}) {
        std::atomic<int> looks{0};
        Progress stopped({}, [&] { return ++looks > looksBefore; });
        EXPECT_THROW(randomBounds(options, NumberFormat::Float32, stopped), CancelledError) << looksBefore;
    }
    std::map<std::string, double> last;
    Progress told([&](const ProgressUpdate& update) { last[update.stage] = update.fraction; });
    randomBounds(options, NumberFormat::Float32, told);
    EXPECT_THAT(last, ElementsAre(Pair("atoms", DoubleNear(1, 1e-9)), Pair("bounds", DoubleNear(1, 1e-9)),
                                  Pair("distances", DoubleNear(1, 1e-9))));
}

TEST(PairBounds, SameForAnyNumberOfThreads) {
    RandomBoundsOptions options;
    options.atoms = 200;
    options.known = 0.3;
    const int before = omp_get_max_threads();
    const auto withThreads = [&](int threads) {
        omp_set_num_threads(threads);
        BoundSet set = randomBounds(options, NumberFormat::Float64);
        return std::move(std::get<OwnedBounds<double>>(set.bounds));
    };
    const OwnedBounds<double> one = withThreads(1);
    const OwnedBounds<double> five = withThreads(5);
    omp_set_num_threads(before);
    EXPECT_EQ(std::memcmp(one.upper.data(), five.upper.data(), one.upper.size() * sizeof(double)), 0);
    EXPECT_EQ(std::memcmp(one.lower.data(), five.lower.data(), one.lower.size() * sizeof(double)), 0);
}

TEST(PairBounds, Refusals) {
    PairBoundsReport report;
    const auto usage = [&](const PairBoundsOptions& options) {
        return messageOf<UsageError>([&] { makePairBounds<float>(kLine, options, report); });
    };
    PairBoundsOptions options;
    options.known = 1.5;
    EXPECT_THAT(usage(options), HasSubstr("the known share is 1.5; expected 0 to 1"));
    options = {};
    options.tolerance = -1;
    EXPECT_THAT(usage(options), HasSubstr("the tolerance is -1"));
    options = {};
    options.cutoff = 0;
    EXPECT_THAT(usage(options), HasSubstr("the cut-off is 0"));
    options = {};
    options.hydrogenDiameter = -0.5;
    EXPECT_THAT(usage(options), HasSubstr("the hydrogen diameter is -0.5"));
    options = {};
    options.diameter = 0;
    EXPECT_THAT(usage(options), HasSubstr("the molecule diameter is 0"));

    options = {};
    EXPECT_THAT(
        messageOf<InputError>([&] { makePairBounds<float>(std::span<const Position>(), options, report); }),
        HasSubstr("no atoms"));
    const std::vector<Position> broken{{0, 0, 0}, {0, std::nan(""), 0}};
    EXPECT_THAT(messageOf<InputError>([&] { makePairBounds<float>(broken, options, report); }),
                HasSubstr("atom 2 of 2: a coordinate is nan"));
    const std::vector<Position> wide{{0, 0, 0}, {600, 0, 0}};
    EXPECT_THAT(messageOf<InputError>([&] { makePairBounds<std::int32_t>(wide, options, report); }),
                AllOf(HasSubstr("600."), HasSubstr("holds less than 512")));
}

io::Structure smallStructure() {
    io::Structure structure;
    structure.name = "small.pdb";
    const auto add = [&](const std::string& name, const std::string& element, double x) {
        structure.atoms.push_back({name, "GLY", "1", "A", element, {x, 0, 0}});
    };
    add("N", "N", 0);
    add("CA", "C", 1.5);
    add("HA2", "H", 2.5);
    add("CA", "CA", 9);
    return structure;
}

TEST(MoleculeBounds, Selections) {
    const auto names = [](AtomSubset selection) {
        MoleculeBoundsOptions options;
        options.atoms = selection;
        return boundsFromStructure(smallStructure(), options, {}).atomNames;
    };
    EXPECT_EQ(names(AtomSubset::All).size(), 4U);
    EXPECT_THAT(names(AtomSubset::Heavy), ElementsAre("A/GLY1/N", "A/GLY1/CA", "A/GLY1/CA"));
    EXPECT_THAT(names(AtomSubset::Ca), ElementsAre("A/GLY1/CA"));
}

TEST(MoleculeBounds, WarnsOfBrokenDefaults) {
    MoleculeBoundsOptions options;
    options.known = 0;
    options.hydrogenDiameter = 1.25;
    options.diameter = 8.5;
    EXPECT_THAT(
        boundsFromStructure(smallStructure(), options, {}).warnings,
        ElementsAre(
            "1 unknown pair of the structure break their lower bound: closer than --hydrogen-diameter",
            "1 unknown pair of the structure break their upper bound: farther apart than --diameter"));
    EXPECT_THAT(boundsFromStructure(smallStructure(), {}, {}).warnings, IsEmpty());
}

TEST(MoleculeBounds, NamesOfSelections) {
    for (const AtomSubset selection : {AtomSubset::All, AtomSubset::Heavy, AtomSubset::Ca})
        EXPECT_EQ(fromString<AtomSubset>(toString(selection)), selection);
    EXPECT_THAT(messageOf<UsageError>([] { fromString<AtomSubset>("backbone"); }),
                AllOf(HasSubstr("'backbone'"), HasSubstr("all, heavy, ca")));
}

TEST(MoleculeBounds, EmptySelectionIsRefused) {
    io::Structure structure = smallStructure();
    structure.atoms.resize(1);
    MoleculeBoundsOptions options;
    options.atoms = AtomSubset::Ca;
    EXPECT_THAT(messageOf<InputError>([&] { boundsFromStructure(structure, options, {}); }),
                HasSubstr("small.pdb: 'ca' selects no atom of model 1, which has 1 atom"));
}

TEST(MoleculeBounds, SharedWorkNeedsNoCopyOfTheMatrices) {
    io::Structure structure = smallStructure();
    constexpr std::size_t kAtoms = 1'000'000;
    structure.atoms.resize(kAtoms, structure.atoms.front());
    const auto refusal = [&structure](const BoundFileOptions& reading) {
        return messageOf<MemoryError>([&] { boundsFromStructure(structure, {}, reading); });
    };
    EXPECT_THAT(refusal({}), HasSubstr("small.pdb: smoothing 1000000 atoms needs 16.4 TiB"));
    EXPECT_THAT(refusal({.isShared = true}), HasSubstr("small.pdb: smoothing 1000000 atoms needs 7.3 TiB"));
}

TEST(RandomPositions, KeepTheirDistanceAndDensity) {
    for (const std::size_t n : {1, 2, 3, 5, 17, 1000}) {
        const std::vector<Position> positions = randomPositions(n, 7);
        ASSERT_EQ(positions.size(), n);
        const double radius = std::cbrt(10.0 * static_cast<double>(n) * 3 / (4 * 3.141592653589793));
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_LE(distance(positions[i], {0, 0, 0}), radius * (1 + 1e-12));
            double nearest = 1e9;
            for (std::size_t j = 0; j < i; ++j) {
                const double d = distance(positions[i], positions[j]);
                EXPECT_GE(d, 1.4);
                nearest = std::min(nearest, d);
            }
            EXPECT_TRUE(i == 0 || nearest <= 1.5 + 1e-12) << "atom " << i << " hangs in the air";
        }
    }
}

TEST(RandomPositions, SameBitsEverywhere) {
    // Written down once on x86-64 (GCC 12); integer arithmetic, + − × ÷ and square roots give them on every
    // machine.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const Position& position : randomPositions(500, 42))
        for (const double value : position)
            hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3U;
    EXPECT_EQ(hash, 593771931612121286U);
}

TEST(RandomPositions, Refusals) {
    EXPECT_THAT(messageOf<UsageError>([] { randomPositions(0, 1); }),
                HasSubstr("0 atoms; expected at least 1"));
}

}  // namespace
}  // namespace glycine::bounds
