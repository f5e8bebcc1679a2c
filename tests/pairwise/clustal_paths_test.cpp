// Many pairs side by side as ClustalW aligns them: read off the marks of cells, what the division finds.
#include "engine/pairwise/cpu/clustal_aligner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/core/random.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "tests/instruction_sets.hpp"
#include "tests/pairwise/clustal_fixtures.hpp"

namespace glycine::pairwise::cpu {
namespace {

using test::codesOf;
using test::Letters;

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
    // Each way has been taken; parts that lie behind or in front of a cut beside no gap are narrowed down.
    EXPECT_GT(decided, divided);
    EXPECT_GT(divided, decided / 10);
    EXPECT_GT(narrowed, divided / 10);
}

/// Equal letters of nucleotides score the same: of two ends, that in the first row counts, then that in the
/// first column, in whatever order columns are computed.
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
    Letters columns(kColumns * lanes, kBeyondEnd);
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
