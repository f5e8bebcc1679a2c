// Every backend and variant of `align` must find the reference's posteriors, within a tolerance, and the same
// results of the consistency transformation.
#include <mutex>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

class AlignBackends : public glycine::test::WithImplementation<glycine::test::EveryBackend, PosteriorEngine> {
  protected:
    Progress progress_;

    /// Only an artificially small device, or a dialect without variants, may refuse these sequences.
    bool takes(const Sequences& sequences) {
        const Support support =
            engine_->supports({.sequences = sequences.size(), .longest = sequences.longest()});
        return glycine::test::isTaken(
            support,
            isSmall() ||
                variantsFor(entry_->variants, entry_->variants.front().numberFormats.front()).empty());
    }

    /// Compares posteriors, and the reference's posteriors after the consistency transformation.
    void expectPosteriors(const Sequences& sequences) {
        SCOPED_TRACE(testing::Message() << sequences.size() << " x " << sequences.longest());
        if (!takes(sequences)) return;
        const std::size_t n = sequences.size();
        std::vector<double> weights(n);
        for (std::size_t k = 0; k < n; ++k) weights[k] = 0.25 + static_cast<double>(k % 3);
        std::vector<float> distances;
        for (std::size_t pair = 0; pair < n * (n - 1) / 2; ++pair)
            distances.push_back(static_cast<float>(pair * 7 % 5));
        // Through all other sequences, and through some of them.
        const ThirdSequences thirds[] = {ThirdSequences(n), ThirdSequences(n, distances, 1 + n / 3)};
        struct Expected {
            PosteriorSet posteriors;
            std::vector<PosteriorSet> consistent;
        };
        test::InputKey key;
        for (const std::string& letters : sequences.letters) key.add(std::string_view(letters));
        const Expected& expected = test::madeOnce(key.add(sequences.alphabet), [&] {
            const auto run = createImplementation<PosteriorEngine>(reference_)->start(sequences);
            Expected made{run->posteriors(progress_), {}};
            for (const ThirdSequences& through : thirds)
                made.consistent.push_back(
                    run->applyConsistency(made.posteriors, {weights, 3, through}, progress_));
            return made;
        });
        const auto run = engine_->start(sequences);
        expectEqual(expected.posteriors, run->posteriors(progress_), "posteriors");
        for (std::size_t k = 0; k < 2; ++k)
            expectEqual(expected.consistent[k],
                        run->applyConsistency(expected.posteriors, {weights, 3, thirds[k]}, progress_),
                        "consistent");
    }

  private:
    static void expectEqual(const PosteriorSet& expected, const PosteriorSet& found,
                            const std::string& what) {
        Comparison comparison = equalSoFar(kPosteriorTolerance);
        comparison.isAbsolute = true;
        ASSERT_EQ(found.sequences(), expected.sequences());
        for (std::size_t x = 0; x < expected.sequences(); ++x)
            for (std::size_t y = 0; y < expected.sequences(); ++y)
                if (x != y)
                    comparePair(expected.pair(x, y), found.pair(x, y),
                                what + " of " + std::to_string(x) + " and " + std::to_string(y), comparison);
        EXPECT_TRUE(comparison.agrees()) << comparison.place;
    }

    HostBackend reference_{"reference", 1};
};

TEST_P(AlignBackends, EveryNumberOfSequences) {
    // All lane widths, and partial lanes.
    for (const std::size_t count : sweep({2, 3, 4, 5, 6, 9, 10, 17, 18, 34}, {2, 34}))
        expectPosteriors(randomSequences({.count = count, .length = 14, .shortest = 0.3, .seed = count}));
}

TEST_P(AlignBackends, EveryLength) {
    for (const std::size_t length : sweep({1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65}, {1, 65}))
        expectPosteriors(randomSequences({.count = 5, .length = length, .shortest = 1, .seed = length}));
    expectPosteriors(randomSequences({.count = 8, .length = 120, .shortest = 0.01, .ambiguous = 0.1}));
}

TEST_P(AlignBackends, Nucleotides) {
    expectPosteriors(randomSequences(
        {.count = 7, .length = 90, .alphabet = Alphabet::Rna, .shortest = 0.2, .ambiguous = 0.1}));
}

TEST_P(AlignBackends, LongOnes) {
    // More rows than forward sums are kept for at once, and a single letter next to very many.
    const std::size_t length = isSwept() ? 1500 : 700;
    Sequences sequences = randomSequences({.count = 2, .length = length, .shortest = 0.9, .seed = 4});
    sequences.add("short", "W");
    sequences.add("other", sequences.letters[0].substr(0, length / 2));
    expectPosteriors(sequences);
}

TEST_P(AlignBackends, SumsBeyondFloat32) {
    // A repeat whose first copy fits far better than the second, where the path of both ends must go.
    const Sequences family = randomSequences({.count = 1, .length = 160, .seed = 8});
    const Sequences related = randomSequences({.count = 2, .length = 160, .divergence = 0.6, .seed = 9});
    Sequences sequences;
    sequences.add("once", related.letters[0] + family.letters[0]);
    sequences.add("twice", related.letters[0] + family.letters[0] + std::string(400, 'G') +
                               related.letters[1] + family.letters[0]);
    sequences.add("rich", std::string(500, 'W') + family.letters[0]);
    sequences.add("poor", family.letters[0] + std::string(500, 'W'));
    expectPosteriors(sequences);
}

TEST_P(AlignBackends, StopWhenCancelledAndGoOn) {
    const Sequences sequences = randomSequences({.count = 6, .length = 40, .shortest = 0.5});
    if (!takes(sequences)) return;
    const auto run = engine_->start(sequences);
    glycine::test::expectStops({0, 3}, [&](Progress& progress) { run->posteriors(progress); });
    expectPosteriors(sequences);
}

TEST_P(AlignBackends, GoOnFromSomePairs) {
    // After a stop, missing pairs must be found as in a run from scratch, to the bit.
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        const Sequences sequences =
            randomSequences({.count = 21, .length = 50, .alphabet = alphabet, .shortest = 0.2, .seed = 12});
        if (!takes(sequences)) return;
        const auto run = engine_->start(sequences);
        const PosteriorSet whole = run->posteriors(progress_);
        PosteriorSet rest(sequences.size());
        for (std::size_t x = 1; x < sequences.size(); ++x)
            for (std::size_t y = 0; y < x; ++y)
                if ((x * 5 + y * 3) % 7 < 3) rest.setPair(x, y, whole.pair(x, y), sequences.codes[y].size());
        std::size_t set = 0;
        std::mutex mutex;
        rest.setListener([&](std::size_t, std::size_t) {
            const std::lock_guard lock(mutex);
            ++set;
        });
        run->complete(rest, progress_);
        EXPECT_GT(set, 80U);
        EXPECT_LT(set, 150U) << "of 210 pairs";
        for (std::size_t x = 0; x < sequences.size(); ++x)
            for (std::size_t y = 0; y < sequences.size(); ++y) {
                ASSERT_TRUE(std::ranges::equal(rest.pair(x, y).begins(), whole.pair(x, y).begins()));
                ASSERT_TRUE(std::ranges::equal(rest.pair(x, y).entries(), whole.pair(x, y).entries()));
            }
        set = 0;
        run->complete(rest, progress_);
        EXPECT_EQ(set, 0U);
    }
}

TEST_P(AlignBackends, JoinsGroups) {
    const Sequences sequences = randomSequences({.count = 19, .length = 40, .shortest = 0.2, .seed = 8});
    if (!takes(sequences)) return;
    static const PosteriorSet posteriors = posteriorsByReference(sequences);
    const auto run = engine_->start(sequences);
    for (const std::size_t each : {1U, 4U, 9U}) {
        const GroupsOfSequences all(sequences, each, 5, 2);
        const auto expected =
            joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress_);
        const auto found =
            run->joins(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress_);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            EXPECT_TRUE(std::ranges::is_sorted(found[k]));
            const double most = sumOf(all, all.joins[k], expected[k], posteriors);
            EXPECT_NEAR(sumOf(all, all.joins[k], found[k], posteriors), most, 1e-5 * (1 + most));
        }
    }
}

TEST_P(AlignBackends, RefusesWithAReason) {
    // Variants of another backend, or of pairwise.
    for (const pairwise::Variant variant :
         {pairwise::Variant::Packed, pairwise::Variant::AntidiagonalResident}) {
        const Support support = engine_->supports({.variant = variant, .sequences = 2, .longest = 20});
        EXPECT_FALSE(support);
        EXPECT_THAT(support.reason(), HasSubstr(std::string(toString(variant))));
    }
    // Host backends accept any length.
    constexpr std::size_t kLong = std::size_t{1} << 40;
    const Support support = engine_->supports({.sequences = 2, .longest = kLong});
    EXPECT_EQ(bool(support), GetParam().isHost());
    if (!support) {
        EXPECT_THAT(support.reason(), AnyOf(HasSubstr("letters"), HasSubstr("memory"), HasSubstr("lacks")));
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, AlignBackends, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);
// A single warp needs a few megabytes.
INSTANTIATE_TEST_SUITE_P(Small, AlignBackends,
                         testing::ValuesIn(glycine::test::smallSettings(64, 1 << 20, 64 << 20)),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::align
