#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/pairwise/pairwise.hpp"
#include "engine/pairwise/recurrences.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine::pairwise {

/// Where Myers and Miller's method cuts the columns' sequence.
struct ClustalCut {
    std::size_t column = 0;
    /// A gap in it goes over the cut: the two letters of the other sequence beside the cut lie in it.
    bool isWithinGap = false;
};
/// Numbers of the border between two halves of the rows: element j of the first two is of the first j
/// columns, element j of the others of the last j. `gap`: of alignments that end with a gap in the columns'
/// sequence. Of equally good cuts the first counts, but a later one where no gap in that sequence leads to it
/// and one begins there.
ClustalCut findCut(std::span<const std::int32_t> best, std::span<const std::int32_t> gap,
                   std::span<const std::int32_t> bestBack, std::span<const std::int32_t> gapBack,
                   std::int32_t open);

/// Pairs as ClustalW 2.1 aligns them ("slow" pairwise alignments), so that its percentages follow:
///
/// 1. The best local alignment ends in the first cell with the highest score, row by row.
/// 2. Backwards from there, it begins in the first cell that reaches this score.
/// 3. Both parts between are aligned from end to end in linear memory (E. W. Myers & W. Miller, CABIOS 4
///    (1988)), where gaps at the two ends are charged no opening.
///
/// The sequence that comes first in the input, `a`, has the rows: of equally good alignments another may be
/// found with the sequences exchanged. Printed is ⌊100 · identities / letters of the shorter sequence⌋.
class ClustalPair {
  public:
    using Codes = std::span<const std::uint8_t>;

    /// `matrix` outlives it.
    explicit ClustalPair(const SubstitutionMatrix& matrix) : matrix_(matrix) {}

    /// The score is that of the local alignment.
    PairResult align(Codes a, Codes b, const GapPenalties& gaps, const CellProgress& advance);
    /// Step 3 alone: identities. `openFirst`, `openLast`: what gaps at the ends open for.
    std::int64_t join(Codes a, Codes b, const GapPenalties& gaps, int openFirst, int openLast);

  private:
    /// A cell: so many letters of each sequence are behind it.
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

/// Scores with which ClustalW 2.1 aligns pairs. Proteins: ten times Gonnet's 250 in tenths. Nucleotides: a
/// hundred times IUB (10 and −9), but C beside M and C beside N score 500: a transition weight that reaches
/// other letters than C and T.
const SubstitutionMatrix& clustalMatrix(Alphabet alphabet);

/// Its scores as kMostCodes² numbers; kClustalNever where a code is beyond its letters.
void fillClustalTable(const SubstitutionMatrix& matrix, std::int32_t* table);

/// Gap penalties for sequences of so many letters. Proteins: opening ⌊2 · 82 · (10 + ln min)⌋, where 82 is
/// the negated mean of what unequal letters score, extension 1. Nucleotides: 3000 and 666.
GapPenalties clustalPenalties(Alphabet alphabet, std::size_t letters, std::size_t others);

}  // namespace glycine::pairwise
