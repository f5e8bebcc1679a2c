// ClustalW's paths, on the processor and as a thread of cuda finds them.
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/cpu/clustal_aligner.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "kernels_cuda/pairwise/clustal_thread.hpp"
#include "tests/instruction_sets.hpp"
#include "tests/pairwise/clustal_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise::cpu {
namespace {

// ---- Many pairs in lanes as ClustalW aligns them: what is read off the marks of cells equals what its
// division finds.

class ClustalPathsOf : public test::EachInstructionSet {
  protected:
    void SetUp() override {
        EachInstructionSet::SetUp();
        if (!IsSkipped()) kernel_ = kernelFor<ClustalKernel>(GetParam());
    }
    ClustalKernel kernel_;
};

TEST_P(ClustalPathsOf, WhatTheDivisionFinds) {
    RandomSequence random(7);
    std::size_t decided = 0, divided = 0, narrowed = 0;
    for (int round = 0; round < 400; ++round) {
        const auto [alphabet, sequences] = test::anyFamily(round, kernel_.lanes + 1, random);
        const std::vector<ClustalBatch::Codes> others(sequences.begin() + 1, sequences.end());
        const ClustalBatch::Codes a = sequences.front();
        const SubstitutionMatrix& matrix = clustalMatrix(alphabet);
        ClustalBatch batch(kernel_, matrix);
        ClustalAligner aligner(kernel_, matrix);
        batch.align(a, others, alphabet);
        for (std::size_t lane = 0; lane < others.size(); ++lane) {
            const GapPenalties gaps = clustalPenalties(alphabet, a.size(), others[lane].size());
            const PairResult expected = ClustalPair(matrix).align(a, others[lane], gaps, [](double) {});
            std::int64_t identities = batch.identities(lane);
            const std::span<const ClustalPart> parts = batch.parts();
            aligner.prepare(others[lane]);
            for (const ClustalPart& part : parts) identities += aligner.alignPart(a, part, gaps, [] {});
            ASSERT_EQ(batch.score(lane), expected.score) << round << ", " << lane;
            ASSERT_EQ(identities, expected.identities) << round << ", " << lane;
            ++(parts.empty() ? decided : divided);
            const auto isNarrowed = [&](const ClustalPart& part) {
                return part.openFirst == gaps.open || part.openLast == gaps.open;
            };
            if (std::ranges::any_of(parts, isNarrowed)) ++narrowed;
        }
    }
    // All cases occur. A part is narrowed if it starts or ends at a cut outside gaps.
    EXPECT_GT(decided, divided);
    EXPECT_GT(divided, decided / 10);
    EXPECT_GT(narrowed, divided / 10);
}

/// All pairs of equal nucleotides score the same. Of two ends, the one in the first row counts, then the one
/// in the first column, in whatever order columns are computed.
TEST_P(ClustalPathsOf, TheFirstOfEquallyGoodEnds) {
    const std::string a = "A" + std::string(18, 'T') + "C";
    const Letters query = codesOf(Alphabet::Dna, a);
    const Letters laterColumn = codesOf(Alphabet::Dna, "C" + std::string(15, 'G') + "A");
    const Letters bothColumns = codesOf(Alphabet::Dna, "GA" + std::string(20, 'G') + "A");
    const Letters none = codesOf(Alphabet::Dna, "GGG");
    const std::vector<ClustalBatch::Codes> others{laterColumn, bothColumns, none};
    const SubstitutionMatrix& matrix = clustalMatrix(Alphabet::Dna);
    const std::size_t lanes = kernel_.lanes;
    Matrix<std::int32_t> table(kTableSide, kTableSide), open(1, lanes, 3000), state(1, 2 * lanes * 20),
        profile(1, kTableSide * kernel_.columnsAtOnce * lanes), score(1, lanes, -1), row(1, lanes, -1),
        column(1, lanes, -1);
    fillClustalTable(matrix, table.data());
    constexpr std::size_t kColumns = 24;
    Letters columns(kColumns * lanes, kPaddingCode);
    for (std::size_t lane = 0; lane < others.size(); ++lane)
        for (std::size_t j = 0; j < others[lane].size(); ++j) columns[j * lanes + lane] = others[lane][j];
    std::vector<std::uint8_t> marks(query.size() * kColumns * kClustalMarks * kernel_.markBytes);
    ClustalLanes block;
    block.query = query.data();
    block.rows = query.size();
    block.columns = columns.data();
    block.columnCount = kColumns;
    block.letters = matrix.size;
    block.table = table.data();
    block.open = open.data();
    block.extend = 666;
    block.state = state.data();
    block.profile = profile.data();
    block.marks = marks.data();
    block.score = score.data();
    block.row = row.data();
    block.column = column.data();
    kernel_.findPaths(block);
    const auto end = [&](std::size_t lane) {
        return std::vector<int>{score(0, lane), row(0, lane), column(0, lane)};
    };
    EXPECT_EQ(end(0), (std::vector{1000, 1, 17}));
    EXPECT_EQ(end(1), (std::vector{1000, 1, 2}));
    EXPECT_EQ(end(2), (std::vector{0, 0, 0}));
    EXPECT_EQ(end(3), (std::vector{0, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Sets, ClustalPathsOf, ::testing::ValuesIn(test::allInstructionSets()),
                         test::nameOfSet);

}  // namespace
}  // namespace glycine::pairwise::cpu

namespace glycine::pairwise {
namespace {

// ---- A pair as ClustalW aligns it, computed by the code of a `cuda` thread, here in plain C++ without a
// device: it finds the same as ClustalPair, in memory with the remains of other pairs.

using glycine::cuda::ClustalFound;
using glycine::cuda::ClustalMemory;
using glycine::cuda::ClustalScores;

constexpr unsigned kThreadsSideBySide = 3;

/// The scores of a kernel's table, and the memory of some threads, filled with arbitrary numbers.
class OneThread {
  public:
    explicit OneThread(Alphabet alphabet)
        : alphabet_(alphabet), table_(kTableSide * glycine::cuda::kClustalTableStride) {
        const SubstitutionMatrix& matrix = clustalMatrix(alphabet);
        for (std::size_t a = 0; a < kTableSide; ++a)
            for (std::size_t b = 0; b < kTableSide; ++b)
                table_[a * glycine::cuda::kClustalTableStride + b] =
                    a < matrix.size && b < matrix.size ? matrix.scores[a][b] : glycine::cuda::kClustalNever;
    }
    ClustalFound align(const Letters& a, const Letters& b, bool hasIdentities = true) {
        const auto rows = static_cast<unsigned>(a.size()), columns = static_cast<unsigned>(b.size());
        const std::size_t numbers =
            glycine::cuda::kClustalPerRow * rows + glycine::cuda::kClustalPerColumn * (columns + 1);
        constexpr std::int32_t kPoison = 100'000'000;
        memory_.assign(numbers * kThreadsSideBySide, kPoison);
        const GapPenalties gaps = clustalPenalties(alphabet_, a.size(), b.size());
        const ClustalMemory<kThreadsSideBySide> memory{memory_.data() + 1, rows, columns};
        const ClustalFound found =
            glycine::cuda::alignClustal(ClustalScores{table_.data(), gaps.open, gaps.extend}, a.data(), rows,
                                        b.data(), columns, hasIdentities, memory);
        for (std::size_t k = 0; k < memory_.size(); ++k) {
            if (k % kThreadsSideBySide == 1) continue;
            EXPECT_EQ(memory_[k], kPoison) << "memory of another thread";
        }
        return found;
    }

  private:
    Alphabet alphabet_;
    std::vector<std::int32_t> table_, memory_;
};

TEST(ClustalThread, WhatClustalPairFinds) {
    RandomSequence random(11);
    std::size_t aligned = 0;
    for (int round = 0; round < 200; ++round) {
        const auto [alphabet, sequences] = test::anyFamily(round, 5, random);
        ClustalPair pair(clustalMatrix(alphabet));
        OneThread thread(alphabet);
        for (const Letters& a : sequences)
            for (const Letters& b : sequences) {
                const PairResult expected =
                    pair.align(a, b, clustalPenalties(alphabet, a.size(), b.size()), [](double) {});
                const ClustalFound found = thread.align(a, b);
                ASSERT_EQ(found.score, expected.score) << round << ": " << a.size() << " x " << b.size();
                ASSERT_EQ(found.identities, expected.identities)
                    << round << ": " << a.size() << " x " << b.size();
                ASSERT_EQ(thread.align(a, b, false).score, expected.score);
                if (expected.score > 0) ++aligned;
            }
    }
    EXPECT_GT(aligned, 3000U);
}

/// All pairs of equal nucleotides score the same. Of two ends, the one in the first row counts, then the one
/// in the first column, in whatever order columns are computed. The cases differ in where other ends are.
TEST(ClustalThread, TheFirstOfEquallyGoodEnds) {
    const auto sweepEnd = [](std::string_view a, std::string_view b) {
        const Letters rows = test::codesOf(Alphabet::Dna, a), columns = test::codesOf(Alphabet::Dna, b);
        std::vector<std::int32_t> table(kTableSide * glycine::cuda::kClustalTableStride,
                                        glycine::cuda::kClustalNever),
            state(2 * rows.size());
        const SubstitutionMatrix& matrix = clustalMatrix(Alphabet::Dna);
        for (std::size_t i = 0; i < matrix.size; ++i)
            for (std::size_t j = 0; j < matrix.size; ++j)
                table[i * glycine::cuda::kClustalTableStride + j] = matrix.scores[i][j];
        const glycine::cuda::ClustalPlace end = glycine::cuda::sweep<glycine::cuda::ClustalPass::End, 1>(
            {table.data(), 3000, 666},
            {rows.data(), columns.data(), static_cast<unsigned>(rows.size()),
             static_cast<unsigned>(columns.size()), 1},
            0, 0, state.data(), nullptr, nullptr);
        return std::vector<int>{end.score, static_cast<int>(end.rows), static_cast<int>(end.columns)};
    };
    const std::string a = "A" + std::string(18, 'T') + "C";
    // One end is in a column after the sixteenth, but in an earlier row.
    EXPECT_EQ(sweepEnd(a, "C" + std::string(15, 'G') + "A"), (std::vector{1000, 1, 17}));
    EXPECT_EQ(sweepEnd(a, "GA" + std::string(20, 'G') + "A"), (std::vector{1000, 1, 2}));
    EXPECT_EQ(sweepEnd(a, "GGG"), (std::vector{0, 0, 0}));
}

}  // namespace
}  // namespace glycine::pairwise
