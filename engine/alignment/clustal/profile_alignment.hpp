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
// insertions/deletions in protein structures", Journal of Molecular Biology 224 (1992), 461–471. What the
// papers leave open follows the program, as docs/align.md tells.

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

/// One step of a path: columns of both profiles, or of one beside a gap in the other.
enum class Step : char { Both, First, Second };
inline constexpr std::size_t kSteps = 3;

struct ProfileAlignment {
    std::vector<Step> steps;  ///< from left to right
    int score = 0;
};

/// Sums of products of values are divided by it.
inline constexpr int kScoreUnit = 10;

/// The best path through two profiles by Myers and Miller's division, in memory of one row. Two columns score
/// a tenth of the sum of products of their values, rounded towards 0. A gap over columns of one profile,
/// beside column i of the first and j of the second where it opens, costs both columns' openings and the
/// extensions of those that it runs over; beside the ends of the other profile nothing. Which of equally good
/// paths is taken follows from the division, as the paper has it. Where a division cuts a gap over columns of
/// the first profile, both halves choose on without knowing what opening it has cost, which depends on its
/// place, as ClustalW's do: the steps may come to less than `score`, which is that of the best path.
///
/// Source: E. W. Myers, W. Miller, "Optimal alignments in linear space", CABIOS 4 (1988), 11–17.
ProfileAlignment alignProfiles(const Profile& first, const Profile& second);

/// What steps come to that go through both profiles.
struct StepsSum {
    int score = 0;
    int openings = 0;  ///< of all gaps, which the score has lost
};
/// By the scheme of alignProfiles, each gap by itself: it opens where its first column stands.
StepsSum sumOfSteps(const Profile& first, const Profile& second, std::span<const Step> steps);

/// A part of the matrix of two profiles, from corner to corner of which a path goes: `rows` columns of the
/// first profile behind `row`, `columns` of the second behind `column`.
struct Part {
    std::size_t row = 0, column = 0, rows = 0, columns = 0;
    /// Whether a gap over columns of the first profile is a new one at that end.
    bool opensBefore = true, opensBehind = true;

    /// Of fewer rows the path is found at once.
    bool isDivided() const { return rows > 1 && columns > 0; }
    /// The row where it is divided.
    std::size_t middle() const { return row + rows / 2; }
};

/// What is known of a part's middle row, in each column from the part's edge to its other one.
struct MiddleRow {
    std::span<const int> best;             ///< of paths from the part's beginning
    std::span<const int> inRowGap;         ///< of those that end in a gap over rows
    std::span<const int> reverseBest;      ///< of paths to its end
    std::span<const int> reverseInRowGap;  ///< of those that begin with a gap over rows
};

/// Where the best path of a part crosses its middle row.
struct Cut {
    int score = 0;
    std::size_t column = 0;  ///< from the part's edge on
    bool isInGap = false;    ///< over the rows at both sides
};
Cut cutOf(const Profile& first, const Profile& second, const Part& part, const MiddleRow& row);
/// Appends what a cut leaves of a part: both sides, and the rows of the gap between them.
void divide(const Part& part, const Cut& cut, std::vector<Part>& parts);

/// The best path through parts that follow upon each other from one end of the profiles to the other. Its
/// score is that of the last part.
ProfileAlignment alignParts(const Profile& first, const Profile& second, std::span<const Part> parts);

/// Puts a gap into the rows `members` wherever a path makes the step `gap`, in which their columns take no
/// part.
void insertGaps(Rows& rows, std::span<const std::size_t> members, std::span<const Step> steps, Step gap);

}  // namespace glycine::align::clustalw
