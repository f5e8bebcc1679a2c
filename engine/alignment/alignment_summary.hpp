#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::align {

/// An alignment in numbers.
struct AlignmentSummary {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t conserved = 0;  ///< columns with one letter in all rows
    double identical = 0;  ///< of the pairs of letters in a column, over all columns, those that are equal
    double pairs = 0;      ///< of letters in a column
    std::size_t gaps = 0;  ///< '-' in all rows
};
AlignmentSummary summarize(const MultipleAlignment& alignment);

/// How much each column conserves, 0 … 1: (1 − H / log₂ K) · (share of rows with a letter), with H the
/// entropy in bits of the letters that stand for one residue, and K the number of these in the alphabet (20
/// or 4). Columns without such letters: 0.
///
/// Source: T. D. Schneider, R. M. Stephens, "Sequence logos", Nucleic Acids Research 18 (1990), 6097–6100,
/// without their correction for few sequences; the share of gaps is ours.
std::vector<double> conservation(const MultipleAlignment& alignment);

// ---- distances of rows

// Distances between the rows of an alignment.

enum class DistanceCorrection {
    None,    ///< the share of differing letters
    Kimura,  ///< for replacements at one place that hide each other
};
constexpr auto namesOf(DistanceCorrection) {
    return namesAre<DistanceCorrection>(
        "correction", {{DistanceCorrection::None, "none"}, {DistanceCorrection::Kimura, "kimura"}});
}

/// The distance of two proteins a share k of whose letters differ, in replacements a place: −ln(1 − k − k²/5)
/// below k = 0.75, a table of Dayhoff's up to 0.93 (by the thousandth below), beyond 10.
///
/// Source: M. Kimura, "The neutral theory of molecular evolution" (1983), 75; the table is what ClustalW 2.1
/// finds, from M. O. Dayhoff, R. M. Schwartz, B. C. Orcutt, "A model of evolutionary change in proteins",
/// Atlas of Protein Sequence and Structure 5, suppl. 3 (1978), 345–352.
double kimuraProtein(double share);

/// The distance of two nucleotide sequences with these shares of transitions (A–G, C–T) and other
/// differences: −½ ln(1 − 2P − Q) − ¼ ln(1 − 2Q). Infinite where that has no value.
///
/// Source: M. Kimura, "A simple method for estimating evolutionary rates of base substitutions", Journal of
/// Molecular Evolution 16 (1980), 111–120.
double kimuraNucleotide(double transitions, double others);

struct AlignmentDistanceOptions {
    DistanceCorrection correction = DistanceCorrection::None;
    bool leavesOutGaps = false;  ///< columns with a gap in any row count for no pair
    /// Of rows that no column has letters of both of; absent: they are refused.
    std::optional<double> ofSeparateRows{};
};

/// Distances of all pairs of rows below the diagonal, (1,0), (2,0), (2,1), …, over the columns in which both
/// have a letter. `weights`: how often each column counts; empty: once.
///
/// Throws InputError that names two rows: no column has letters of both, or they are too different for the
/// correction.
std::vector<double> alignmentDistances(const MultipleAlignment& alignment,
                                       const AlignmentDistanceOptions& options,
                                       const std::vector<std::uint32_t>& weights, Progress& progress);

}  // namespace glycine::align
