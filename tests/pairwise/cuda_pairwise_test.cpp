// Pairs on `cuda`, one per lane and in stripes, whatever would be chosen, compared with the reference; and
// the choice, which needs no device.
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/pairwise/intertask_run.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/pairwise/align_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise::cuda {
namespace {

PairScoring scoringOf(PairMethod method, int open, int extend) {
    return {method, namedMatrix("BLOSUM62", Alphabet::Protein), {open, extend}};
}

TEST(CudaPairwise, LanesAndStripesAreTheReference) {
    REQUIRE_BACKEND(backend);
    HostBackend reference("reference", 1);
    for (const RandomSequencesOptions& input :
         {RandomSequencesOptions{.count = 2, .length = 1, .seed = 2},
          RandomSequencesOptions{.count = 70, .length = 60, .shortest = 0.02, .ambiguous = 0.05, .seed = 3},
          RandomSequencesOptions{.count = 5, .length = 1500, .divergence = 0.3, .shortest = 0.1, .seed = 4},
          // More than one panel of stripes.
          RandomSequencesOptions{.count = 2, .length = 4500, .divergence = 0.3, .shortest = 0.93, .seed = 5}})
        for (const PairScoring& scoring :
             {thesisScoring(Alphabet::Protein), scoringOf(PairMethod::Global, 11, 1),
              scoringOf(PairMethod::Local, 11, 1), scoringOf(PairMethod::Global, 32000, 32000)}) {
            SCOPED_TRACE(testing::Message()
                         << input.seed << " " << toString(scoring.method) << " " << scoring.gaps.open);
            const Sequences sequences = randomSequences(input);
            const std::size_t n = sequences.size(), cut = n / 2;
            const PairNumbers expected = pairNumbers(reference, sequences, scoring);
            for (const StripeUse use : {StripeUse::Never, StripeUse::Always})
                for (const bool hasIdentities : {true, false}) {
                    InterTaskRun run(*backend, sequences, scoring, use);
                    Matrix<std::int32_t> scores(n, n, -1), identities(n, n, -1);
                    // Tiles on the diagonal, and the one between them.
                    for (const auto& [rows, columns] : {std::pair<Range, Range>{{0, cut}, {0, cut}},
                                                        {{cut, n}, {0, cut}},
                                                        {{cut, n}, {cut, n}}}) {
                        if (rows.size() == 0 || columns.size() == 0) continue;
                        const MatrixView<std::int32_t> views[] = {
                            scores.view().block(rows.begin, columns.begin, rows.size(), columns.size()),
                            hasIdentities ? identities.view().block(rows.begin, columns.begin, rows.size(),
                                                                    columns.size())
                                          : MatrixView<std::int32_t>{}};
                        run.compute({rows, columns}, views, silentProgress());
                    }
                    for (std::size_t i = 0; i < n; ++i)
                        for (std::size_t j = 0; j < i; ++j) {
                            ASSERT_EQ(scores(i, j), expected.of(i, j).score) << i << ", " << j;
                            if (hasIdentities) {
                                ASSERT_EQ(identities(i, j), expected.of(i, j).identities) << i << ", " << j;
                            }
                        }
                }
        }
}

// As printed: the matrix of the thesis' figure 3.4, up to the longest sequences, with the thesis' scores
// only.
TEST(CudaPairwise, KhaladkarsKernelsAsPrinted) {
    REQUIRE_BACKEND(backend);
    const std::unique_ptr<PairwiseEngine> engine = pairwiseEngine().create(*backend);
    const PairScoring thesis = thesisScoring(Alphabet::Protein);
    std::vector<Sequences> sets{sequencesOf({"MLNON", "NKLON"}, Alphabet::Protein)};
    // Numbers of 32 bits hold the cost of gaps only.
    Sequences& longest =
        sets.emplace_back(randomSequences({.count = 1, .length = 16'383, .gaps = 0, .shortest = 1}));
    longest.add(
        "short",
        randomSequences({.count = 1, .length = 40, .gaps = 0, .shortest = 1, .seed = 2}).letters.front());
    HostBackend reference("reference", 1);
    for (const Sequences& sequences : sets)
        for (const Variant variant : {Variant::CalculateMatrix, Variant::CalculateMatrixResident}) {
            SCOPED_TRACE(testing::Message() << toString(variant) << ", " << sequences.longest());
            const PairwiseRequest request = requestFor(sequences, {.scoring = thesis, .variant = variant});
            ASSERT_TRUE(engine->supports(request)) << engine->supports(request).reason();
            std::int32_t score = 0, identities = -1;
            const MatrixView<std::int32_t> views[] = {{&score, 1, 1}, {&identities, 1, 1}};
            engine->start(sequences, request)->compute({{1, 2}, {0, 1}}, views, silentProgress());
            const PairResult expected = pairNumbers(reference, sequences, thesis).of(1, 0);
            EXPECT_EQ(score, expected.score);
            EXPECT_EQ(identities, expected.identities);
            const auto use = engine->kernelOf(variant);
            ASSERT_TRUE(use);
            EXPECT_EQ(use->threads, 256U);
            EXPECT_GT(use->occupancy, 0);
            EXPECT_LE(use->occupancy, 1);
            EXPECT_THAT(engine->supports({variant, scoringOf(PairMethod::Global, 0, 2), 2, 5}).reason(),
                        HasSubstr("1, -1"));
            EXPECT_THAT(engine->supports({variant, thesis, 2, 16'384}).reason(), HasSubstr("16383 letters"));
        }
    EXPECT_FALSE(engine->kernelOf(Variant::InterTask));
}

TEST(CudaPairwise, LongPairsOfClustalWInLittleMemory) {
    // Room for the letters of two sequences and one block.
    constexpr std::size_t kBytes = std::size_t{48} << 20;
    REQUIRE_BACKEND(backend, kBytes);
    HostBackend host("cpu", 2);
    const PairScoring scoring{.method = PairMethod::ClustalW};
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        const Sequences sequences = randomSequences({.count = 4,
                                                     .length = 5000,
                                                     .alphabet = alphabet,
                                                     .divergence = 0.4,
                                                     .shortest = 0.4,
                                                     .seed = 9});
        const PairNumbers expected = pairNumbers(host, sequences, scoring),
                          found = pairNumbers(*backend, sequences, scoring);
        for (std::size_t i = 0; i < sequences.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_EQ(found.of(i, j), expected.of(i, j)) << i << ", " << j;
    }
}

TEST(CudaPairwise, FewLongPairsAreForStripes) {
    constexpr std::size_t kMultiprocessors = 132;
    const auto all = [](std::size_t count, std::size_t length) {
        const std::vector<std::size_t> lengths(count, length);
        return prefersStripes(lengths, lengths, true, kMultiprocessors);
    };
    EXPECT_TRUE(all(2, 3837));
    EXPECT_TRUE(all(6, 3837));
    EXPECT_TRUE(all(20, 20000));
    EXPECT_FALSE(all(1, 5000));
    EXPECT_FALSE(all(12, 10));
    EXPECT_FALSE(all(1000, 457));
    EXPECT_FALSE(all(2000, 40));
    EXPECT_TRUE(prefersStripes({3000}, {2000, 2500}, false, kMultiprocessors));
}

}  // namespace
}  // namespace glycine::pairwise::cuda
