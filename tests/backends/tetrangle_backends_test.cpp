// Requirements for every backend's limits by tetrangles. What the limits mean:
// tests/bounds/tetrangle_test.cpp.
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/core/random.hpp"
#include "tests/backends/limits.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

class TetrangleBackends : public test::EveryBackend {
  protected:
    void SetUp() override {
        EveryBackend::SetUp();
        if (!IsSkipped() && GetParam().bugs) GTEST_SKIP() << "the passes work around no bug";
    }
    /// Calls `ask` with a number of each format that the backend smooths.
    template <class Ask>
    void onAllFormats(const Ask& ask) {
        test::onTypes<float, double, std::int32_t>(
            [&]<class T>(T) {
                return bool(supportsRequest(backend(), {Variant::Default, formatOf<T>(), 2}));
            },
            ask);
    }
    template <class T>
    TetrangleLimits limitsHere(FilledBounds<T>& bounds) {
        return findTetrangleLimits(backend(), bounds.view(), silentProgress());
    }

    /// Expects limits of a pair that are never tighter than `expected`, and looser by no more than the slack.
    static void expectLimit(const TetrangleLimits& found, const TetrangleLimit& expected, std::size_t i,
                            std::size_t j) {
        const TetrangleLimit limit{found.upper(i, j), found.lower(i, j)};
        ASSERT_GE(limit.upper, expected.upper) << i << ", " << j;
        ASSERT_LE(limit.lower, expected.lower) << i << ", " << j;
        if (limit.upper == expected.upper && limit.lower == expected.lower) return;
        ASSERT_LE(std::sqrt(limit.upper), std::sqrt(expected.upper) + found.slack) << i << ", " << j;
        ASSERT_GE(std::sqrt(limit.lower), std::sqrt(expected.lower) - found.slack) << i << ", " << j;
    }

    /// Smooths `input`, finds limits here and with the reference, and compares what both make of the bounds.
    template <class T>
    void expectAgreement(const FilledBounds<T>& input, std::size_t leastTightened) {
        const std::size_t n = input.atoms();
        const FilledBounds<T> smoothed = smoothedByReference(input);
        struct Expected {
            TetrangleLimits limits;
            FilledBounds<T> bounds;
            TetrangleSweep sweep;
        };
        const Expected& expected = test::madeOnce(test::InputKey().add(input.upper).add(input.lower), [&] {
            FilledBounds<T> bounds(smoothed);
            HostBackend reference("reference", 1);
            TetrangleLimits limits = findTetrangleLimits(reference, bounds.view(), silentProgress());
            const TetrangleSweep sweep = tightenBy(limits, bounds.view());
            return Expected{std::move(limits), std::move(bounds), sweep};
        });
        EXPECT_GE(expected.sweep.upper + expected.sweep.lower, leastTightened);
        EXPECT_EQ(expected.limits.slack, 0);

        FilledBounds<T> bounds(smoothed);
        const TetrangleLimits found = limitsHere(bounds);
        EXPECT_EQ(largestDifference(bounds.upper, smoothed.upper), 0);
        if (GetParam().backend != "gl")
            EXPECT_EQ(found.slack, 0);
        else
            EXPECT_LT(found.slack, 2e-4);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j)
                ASSERT_NO_FATAL_FAILURE(
                    expectLimit(found, {expected.limits.upper(i, j), expected.limits.lower(i, j)}, i, j));
        const TetrangleSweep sweep = tightenBy(found, bounds.view());
        const double allowed = allowedTetrangleDifference(found.slack);
        EXPECT_LE(largestDifference(bounds.upper, expected.bounds.upper), allowed);
        EXPECT_LE(largestDifference(bounds.lower, expected.bounds.lower), allowed);
        if (allowed > 0) return;
        EXPECT_EQ(sweep.upper, expected.sweep.upper);
        EXPECT_EQ(sweep.lower, expected.sweep.lower);
        EXPECT_EQ(sweep.largestGain, expected.sweep.largestGain);
    }
};

// The last size has several tiles of pairs and several pieces of a pass.
TEST_P(TetrangleBackends, AgreeWithTheReference) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t n : sweep({1, 2, 3, 4, 5, 8, 9, 32, 33, 65}, {1, 4, 65})) {
            // The reference knows no tiles, and finds the others' answers, too.
            if (n == 65 && GetParam().backend == "reference") continue;
            for (const Kind kind : {Kind::Dense, Kind::Sparse, Kind::Unknown}) {
                if (n == 65 && kind != Kind::Sparse) continue;  // seconds of the reference
                SCOPED_TRACE(testing::Message() << toString(formatOf<T>()) << ", n = " << n << ", " << kind);
                expectAgreement(makeBounds<T>(n, kind, static_cast<std::uint32_t>(n)), n < 32 ? 0 : n);
            }
        }
    });
}

// Points on a grid: many triangles are flat, many quadruples equal, and all distances exact or free.
TEST_P(TetrangleBackends, AgreeOnPointsOfAGrid) {
    onAllFormats([this]<class T>(T) {
        for (const double tolerance : {0.0, 0.25}) {
            RandomSequence random(1);
            FilledBounds<T> input(36);
            for (std::size_t i = 0; i < 36; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const auto axis = [&](std::size_t step, std::size_t end) {
                        return double(i / step % end) - double(j / step % end);
                    };
                    const double d = std::hypot(axis(1, 4), axis(4, 3), axis(12, 3));
                    const bool isKnown = random.uniform() < 0.5;
                    input.set(i, j, isKnown ? std::max(0.0, d - tolerance) : 0.5,
                              isKnown ? d + tolerance : 40);
                }
            SCOPED_TRACE(testing::Message() << toString(formatOf<T>()) << ", tolerance " << tolerance);
            expectAgreement(input, 36);
        }
    });
}

// Some pairs, by all their quadruples; as many atoms as take several launches on cuda.
TEST_P(TetrangleBackends, AgreeWithTheProcessorOnManyAtoms) {
    if (GetParam().isHost()) GTEST_SKIP() << "pairs are recounted with the code of cpu";
    const std::size_t n = isFast() ? 600 : repeatsShaders() ? 67 : 135;
    FilledBounds<float> bounds = makeBounds<float>(n, Kind::Sparse, 5);
    HostBackend cpu("cpu", 2);
    smoothWith(cpu, bounds);
    const TetrangleLimits found = limitsHere(bounds);
    const TetrangleBounds read(bounds.view());
    const PairTetrangles exact(read, detectInstructionSet());
    RandomSequence random(2);
    for (int sample = 0; sample < 200; ++sample) {
        const std::size_t j = 1 + random.below(n - 1);
        const std::size_t i = random.below(j);
        ASSERT_NO_FATAL_FAILURE(expectLimit(found, exact.ofAll(i, j), i, j));
    }
}

// A rhombus with sides of at most 1 whose diagonals are both 1.9 at least: triangles allow it, space does
// not.
TEST_P(TetrangleBackends, FindContradictionsInTheSamePlace) {
    onAllFormats([this]<class T>(T) {
        for (const std::size_t n : {4, 33}) {
            FilledBounds<T> input(n);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < i; ++j) input.set(i, j, 0.1, 20);
            for (const auto& [i, j] : {std::pair{0, 2}, {0, 3}, {1, 2}, {1, 3}})
                input.set(std::size_t(i), std::size_t(j), 0.1, 1);
            for (const auto& [i, j] : {std::pair{0, 1}, {2, 3}})
                input.set(std::size_t(i), std::size_t(j), 1.9, 2);
            const auto contradictions = [&](Backend& of) {
                FilledBounds<T> bounds(input);
                EXPECT_EQ(smoothWith(of, bounds).violationCount, 0U);
                tightenBy(findTetrangleLimits(of, bounds.view(), silentProgress()), bounds.view());
                std::vector<std::pair<std::size_t, std::size_t>> pairs;
                for (const Violation& one : smoothWith(of, bounds).violations) {
                    EXPECT_GT(one.excess(), 1);
                    pairs.emplace_back(one.i, one.j);
                }
                std::ranges::sort(pairs);
                return pairs;
            };
            HostBackend reference("reference", 1);
            const auto expected = contradictions(reference);
            EXPECT_THAT(expected, IsSupersetOf({std::pair<std::size_t, std::size_t>(0, 1), {2, 3}}));
            EXPECT_EQ(contradictions(backend()), expected) << n;
        }
    });
}

TEST_P(TetrangleBackends, StopWhenCancelledAndEndAtOne) {
    FilledBounds<float> bounds = makeBounds<float>(40, Kind::Dense, 3);
    const auto find = [&](Progress& progress) { findTetrangleLimits(backend(), bounds.view(), progress); };
    test::expectStops({0}, find);
    if (GetParam().backend != "cuda") test::expectStops({1}, find);  // there, all is in one launch
    std::map<std::string, double> last;
    Progress progress([&](const ProgressUpdate& update) { last[update.stage] = update.fraction; });
    findTetrangleLimits(backend(), bounds.view(), progress);
    EXPECT_EQ(last.size(), 1U);
    EXPECT_DOUBLE_EQ(last["tetrangles"], 1);
    expectAgreement(makeBounds<float>(17, Kind::Dense), 0);
}

INSTANTIATE_TEST_SUITE_P(All, TetrangleBackends, testing::ValuesIn(test::allSettings()), test::nameOf);

/// Devices with small textures, little memory, and short draws, too.
class SmallTetrangleBackends : public TetrangleBackends {};

TEST_P(SmallTetrangleBackends, TakeNoneButTheAtomsThatFit) {
    const auto takes = [this](std::size_t atoms) {
        return bool(createImplementation<SmoothingEngine>(backend())->supportsTetrangles(atoms));
    };
    const std::size_t largest = test::lastTaken(1, kMaxTetrangleAtoms, takes);
    ASSERT_GT(largest, 0U);
    if (largest < kMaxTetrangleAtoms) {
        test::expectRefusal(
            supportsRequest(backend(),
                            {.format = NumberFormat::Float32, .atoms = largest + 1, .tetrangles = true}),
            largest + 1);
        FilledBounds<float> tooMany(largest + 1);
        EXPECT_THROW(limitsHere(tooMany), UnavailableError);
    }
    if (largest <= 130 && !GetParam().isHost())
        expectAgreement(makeBounds<float>(std::min<std::size_t>(largest, 65), Kind::Sparse, 9), 0);
    FilledBounds<float> beyond(kMaxTetrangleAtoms + 1);
    EXPECT_THROW(limitsHere(beyond), UnavailableError);
}

INSTANTIATE_TEST_SUITE_P(All, SmallTetrangleBackends, testing::ValuesIn(test::settingsWithSmallOnes()),
                         test::nameOf);

}  // namespace
}  // namespace glycine::bounds
