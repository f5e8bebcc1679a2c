#include "engine/alignment/alignment_summary.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/text.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::align {

namespace {

/// Counts of each code in each column, gaps included.
class LettersOfColumn {
  public:
    explicit LettersOfColumn(const MultipleAlignment& alignment) : counts_(alignment.columns()) {
        for (const std::string& row : alignment.rows)
            for (std::size_t column = 0; column < row.size(); ++column)
                ++counts_[column][codeOf(alignment.alphabet, row[column])];
    }
    const std::array<std::size_t, kMaxCodes>& of(std::size_t column) const { return counts_[column]; }

  private:
    std::vector<std::array<std::size_t, kMaxCodes>> counts_;
};

}  // namespace

AlignmentSummary summarize(const MultipleAlignment& alignment) {
    checkRows(alignment);
    AlignmentSummary summary{.rows = alignment.size(), .columns = alignment.columns()};
    const LettersOfColumn counts(alignment);
    const auto pairsOfMany = [](std::size_t count) {
        return static_cast<double>(count) * (static_cast<double>(count) - 1) / 2;
    };
    for (std::size_t column = 0; column < summary.columns; ++column) {
        const std::array<std::size_t, kMaxCodes>& here = counts.of(column);
        summary.gaps += here[kGapCode];
        summary.pairs += pairsOfMany(summary.rows - here[kGapCode]);
        for (std::size_t code = 0; code < kGapCode; ++code) {
            if (here[code] == 0) continue;
            summary.identical += pairsOfMany(here[code]);
            summary.conserved += here[code] == summary.rows ? 1U : 0U;
        }
    }
    return summary;
}

std::vector<double> conservation(const MultipleAlignment& alignment) {
    checkRows(alignment);
    const LettersOfColumn counts(alignment);
    const std::size_t definite = definiteCodes(alignment.alphabet);
    std::vector<double> conserved(alignment.columns(), 0);
    for (std::size_t column = 0; column < conserved.size(); ++column) {
        const std::array<std::size_t, kMaxCodes>& here = counts.of(column);
        double letters = 0;
        for (std::size_t code = 0; code < definite; ++code) letters += static_cast<double>(here[code]);
        if (letters == 0) continue;
        double entropy = 0;
        for (std::size_t code = 0; code < definite; ++code)
            if (const double share = static_cast<double>(here[code]) / letters; share > 0)
                entropy -= share * std::log2(share);
        const double occupied = letters / static_cast<double>(alignment.size());
        conserved[column] = (1 - entropy / std::log2(static_cast<double>(definite))) * occupied;
    }
    return conserved;
}

// ---- distances of rows

namespace {

/// Distances in hundredths, for shares of 0.750, 0.751, …, 0.930.
constexpr std::array<int, 181> kDayhoff{
    195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 209, 210, 211, 212, 213,
    214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 226, 227, 228, 229, 230, 231, 232, 233, 234, 236,
    237, 238, 239, 240, 241, 243, 244, 245, 246, 248, 249, 250, 252, 253, 254, 255, 257, 258, 260, 261, 262,
    264, 265, 267, 268, 270, 271, 273, 274, 276, 277, 279, 281, 282, 284, 285, 287, 289, 291, 292, 294, 296,
    298, 299, 301, 303, 305, 307, 309, 311, 313, 315, 317, 319, 321, 323, 325, 328, 330, 332, 335, 337, 339,
    342, 344, 347, 349, 352, 354, 357, 360, 362, 365, 368, 371, 374, 377, 380, 383, 386, 389, 393, 396, 399,
    403, 407, 410, 414, 418, 422, 426, 430, 434, 438, 442, 447, 451, 456, 461, 466, 471, 476, 482, 487, 493,
    498, 504, 511, 517, 524, 531, 538, 545, 553, 560, 569, 577, 586, 595, 605, 615, 626, 637, 649, 661, 675,
    688, 703, 719, 736, 754, 775, 796, 819, 845, 874, 907, 945, 988};
constexpr double kFirstOfTable = 0.75;
constexpr double kLastOfTable = 0.93;
constexpr double kBeyond = 10;

/// Letter comparisons of two rows.
struct LetterPairCounts {
    std::uint64_t compared = 0;
    std::uint64_t differing = 0;
    std::uint64_t transitions = 0;  ///< among the differing
};

/// Rows as codes, with the weight of each column; columns with gaps have weight 0 if they are to be left out.
class CountedRows {
  public:
    CountedRows(const MultipleAlignment& alignment, const AlignmentDistanceOptions& options,
                const std::vector<std::uint32_t>& weights)
        : isNucleotide_(isNucleotide(alignment.alphabet)),
          rows_(codedRows(alignment)),
          weights_(weights.empty() ? std::vector<std::uint32_t>(alignment.columns(), 1) : weights) {
        if (!options.leavesOutGaps) return;
        for (const std::vector<std::uint8_t>& row : rows_)
            for (std::size_t column = 0; column < row.size(); ++column)
                if (row[column] == kGapCode) weights_[column] = 0;
    }

    LetterPairCounts count(std::size_t a, std::size_t b) const {
        LetterPairCounts counts;
        for (std::size_t column = 0; column < weights_.size(); ++column) {
            const std::uint8_t one = rows_[a][column];
            const std::uint8_t other = rows_[b][column];
            const bool areLetters = one != kGapCode && other != kGapCode;
            const std::uint64_t weight = areLetters ? weights_[column] : 0;
            counts.compared += weight;
            counts.differing += one != other ? weight : 0;
            counts.transitions += isTransition(one, other) ? weight : 0;
        }
        return counts;
    }

  private:
    /// Codes of A, C, G and T are 0 … 3.
    bool isTransition(std::uint8_t a, std::uint8_t b) const {
        return isNucleotide_ && a < 4 && b < 4 && (a ^ b) == 2;
    }

    bool isNucleotide_;
    std::vector<std::vector<std::uint8_t>> rows_;
    std::vector<std::uint32_t> weights_;
};

}  // namespace

double kimuraProtein(double share) {
    checkNumber("the share of differing letters", share, share >= 0 && share <= 1, "0 … 1");
    if (share < kFirstOfTable) return -std::log(1 - share - share * share / 5);
    if (share > kLastOfTable) return kBeyond;
    const auto entry = static_cast<std::size_t>(share * 1000 - kFirstOfTable * 1000);
    return kDayhoff[std::min(entry, kDayhoff.size() - 1)] / 100.0;
}

double kimuraNucleotide(double transitions, double others) {
    const double both = 1 - 2 * transitions - others;
    const double rest = 1 - 2 * others;
    if (both <= 0 || rest <= 0) return std::numeric_limits<double>::infinity();
    return -std::log(both) / 2 - std::log(rest) / 4;
}

std::vector<double> alignmentDistances(const MultipleAlignment& alignment,
                                       const AlignmentDistanceOptions& options,
                                       const std::vector<std::uint32_t>& weights, Progress& progress) {
    checkKnown(options.correction);
    checkRows(alignment);
    if (!weights.empty())
        checkCount("the weights", weights.size(), alignment.columns(), "one for each column, or none");
    if (options.ofSeparateRows)
        checkNumber("the distance of separate rows", *options.ofSeparateRows, *options.ofSeparateRows >= 0,
                    "a number of at least 0");
    const std::size_t n = alignment.size();
    const CountedRows rows(alignment, options, weights);
    std::vector<double> distances(n * (n - 1) / 2);
    progress.begin("distances of rows", static_cast<double>(distances.size()));
    const auto fail = [&](std::size_t a, std::size_t b, std::string_view why) {
        throw InputError(fmt::format("rows {} ('{}') and {} ('{}') {}", b + 1, excerpt(alignment.names[b]),
                                     a + 1, excerpt(alignment.names[a]), why));
    };
    parallelFor(omp_get_max_threads(), n, [&](std::size_t index, std::size_t) {
        // Start with the longest rows of the triangle.
        const std::size_t a = n - 1 - index;
        for (std::size_t b = 0; b < a; ++b) {
            const LetterPairCounts counts = rows.count(a, b);
            if (counts.compared == 0 && options.ofSeparateRows) {
                distances[a * (a - 1) / 2 + b] = *options.ofSeparateRows;
                continue;
            }
            if (counts.compared == 0)
                fail(a, b, "have no column with letters of both; expected rows that can be compared");
            const auto compared = static_cast<double>(counts.compared);
            double distance = static_cast<double>(counts.differing) / compared;
            if (options.correction == DistanceCorrection::Kimura)
                distance = isNucleotide(alignment.alphabet)
                               ? kimuraNucleotide(
                                     static_cast<double>(counts.transitions) / compared,
                                     static_cast<double>(counts.differing - counts.transitions) / compared)
                               : kimuraProtein(distance);
            if (!std::isfinite(distance))
                fail(a, b, "are too different for Kimura's correction; expected fewer differing letters");
            distances[a * (a - 1) / 2 + b] = distance;
        }
        progress.advance(static_cast<double>(a));
    });
    return distances;
}

}  // namespace glycine::align
