// Pairs on the processor, and recounted pairs.
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/tile_sharing.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/recount_pairs.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/instruction_sets.hpp"
#include "tests/pairwise/align_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise {
namespace {

// ---- Pairs on the processor, in numbers of every width and with every instruction set, compared with the
// reference. Tests of all backends (tests/backends) are not repeated.

class CpuPairwise : public test::EachInstructionSet {
  protected:
    HostBackend reference_{"reference", 1};
};

PairScoring scoringOf(PairMethod method, int open, int extend, const std::string& matrix = "BLOSUM62") {
    return {method, namedMatrix(matrix, Alphabet::Protein), {open, extend}};
}

/// All pairs of a tile equal the reference's; scores alone are found without identities.
void expectEqual(Backend& cpu, Backend& reference, const Sequences& sequences, const PairScoring& scoring) {
    const std::size_t n = sequences.size();
    const PairNumbers expected = pairNumbers(reference, sequences, scoring);
    const PairNumbers found = pairNumbers(cpu, sequences, scoring);
    Matrix<std::int32_t> scores(n, n, -1);
    const MatrixView<std::int32_t> alone[] = {scores.view(), {}};
    createImplementation<PairwiseEngine>(cpu)
        ->start(sequences, requestFor(sequences, {.scoring = scoring}))
        ->compute({{0, n}, {0, n}}, alone, silentProgress());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            ASSERT_EQ(found.of(i, j).score, expected.of(i, j).score) << i << ", " << j;
            ASSERT_EQ(found.of(i, j).identities, expected.of(i, j).identities) << i << ", " << j;
            ASSERT_EQ(scores(i, j), expected.of(i, j).score) << i << ", " << j << ", scores alone";
        }
}

TEST_P(CpuPairwise, IsTheReference) {
    HostBackend cpu("cpu", 2, GetParam());
    const RandomSequencesOptions inputs[] = {
        {.count = 1, .length = 10, .seed = 1},
        {.count = 2, .length = 1, .seed = 2},
        {.count = 37, .length = 70, .shortest = 0.02, .ambiguous = 0.05, .seed = 3},
        {.count = 70, .length = 33, .divergence = 0.3, .gaps = 0.1, .seed = 4},
    };
    for (const RandomSequencesOptions& input : inputs)
        for (const PairScoring& scoring :
             {thesisScoring(Alphabet::Protein), scoringOf(PairMethod::Global, 11, 1),
              scoringOf(PairMethod::Local, 11, 1), scoringOf(PairMethod::Global, 0, 0),
              scoringOf(PairMethod::Local, 0, 0), scoringOf(PairMethod::Local, 0, 3),
              scoringOf(PairMethod::Global, 189, 17, "GONNET250"),
              scoringOf(PairMethod::Local, 40, 0, "PAM30"),
              // Exceeds 16 bits, and 32 bits with identities.
              scoringOf(PairMethod::Global, 5000, 700), scoringOf(PairMethod::Global, 32000, 32000)}) {
            SCOPED_TRACE(input.seed);
            SCOPED_TRACE(std::string(toString(scoring.method)) + " " + scoring.matrix.name + " " +
                         std::to_string(scoring.gaps.open));
            expectEqual(cpu, reference_, randomSequences(input), scoring);
        }
}

/// Sequences of one repeated letter reach the bounds of scores.
TEST_P(CpuPairwise, AtTheEndsOfEveryWidth) {
    HostBackend cpu("cpu", 1, GetParam());
    const auto widthOf = [](const LaneNumbers& numbers) {
        return numbers.fit<std::int16_t>() ? 16 : numbers.fit<std::int32_t>() ? 32 : 64;
    };
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local})
        for (const bool hasIdentities : {false, true}) {
            const std::size_t length = 40;
            int last = 16;
            std::size_t changes = 0;
            // Bisection finds the score at which the width changes; both sides of it are tested.
            for (int low = 1, high = kLargestScore, target = 32; target <= 64;
                 target *= 2, low = 1, high = kLargestScore) {
                const auto scoring = [&](int score) {
                    PairScoring result{
                        method, matchMatrix(Alphabet::Protein, score, -score), {score, score / 2}};
                    return result;
                };
                const auto width = [&](int score) {
                    const PairScoring tried = scoring(score);
                    return widthOf(LaneNumbers(tried, length, length, hasIdentities));
                };
                while (low + 1 < high) (width((low + high) / 2) < target ? low : high) = (low + high) / 2;
                if (width(low) == width(high)) continue;
                ++changes;
                last = width(high);
                std::vector<std::string> letters(4, std::string(length, 'W'));
                letters[2].assign(length, 'A');
                letters[3].back() = 'A';
                const Sequences sequences = sequencesOf(letters, Alphabet::Protein);
                for (const int score : {low, high}) expectEqual(cpu, reference_, sequences, scoring(score));
            }
            EXPECT_GE(changes, 1U);
            EXPECT_GE(last, 32);
        }
}

TEST_P(CpuPairwise, ClustalWsPairs) {
    HostBackend cpu("cpu", 2, GetParam());
    for (const RandomSequencesOptions& input : {
             RandomSequencesOptions{
                 .count = 40, .length = 60, .shortest = 0.02, .ambiguous = 0.02, .seed = 12},
             RandomSequencesOptions{.count = 25, .length = 150, .divergence = 0.9, .gaps = 0.05, .seed = 15},
             RandomSequencesOptions{.count = 25, .length = 90, .divergence = 0.1, .gaps = 0.1, .seed = 16},
             RandomSequencesOptions{
                 .count = 25, .length = 80, .alphabet = Alphabet::Dna, .ambiguous = 0.1, .seed = 17},
         }) {
        const Sequences sequences = randomSequences(input);
        const PairNumbers expected = pairNumbers(reference_, sequences, {.method = PairMethod::ClustalW});
        const PairNumbers found = pairNumbers(cpu, sequences, {.method = PairMethod::ClustalW});
        for (std::size_t i = 0; i < sequences.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                ASSERT_EQ(found.of(i, j), expected.of(i, j)) << input.seed << ": " << i << ", " << j;
    }
}

/// Pairs without an alignment inherit nothing from the pairs before them.
TEST_P(CpuPairwise, ClustalWsPairsOfSequencesWithoutLetters) {
    HostBackend cpu("cpu", 1, GetParam());
    for (const std::size_t unknown : {1U, 60U}) {
        Sequences sequences;
        sequences.alphabet = Alphabet::Protein;
        sequences.add("unknown", std::string(unknown, 'X'));
        const Sequences family = randomSequences(
            {.count = 20, .length = 60, .divergence = 0.9, .gaps = 0.05, .ambiguous = 0.1, .seed = 38});
        for (std::size_t k = 0; k < family.size(); ++k) sequences.add(family.names[k], family.letters[k]);
        const PairNumbers expected = pairNumbers(reference_, sequences, {.method = PairMethod::ClustalW});
        const PairNumbers found = pairNumbers(cpu, sequences, {.method = PairMethod::ClustalW});
        EXPECT_EQ(expected.of(1, 0).score, 0);
        for (std::size_t i = 0; i < sequences.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                ASSERT_EQ(found.of(i, j), expected.of(i, j)) << unknown << ": " << i << ", " << j;
    }
}

TEST_P(CpuPairwise, ProgressCountsEveryPairOnce) {
    HostBackend cpu("cpu", 2, GetParam());
    const Sequences sequences = randomSequences({.count = 40, .length = 50, .shortest = 0.1, .seed = 13});
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local, PairMethod::ClustalW}) {
        const StoppedClock clock;
        double last = -1;
        Progress progress([&](const ProgressUpdate& update) { last = update.fraction; });
        progress.begin("pairs", 2 * 780);
        Matrix<std::int32_t> scores(40, 40);
        const MatrixView<std::int32_t> views[] = {scores.view(), {}};
        const PairScoring scoring = scoringOf(method, 11, 1);
        createImplementation<PairwiseEngine>(cpu)
            ->start(sequences, requestFor(sequences, {.scoring = scoring}))
            ->compute({{0, 40}, {0, 40}}, views, progress);
        // There are ten updates per second.
        Clock::advance(0.12);
        progress.advance(0);
        EXPECT_NEAR(last, 0.5, 1e-9);
    }
}

TEST_P(CpuPairwise, CanBeStopped) {
    HostBackend cpu("cpu", 2, GetParam());
    const Sequences sequences = randomSequences({.count = 40, .length = 200, .seed = 14});
    for (const PairMethod method : {PairMethod::Global, PairMethod::ClustalW}) {
        Progress stopped({}, [] { return true; });
        Matrix<std::int32_t> scores(40, 40);
        const MatrixView<std::int32_t> views[] = {scores.view(), {}};
        const auto run = createImplementation<PairwiseEngine>(cpu)->start(
            sequences, requestFor(sequences, {.scoring = scoringOf(method, 11, 1)}));
        EXPECT_THROW(run->compute({{0, 40}, {0, 40}}, views, stopped), CancelledError);
    }
}

TEST(LaneNumbers, ScoresThatDoNotFitAreRefused) {
    HostBackend cpu("cpu", 1);
    const PairwiseRequest request{.scoring = scoringOf(PairMethod::Global, 10, 32000), .longest = 40000};
    EXPECT_FALSE(createImplementation<PairwiseEngine>(cpu)->supports(request));
    EXPECT_FALSE(createImplementation<PairwiseEngine>(cpu)->supports(
        {.scoring = {.method = PairMethod::ClustalW}, .longest = 200'001}));
    EXPECT_TRUE(createImplementation<PairwiseEngine>(cpu)->supports(
        {.scoring = {.method = PairMethod::ClustalW}, .longest = 200'000}));
    EXPECT_TRUE(createImplementation<PairwiseEngine>(cpu)->supports(
        {.scoring = scoringOf(PairMethod::Global, 10, 20000), .longest = 40000}));
}

INSTANTIATE_TEST_SUITE_P(Sets, CpuPairwise, ::testing::ValuesIn(test::allInstructionSets()), test::nameOfSet);

// ---- Recounted pairs, compared with a run over all pairs.

TEST(RecountedPairs, AreThoseOfTheRun) {
    const Sequences sequences = randomSequences({.count = 7, .length = 30, .seed = 3});
    HostBackend cpu("cpu", 1), reference("reference", 1);
    std::vector<std::size_t> numbers(21);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    for (const PairMeasure measure : {PairMeasure::Score, PairMeasure::Identity, PairMeasure::Distance}) {
        PairwiseOptions options{
            .scoring = {.matrix = namedMatrix("BLOSUM62", Alphabet::Protein), .gaps = {11, 1}},
            .measure = measure,
            .variant = Variant::InterPair};
        pairs::PairStore store({.layout = {7, pairs::StoreLayout::Square}});
        computePairwise(cpu, sequences, options, store, silentProgress());
        std::size_t counted = 0;
        recountByReference(
            reference, sequences, options, numbers, silentProgress(), [&](const RealignedPair& pair) {
                EXPECT_EQ(pair.value, store.value(pair.row, pair.column)) << pair.row << ' ' << pair.column;
                EXPECT_EQ(pair.row * (pair.row - 1) / 2 + pair.column, numbers[counted]);
                return ++counted < 20;
            });
        EXPECT_EQ(counted, 20U);
    }
}

TEST(SharedPairwise, TilesFillTheLanesOfRegisters) {
    const auto sideOf = [](std::size_t sequences, std::size_t tile = 0) {
        HostBackend cpu("cpu", 1);
        const PairwiseOptions options{
            .scoring = {.matrix = namedMatrix("BLOSUM62", Alphabet::Protein), .gaps = {11, 1}}, .tile = tile};
        return tileSide(cpu, randomSequences({.count = sequences, .length = 5}), options);
    };
    EXPECT_EQ(sideOf(400), 400U) << "a single process";
    struct TwoProcesses {
        TwoProcesses() { pairs::setParts(2); }
        ~TwoProcesses() { pairs::setParts(1); }
    } const two;
    EXPECT_EQ(sideOf(400), 128U) << "67 rounded up";
    EXPECT_EQ(sideOf(1500), 256U);
    EXPECT_EQ(sideOf(40), 7U) << "enough tiles are worth more";
    EXPECT_EQ(sideOf(400, 67), 67U) << "the user's choice";
}

TEST(RecountedPairs, TakeLongerWhereSequencesAreLonger) {
    const auto secondsOf = [](std::size_t letters, PairMethod method) {
        return secondsForRecount(randomSequences({.count = 3, .length = letters}), method);
    };
    EXPECT_GT(secondsOf(400, PairMethod::Global), 50 * secondsOf(40, PairMethod::Global));
    EXPECT_GT(secondsOf(40, PairMethod::ClustalW), secondsOf(40, PairMethod::Local));
}

}  // namespace
}  // namespace glycine::pairwise
