#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/pairwise/pairwise.hpp"
#include "engine/pairwise/recurrences.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine::pairwise {

/// The cut of the columns' sequence in Myers and Miller's method.
struct ClustalCut {
    std::size_t column = 0;
    /// Whether a gap in it spans the cut; the other sequence's letters on both sides of the cut are then in
    /// the gap.
    bool isWithinGap = false;
};
/// Finds the cut from the scores on the border between the two halves of the rows. Element j of `best` and
/// `gap` covers the first j columns; element j of `bestBack` and `gapBack` covers the last j. `gap` and
/// `gapBack` hold alignments that end with a gap in the columns' sequence. Among equally good cuts the first
/// wins, unless no gap in that sequence ends at a later one and a gap begins there.
ClustalCut findCut(std::span<const std::int32_t> best, std::span<const std::int32_t> gap,
                   std::span<const std::int32_t> bestBack, std::span<const std::int32_t> gapBack,
                   std::int32_t open);

/// Aligns pairs as ClustalW 2.1 does ("slow" pairwise alignments), so that its percentages are reproduced:
///
/// 1. The best local alignment ends in the first cell with the highest score, row by row.
/// 2. Backwards from there, it begins in the first cell that reaches that score.
/// 3. The two parts between these cells are aligned from end to end in linear memory (E. W. Myers & W.
///    Miller, CABIOS 4 (1988)), where gaps at the two ends have no opening penalty.
///
/// The sequence that comes first in the input, `a`, has the rows: with the sequences exchanged, another of
/// several equally good alignments may be found. ClustalW prints ⌊100 · identities / letters of the shorter
/// sequence⌋.
class ClustalPair {
  public:
    using Codes = std::span<const std::uint8_t>;

    /// `matrix` must outlive this object.
    explicit ClustalPair(const SubstitutionMatrix& matrix) : matrix_(matrix) {}

    /// The score of the result is that of the local alignment.
    PairResult align(Codes a, Codes b, const GapPenalties& gaps, const CellProgress& advance);
    /// Step 3 alone; returns identities. `openFirst`, `openLast`: the opening penalties of gaps at the two
    /// ends.
    std::int64_t join(Codes a, Codes b, const GapPenalties& gaps, int openFirst, int openLast);

  private:
    /// A cell, given as the numbers of letters of each sequence before it.
    struct Place {
        std::size_t row = 0;
        std::size_t column = 0;
    };
    struct LocalEnd {
        std::int32_t score = 0;
        Place place;
    };
    using Row = std::vector<std::int32_t>;

    LocalEnd findEnd(Codes a, Codes b, const CellProgress& advance);
    Place findBegin(Codes a, Codes b, std::int32_t score);
    void findBorder(Codes a, Codes b, bool isBackwards, int open, Row& best, Row& gap) const;
    void joinOne(std::uint8_t a, Codes b, int openFirst, int openLast);
    void joinParts(Codes a, Codes b, int openFirst, int openLast);
    int gapCost(std::size_t letters, int open) const;

    const SubstitutionMatrix& matrix_;
    int open_ = 0, extend_ = 0;
    Row best_, gap_, bestBack_, gapBack_;
    std::int64_t identities_ = 0;
};

// ---- scores

/// The scores with which ClustalW 2.1 aligns pairs. Proteins: ten times Gonnet 250, whose entries are tenths.
/// Nucleotides: a hundred times IUB (10 and −9), except that C–M and C–N score 500. ClustalW's transition
/// weight hits these letters instead of C and T.
const SubstitutionMatrix& clustalMatrix(Alphabet alphabet);

/// Writes the scores as kMaxCodes² numbers; kClustalNever for codes that the matrix lacks.
void fillClustalTable(const SubstitutionMatrix& matrix, std::int32_t* table);

/// Gap penalties for sequences of these lengths. Proteins: opening ⌊2 · 82 · (10 + ln min)⌋, where 82 is the
/// negated mean score of unequal letters, and extension 1. Nucleotides: 3000 and 666.
GapPenalties clustalPenalties(Alphabet alphabet, std::size_t letters, std::size_t others);

}  // namespace glycine::pairwise
