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

/// Alignments of all pairs of N sequences: their scores, and how many letters are identical in them.
///
/// Sources: S. B. Needleman & C. D. Wunsch, J. Mol. Biol. 48 (1970), T. F. Smith & M. S. Waterman, J. Mol.
/// Biol. 147 (1981), with affine gaps: O. Gotoh, J. Mol. Biol. 162 (1982). The first stage of ClustalW on
/// graphics processors: C. S. Khaladkar (University of Western Australia, 2009); W. Liu et al., GPU-ClustalW
/// (2006), who carry identities in the recurrence.
namespace glycine::pairwise {

/// What is aligned, and which of the best alignments counts.
enum class PairMethod {
    Global,    ///< both sequences from end to end, gaps at the ends included
    Local,     ///< a part of each; the empty alignment, of score 0, is one
    ClustalW,  ///< as ClustalW 2.1 does it, to the letter (clustal_pair.hpp)
};
constexpr auto namesOf(PairMethod) {
    using enum PairMethod;
    return namesAre<PairMethod>("method", {{Global, "global"}, {Local, "local"}, {ClustalW, "clustalw"}});
}

/// What a result file holds of each pair.
enum class PairMeasure {
    Score,     ///< of the best alignment, in the unit of the matrix
    Identity,  ///< identical letters of the alignment / letters of the shorter sequence
    Distance,  ///< 1 − identity
    Mismatch,  ///< different letters / pairs of letters without a gap; of thesisScoring alone
};
constexpr auto namesOf(PairMeasure) {
    using enum PairMeasure;
    return namesAre<PairMeasure>(
        "measure",
        {{Score, "score"}, {Identity, "identity"}, {Distance, "distance"}, {Mismatch, "mismatch"}});
}

/// The ways to compute, over all backends. Which backend offers which: `glycine list`.
enum class Variant {
    Default,    ///< the backend's own choice
    Serial,     ///< reference: one cell after another
    InterPair,  ///< cpu: one sequence with many others, a pair in each lane of a register
    InterTask,  ///< cuda: one sequence with many others, a pair in each thread of a warp
    /// gl: a cell a fragment, an anti-diagonal of all pairs a pass. cuda: one pair after another, an
    /// anti-diagonal of blocks of cells a launch.
    Antidiagonal,
    AntidiagonalResident,  ///< cuda: the same with all sequences on the device, which are otherwise sent a
                           ///< pair
    /// cuda: Khaladkar's kernels as printed, for his scores alone: a pair's matrix in global memory, which
    /// goes to the host and back for each pair, as its sequences do.
    CalculateMatrix,
    CalculateMatrixResident,  ///< cuda: the same with all sequences and the matrix on the device
    Packed,                   ///< gl: as Antidiagonal, cells of four pairs a fragment
    Blocked,                  ///< gl: a tile of cells a fragment, an anti-diagonal of tiles a pass
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

/// How pairs are aligned. ClustalW's method has scores of its own and reads neither matrix nor gaps.
struct PairScoring {
    PairMethod method = PairMethod::Global;
    SubstitutionMatrix matrix{};
    GapPenalties gaps{};
};
/// Khaladkar's scheme: equal letters 1, others −1, −2 for each letter of a gap.
PairScoring thesisScoring(Alphabet alphabet);
bool isThesisScoring(const PairScoring& scoring);

/// What is found of a pair. Of all alignments with the highest score, that with most identities counts:
/// (score, identities) is the lexicographically largest. Letters are identical when their codes are; a letter
/// that stands for several residues is identical to itself.
struct PairResult {
    std::int64_t score = 0;
    std::int64_t identities = 0;
    auto operator<=>(const PairResult&) const = default;
};
/// Told now and then how many cells of a pair were computed since; may throw.
using CellProgress = std::function<void(double cells)>;

/// The value of a pair with these numbers of letters. Mismatches follow from the thesis' scores: with a pairs
/// of equal letters, b of others and g letters beside gaps, a − b − 2 g is the score and 2 a + 2 b + g the
/// number of letters.
double valueOf(PairMeasure measure, const PairResult& result, std::size_t letters, std::size_t others);

struct PairwiseOptions {
    PairScoring scoring{};
    PairMeasure measure = PairMeasure::Distance;
    Variant variant = Variant::Default;
    std::size_t tile = 0;  ///< side of the output tiles; 0: what suits the backend
};

struct PairwiseReport : pairs::RunOutcome {
    std::size_t sequences = 0;
    double cells = 0;          ///< of all pairs: products of their lengths
    double cellsComputed = 0;  ///< of the tiles that were computed
};

/// Whether `backend` can compute this; also "no" when it has no implementation at all.
Support supportsPairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options);

/// Side of the tiles of the output for these options: the user's, or what suits the backend; at most the
/// number of sequences.
std::size_t tileSide(Backend& backend, const Sequences& sequences, const PairwiseOptions& options);

/// Aligns all pairs, tile by tile, and hands the measure of each tile to `sink`. Tiles that the sink already
/// has are left out. Sequences have no gaps and at least one letter each. All backends find the same numbers.
///
/// Throws UsageError for unknown enumerators, PairMeasure::Mismatch with other scores, penalties out of
/// range, and a matrix that is for another alphabet, has other codes, is not symmetric or has scores beyond
/// kLargestScore (ClustalW's method reads no matrix); InputError for no sequences, and as checkSequences;
/// UnavailableError when the backend cannot run this (nothing was handed over), CancelledError or
/// DeviceError.
PairwiseReport computePairwise(Backend& backend, const Sequences& sequences, const PairwiseOptions& options,
                               pairs::PairSink& sink, Progress& progress);

}  // namespace glycine::pairwise
