#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/sequences/sequences.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine::align::clustalw {

// The progressive stage of ClustalW 2.1: profiles with position-specific gap penalties.
//
// Sources: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W: improving the sensitivity of progressive
// multiple sequence alignment through sequence weighting, position-specific gap penalties and weight matrix
// choice", Nucleic Acids Research 22 (1994), 4673–4680; S. Pascarella, P. Argos, "Analysis of
// Where the papers leave details open, the code follows the program (docs/align.md).

/// Rows of equal length, gaps as kGapCode.
using Rows = std::vector<std::vector<std::uint8_t>>;

/// The sequences of a group that is already aligned.
struct Group {
    std::vector<const std::vector<std::uint8_t>*> rows;
    std::vector<int> weights;  ///< one per row, at least 1

    std::size_t columns() const { return rows.front()->size(); }
};

/// The cost of a new gap before position-specific adjustments.
struct GapCosts {
    double open = 0;
    double extend = 0;
    bool isProtein = true;
};

/// One side of a profile alignment: columns 1 … size, and for each the penalties of a gap that opens at it or
/// extends over it.
struct Profile {
    std::size_t size = 0;
    std::vector<int> values;  ///< kMaxCodes per column, from column 1
    std::vector<int> open;    ///< 0 … size
    std::vector<int> extend;  ///< 0 … size

    const int* column(std::size_t number) const { return values.data() + (number - 1) * kMaxCodes; }
};

/// Sets the penalties of each column. In a column with gaps, the opening is multiplied by the share of rows
/// without a gap, and the extension by a half. In other columns, nucleotides keep the usual penalties. For
/// proteins, a run of more than three residues of GPSNDQEKR in any row halves the opening; elsewhere the
/// opening is multiplied by the mean of the residues' factors by Pascarella and Argos, less 0.2. If the
/// column is d columns away from a gap, the opening is also multiplied by 2 + 2 (4 − d) / 4, with d ≤ 4 to
/// the left of the column and d ≤ 3 to its right. Gaps at the ends of rows are ignored in all of this. Each
/// penalty is at least 1, except at both ends of the profile, where gaps are free.
void setPenalties(Profile& profile, const Group& group, const GapCosts& costs);

/// For each column and code c: the weighted mean of scores[residue][c] over the rows, where a gap scores 0,
/// times the share of rows without a gap, rounded towards 0. Gaps at the ends of rows do not lower that
/// share.
Profile scoreProfile(const Group& group, const SubstitutionMatrix& scores);
/// For each column: the weights of its residues, in tenths of the sum of all weights, rounded down.
Profile frequencyProfile(const Group& group);

/// One step of a path: a column of both profiles, or a column of one against a gap in the other.
enum class Step : char { Both, First, Second };
inline constexpr std::size_t kSteps = 3;

struct ProfileAlignment {
    std::vector<Step> steps;  ///< from left to right
    int score = 0;
};

/// Sums of products of values are divided by this.
inline constexpr int kScoreUnit = 10;

/// The best path through two profiles, by Myers and Miller's division, in the memory of one row. Two columns
/// score a tenth of the sum of products of their values, rounded towards 0. Consider a gap that opens at
/// column i of the first profile and column j of the second. It costs the openings of both columns and the
/// extensions of the columns that it spans; at the ends of the other profile it is free. The division decides
/// between equally good paths, as in the paper. Where a division cuts a gap over columns of the first
/// profile, both halves go on without knowing the cost of its opening, which depends on its position.
/// ClustalW does the same. Therefore the steps may score less than `score`, which is the best path's.
///
/// Source: E. W. Myers, W. Miller, "Optimal alignments in linear space", CABIOS 4 (1988), 11–17.
ProfileAlignment alignProfiles(const Profile& first, const Profile& second);

/// The score of a sequence of steps through both profiles.
struct StepsSum {
    int score = 0;
    int openings = 0;  ///< cost of all gap openings, already subtracted from the score
};
/// Uses the scheme of alignProfiles, with each gap taken by itself: it opens at its first column.
StepsSum sumOfSteps(const Profile& first, const Profile& second, std::span<const Step> steps);

/// A part of the matrix of two profiles that a path crosses from corner to corner: `rows` columns of the
/// first profile after `row`, and `columns` of the second after `column`.
struct MatrixPart {
    std::size_t row = 0, column = 0, rows = 0, columns = 0;
    /// Whether a gap over columns of the first profile pays for its opening at that end of the part.
    bool opensBefore = true, opensAfter = true;

    /// A part with fewer rows or without columns is solved directly.
    bool isDivided() const { return rows > 1 && columns > 0; }
    /// The row at which the part is divided.
    std::size_t middle() const { return row + rows / 2; }
};

/// The scores along a part's middle row, for each column from one edge of the part to the other.
struct MiddleRow {
    std::span<const int> best;             ///< paths from the part's start
    std::span<const int> inRowGap;         ///< such paths that end in a gap over rows
    std::span<const int> reverseBest;      ///< paths to the part's end
    std::span<const int> reverseInRowGap;  ///< such paths that begin with a gap over rows
};

/// Where the best path of a part crosses its middle row.
struct Cut {
    int score = 0;
    std::size_t column = 0;  ///< counted from the part's edge
    bool isInGap = false;    ///< crossed by a gap over the rows on both sides
};
Cut cutOf(const Profile& first, const Profile& second, const MatrixPart& part, const MiddleRow& row);
/// Appends the parts that a cut makes of a part: both sides, and the rows of the gap between them.
void divide(const MatrixPart& part, const Cut& cut, std::vector<MatrixPart>& parts);

/// The best path through consecutive parts, from one end of the profiles to the other. The score is that of
/// the last part.
ProfileAlignment alignParts(const Profile& first, const Profile& second, std::span<const MatrixPart> parts);

/// Inserts a gap into the rows `members` wherever a path makes the step `gap`, which takes no column from
/// them.
void insertGaps(Rows& rows, std::span<const std::size_t> members, std::span<const Step> steps, Step gap);

}  // namespace glycine::align::clustalw
