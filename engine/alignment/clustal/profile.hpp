#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/sequences/sequences.hpp"
#include "engine/sequences/substitution.hpp"

/// The progressive stage of ClustalW 2.1: profiles with position-specific gap penalties.
///
/// Sources: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W: improving the sensitivity of progressive
/// multiple sequence alignment through sequence weighting, position-specific gap penalties and weight matrix
/// choice", Nucleic Acids Research 22 (1994), 4673–4680; S. Pascarella, P. Argos, "Analysis of
/// insertions/deletions in protein structures", Journal of Molecular Biology 224 (1992), 461–471. What the
/// papers leave open follows the program, as docs/align.md tells.
namespace glycine::align::clustalw {

/// Rows of equal length, gaps as kGapCode.
using Rows = std::vector<std::vector<std::uint8_t>>;

/// The sequences of a group that is aligned already.
struct Group {
    std::vector<const std::vector<std::uint8_t>*> rows;
    std::vector<int> weights;  ///< one a row, at least 1

    std::size_t columns() const { return rows.front()->size(); }
};

/// What a new gap costs, before anything is known of its place.
struct GapCosts {
    double open = 0;
    double extend = 0;
    bool isProtein = true;
};

/// A side of a profile alignment: columns 1 … size, and penalties for a gap that opens at, or extends over,
/// each.
struct Profile {
    std::size_t size = 0;
    std::vector<int> values;  ///< kMostCodes a column, from column 1 on
    std::vector<int> open;    ///< 0 … size
    std::vector<int> extend;  ///< 0 … size

    const int* column(std::size_t number) const { return values.data() + (number - 1) * kMostCodes; }
};

/// Penalties of each column. In a column that has gaps, the opening is multiplied by the share of rows
/// without one, the extension by a half. In others, opening a gap costs 2 + 2 (4 − d) / 4 times as much d
/// columns away from a gap, d ≤ 4 to the left of the column and d ≤ 3 to its right; of proteins, in a run of
/// more than three residues of GPSNDQEKR in any row half as much, else the mean of the residues' factors by
/// Pascarella and Argos, less 0.2. Gaps at the ends of rows count for none of that. Nothing costs less than
/// 1, but for gaps at both ends of the profile, which cost nothing.
void setPenalties(Profile& profile, const Group& group, const GapCosts& costs);

/// Of each column and code c, the weighted mean of scores[residue][c] over the rows, in which a gap scores 0,
/// times the share of rows that have no gap there (gaps at the ends of rows do not count for that), rounded
/// down.
Profile scoreProfile(const Group& group, const SubstitutionMatrix& scores);
/// Of each column the weights of its residues, in tenths of all weights, rounded down.
Profile frequencyProfile(const Group& group);

}  // namespace glycine::align::clustalw
