#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::align {

/// Summary statistics of an alignment.
struct AlignmentSummary {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t conserved = 0;  ///< columns with one letter in all rows
    double identical = 0;       ///< pairs of equal letters in a column, over all columns
    double pairs = 0;           ///< pairs of letters in a column, over all columns
    std::size_t gaps = 0;       ///< number of '-' in all rows
};
AlignmentSummary summarize(const MultipleAlignment& alignment);

/// The conservation of each column, 0 … 1: (1 − H / log₂ K) · (share of rows with a letter). H is the entropy
/// in bits of the letters that stand for a single residue; K is their number in the alphabet (20 or 4).
/// Columns without such letters have 0.
///
/// Source: T. D. Schneider, R. M. Stephens, "Sequence logos", Nucleic Acids Research 18 (1990), 6097–6100,
/// without their correction for few sequences; the share of gaps is ours.
std::vector<double> conservation(const MultipleAlignment& alignment);

// ---- distances of rows

// Distances between the rows of an alignment.

enum class DistanceCorrection {
    None,    ///< the share of differing letters
    Kimura,  ///< corrects for multiple replacements at one site
};
constexpr auto namesOf(DistanceCorrection) {
    return namesAre<DistanceCorrection>(
        "correction", {{DistanceCorrection::None, "none"}, {DistanceCorrection::Kimura, "kimura"}});
}

/// The distance in replacements per site of two proteins that differ in a share k of their letters: −ln(1 − k
/// − k²/5) below k = 0.75, Dayhoff's table up to 0.93 (k rounded down to thousandths), 10 beyond.
///
/// Source: M. Kimura, "The neutral theory of molecular evolution" (1983), 75. The table holds the values that
/// ClustalW 2.1 uses, from M. O. Dayhoff, R. M. Schwartz, B. C. Orcutt, "A model of evolutionary change in
/// proteins", Atlas of Protein Sequence and Structure 5, suppl. 3 (1978), 345–352.
double kimuraProtein(double share);

/// The distance of two nucleotide sequences with share P of transitions (A–G, C–T) and share Q of other
/// differences: −½ ln(1 − 2P − Q) − ¼ ln(1 − 2Q). Infinite where this is undefined.
///
/// Source: M. Kimura, "A simple method for estimating evolutionary rates of base substitutions", Journal of
/// Molecular Evolution 16 (1980), 111–120.
double kimuraNucleotide(double transitions, double others);

struct AlignmentDistanceOptions {
    DistanceCorrection correction = DistanceCorrection::None;
    bool leavesOutGaps = false;  ///< ignore columns with a gap in any row
    /// The distance of two rows that share no column with letters of both; absent: such rows are refused.
    std::optional<double> ofSeparateRows{};
};

/// Distances of all pairs of rows below the diagonal, (1,0), (2,0), (2,1), …, over the columns in which both
/// rows have a letter. `weights` says how often each column counts; if it is empty, each counts once.
///
/// Throws InputError naming two rows if no column has letters of both, or if they differ too much for the
/// correction.
std::vector<double> alignmentDistances(const MultipleAlignment& alignment,
                                       const AlignmentDistanceOptions& options,
                                       const std::vector<std::uint32_t>& weights, Progress& progress);

}  // namespace glycine::align
