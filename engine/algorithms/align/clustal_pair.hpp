#pragma once

#include <cstdint>
#include <span>

#include "engine/algorithms/align/pairwise.hpp"

namespace glycine::align {

/// A pair as ClustalW 2.1 aligns it ("slow" pairwise alignments), so that its percentages follow:
///
/// 1. The best local alignment ends in the first cell with the highest score, row by row.
/// 2. Backwards from there, it begins in the first cell that reaches this score.
/// 3. Both parts between are aligned from end to end in linear memory (E. W. Myers & W. Miller, CABIOS 4
///    (1988)), where gaps at the two ends are charged no opening. Of equally good cuts of a row, the first
///    that goes through a cell counts, and a later one where it is entered by no gap but left by one.
///
/// `a`, the sequence that comes first in the input, has the rows: of equally good alignments another may
/// be found with the sequences exchanged. The score is the local one. Printed is ⌊100 · identities / letters
/// of the shorter sequence⌋.
PairResult alignAsClustalW(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                           const SubstitutionMatrix& matrix, const GapPenalties& gaps,
                           const CellProgress& advance);

}  // namespace glycine::align
