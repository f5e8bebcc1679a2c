#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/core/backend.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/sequences/substitution.hpp"

/// Alignments of all pairs of N sequences: their scores and numbers of identical letters.
///
/// Sources: S. B. Needleman & C. D. Wunsch, J. Mol. Biol. 48 (1970); T. F. Smith & M. S. Waterman, J. Mol.
/// Biol. 147 (1981); affine gaps: O. Gotoh, J. Mol. Biol. 162 (1982). The first stage of ClustalW on graphics
/// processors: C. S. Khaladkar (University of Western Australia, 2009); W. Liu et al., GPU-ClustalW (2006),
/// which carries identities in the recurrence.
namespace glycine::pairwise {

/// The parts of sequences that are aligned, and the choice among the best alignments.
enum class PairMethod {
    Global,    ///< both sequences from end to end, gaps at the ends included
    Local,     ///< a part of each; the empty alignment, of score 0, is one
    ClustalW,  ///< exactly as ClustalW 2.1 does (clustal_pair.hpp)
};
constexpr auto namesOf(PairMethod) {
    using enum PairMethod;
    return namesAre<PairMethod>("method", {{Global, "global"}, {Local, "local"}, {ClustalW, "clustalw"}});
}

/// The value that a result file holds for each pair.
enum class PairMeasure {
    Score,     ///< of the best alignment, in the unit of the matrix
    Identity,  ///< identical letters of the alignment / letters of the shorter sequence
    Distance,  ///< 1 − identity
    Mismatch,  ///< different letters / pairs of letters without a gap; thesisScoring only
};
constexpr auto namesOf(PairMeasure) {
    using enum PairMeasure;
    return namesAre<PairMeasure>(
        "measure",
        {{Score, "score"}, {Identity, "identity"}, {Distance, "distance"}, {Mismatch, "mismatch"}});
}

/// The variants of all backends. `glycine list` shows which backend offers which.
enum class Variant {
    Default,    ///< the backend's default
    Serial,     ///< reference: one cell after another
    InterPair,  ///< cpu: one sequence with many others, one pair per register lane
    InterTask,  ///< cuda: one sequence with many others, one pair per thread of a warp
    /// gl: one cell per fragment, one anti-diagonal of all pairs per pass. cuda: one pair after another, one
    /// anti-diagonal of blocks of cells per launch.
    Antidiagonal,
    AntidiagonalResident,  ///< cuda: the same with all sequences kept on the device instead of sent per pair
    /// cuda: Khaladkar's kernels as printed, for his scores only. A pair's matrix is in global memory and is
    /// copied to the host and back for each pair, as are its sequences.
    CalculateMatrix,
    CalculateMatrixResident,  ///< cuda: the same with all sequences and the matrix on the device
    Packed,                   ///< gl: like Antidiagonal, with cells of four pairs per fragment
    Blocked,                  ///< gl: one tile of cells per fragment, one anti-diagonal of tiles per pass
};
constexpr auto namesOf(Variant) {
    using enum Variant;
    return namesAre<Variant>("variant", {{Default, "default"},
                                         {Serial, "serial"},
                                         {InterPair, "interpair"},
                                         {InterTask, "intertask"},
                                         {Antidiagonal, "antidiagonal"},
                                         {AntidiagonalResident, "antidiagonal-resident"},
                                         {CalculateMatrix, "calculatematrix"},
                                         {CalculateMatrixResident, "calculatematrix-resident"},
                                         {Packed, "packed"},
                                         {Blocked, "blocked"}});
}

/// The scoring of pairs. ClustalW's method has its own scores and ignores the matrix and gaps.
struct PairScoring {
    PairMethod method = PairMethod::Global;
    SubstitutionMatrix matrix{};
    GapPenalties gaps{};
};
/// Khaladkar's scheme: equal letters 1, others −1, −2 for each letter of a gap.
PairScoring thesisScoring(Alphabet alphabet);
bool isThesisScoring(const PairScoring& scoring);

/// The result for a pair. Among all alignments with the highest score, the one with most identities counts:
/// (score, identities) is the lexicographic maximum. Letters are identical if their codes are; an ambiguous
/// letter is identical to itself.
struct PairResult {
    std::int64_t score = 0;
    std::int64_t identities = 0;
    auto operator<=>(const PairResult&) const = default;
};
/// Called from time to time with the number of cells computed since the last call; may throw.
using CellProgress = std::function<void(double cells)>;

/// The value of a pair of sequences of these lengths. Mismatches follow from the thesis' scores: with a pairs
/// of equal letters, b other pairs and g letters in gaps, the score is a − b − 2 g and the number of letters
/// 2 a + 2 b + g.
double valueOf(PairMeasure measure, const PairResult& result, std::size_t letters, std::size_t others);

struct PairwiseOptions {
    PairScoring scoring{};
    PairMeasure measure = PairMeasure::Distance;
    Variant variant = Variant::Default;
    std::size_t tile = 0;  ///< side of the output tiles; 0: chosen to suit the backend
};

struct PairwiseReport : pairs::RunOutcome {
    std::size_t sequences = 0;
    double cells = 0;          ///< of all pairs: products of their lengths
    double cellsComputed = 0;  ///< of the tiles computed in this run
};

/// Whether `backend` can compute this; also "no" if it has no implementation at all.
Support supportsPairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options);

/// Side of the output tiles for these options: the user's choice, or one that suits the backend; at most the
/// number of sequences.
std::size_t tileSide(Backend& backend, const Sequences& sequences, const PairwiseOptions& options);

/// Aligns all pairs, tile by tile, and passes the measure of each tile to `sink`, skipping tiles that the
/// sink already has. Sequences must have no gaps and at least one letter each. All backends give the same
/// numbers.
///
/// Throws UsageError for unknown enumerators, PairMeasure::Mismatch with other scores, and penalties out of
/// range. It also throws UsageError for a matrix that is for another alphabet, has other codes, is not
/// symmetric or has scores beyond kLargestScore (ClustalW's method reads no matrix). Throws InputError for no
/// sequences and what checkSequences throws; UnavailableError if the backend cannot run this (before any
/// result is passed on); CancelledError or DeviceError.
PairwiseReport computePairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options,
                               pairs::PairSink& sink, Progress& progress);

}  // namespace glycine::pairwise
