#include "engine/distance/both_missing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::distance {

namespace {

/// Words of the masks that are worked on together: a cache line.
constexpr std::size_t kWords = 8;
constexpr std::size_t kAttributes = 64 * kWords;
/// Of them, those whose tables fit the first-level cache.
constexpr std::size_t kTableWords = 2;
/// Columns that 16 bits tell apart.
constexpr std::size_t kMostColumns = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;

/// A few attributes, prepared for all rows.
///
/// Few entries are missing as a rule: then the work is to go through the columns that lack an attribute, for
/// every attribute that the row lacks. Where much is missing, the weights that both lack are summed eight
/// attributes at a time through tables, however many they are.
class AttributeGroup {
  public:
    /// `weights`: of the attributes of the group, at most kAttributes.
    AttributeGroup(MissingMasks columns, std::span<const std::uint64_t> weights) : masks_(columns) {
        std::ranges::copy(weights, weights_.begin());
        makeLists();
        // Below this, the lists are the better way even for a row that lacks everything.
        if (isLong(listed_.size())) makeTables();
    }

    /// Adds to sums[c], c < `limit`, for one row; `row` begins at the group's first word.
    void addRow(const std::uint64_t* row, std::size_t limit, std::uint64_t* sums) const {
        if (listed_.empty()) return;
        std::size_t missing = 0;
        for (std::size_t w = 0; w < masks_.columns(); ++w)
            missing += static_cast<std::size_t>(std::popcount(row[w]));
        if (missing == 0) return;
        if (!tables_.empty() && isLong(missing * listed_.size() / (64 * masks_.columns())))
            addByTables(row, limit, sums);
        else
            addByLists(row, limit, sums);
    }

  private:
    /// Whether so many steps through the lists take longer than the tables. A word of a pair takes the time
    /// of 2.5 steps (measured with 2,000 × 20,000 entries): both ways are equal when a fifth of all entries
    /// is missing.
    bool isLong(std::size_t steps) const { return 2 * steps > 5 * masks_.rows() * masks_.columns(); }

    void makeLists() {
        for (std::size_t c = 0; c < masks_.rows(); ++c)
            for (std::size_t w = 0; w < masks_.columns(); ++w)
                forEachBit(masks_(c, w), [&](std::size_t bit) { ++ends_[64 * w + bit + 1]; });
        for (std::size_t k = 0; k < kAttributes; ++k) ends_[k + 1] += ends_[k];
        listed_.resize(ends_[kAttributes]);
        std::array<std::uint32_t, kAttributes> next;
        std::copy_n(ends_.begin(), kAttributes, next.begin());
        for (std::size_t c = 0; c < masks_.rows(); ++c)
            for (std::size_t w = 0; w < masks_.columns(); ++w)
                forEachBit(masks_(c, w), [&](std::size_t bit) {
                    listed_[next[64 * w + bit]++] = static_cast<std::uint16_t>(c);
                });
    }

    void makeTables() {
        tables_.resize(8 * masks_.columns());
        for (std::size_t t = 0; t < tables_.size(); ++t)
            for (std::size_t byte = 1; byte < 256; ++byte)
                tables_[t][byte] = tables_[t][byte & (byte - 1)] +
                                   weights_[8 * t + static_cast<std::size_t>(std::countr_zero(byte))];
    }

    void addByLists(const std::uint64_t* row, std::size_t limit, std::uint64_t* sums) const {
        for (std::size_t w = 0; w < masks_.columns(); ++w)
            forEachBit(row[w], [&](std::size_t bit) {
                const std::size_t k = 64 * w + bit;
                const std::uint64_t weight = weights_[k];
                const std::uint16_t* end = listed_.data() + ends_[k + 1];
                for (const std::uint16_t* c = listed_.data() + ends_[k]; c != end && *c < limit; ++c)
                    sums[*c] += weight;
            });
    }

    void addByTables(const std::uint64_t* row, std::size_t limit, std::uint64_t* sums) const {
        for (std::size_t first = 0; first < masks_.columns(); first += kTableWords) {
            const std::size_t end = std::min(first + kTableWords, masks_.columns());
            for (std::size_t c = 0; c < limit; ++c) {
                std::uint64_t sum = 0;
                for (std::size_t w = first; w < end; ++w) {
                    const std::uint64_t both = row[w] & masks_(c, w);
                    for (std::size_t byte = 0; byte < 8; ++byte)
                        sum += tables_[8 * w + byte][both >> 8 * byte & 255U];
                }
                sums[c] += sum;
            }
        }
    }

    Matrix<std::uint64_t> masks_;  ///< of the columns
    std::array<std::uint64_t, kAttributes> weights_{};
    /// Columns that lack attribute k, ascending: listed_[ends_[k]] … listed_[ends_[k + 1] − 1].
    std::array<std::uint32_t, kAttributes + 1> ends_{};
    std::vector<std::uint16_t> listed_;
    /// Sum of the weights of the attributes 8·t + (bits of the index).
    std::vector<std::array<std::uint64_t, 256>> tables_;
};

/// At most kMostColumns columns; row r is compared with those before firstLimit + r.
void addToColumns(MissingMasks rows, MissingMasks columns, std::size_t firstLimit,
                  std::span<const std::uint64_t> weights, MatrixView<std::uint64_t> sums, int threads) {
    const std::vector<Range> words = splitRange(columns.columns(), kWords);
    std::vector<std::unique_ptr<AttributeGroup>> groups(words.size());
    parallelFor(threads, words.size(), [&](std::size_t g, std::size_t) {
        const std::size_t first = 64 * words[g].begin;
        groups[g] = std::make_unique<AttributeGroup>(
            columns.block(0, words[g].begin, columns.rows(), words[g].size()),
            weights.subspan(first, std::min(kAttributes, weights.size() - first)));
    });
    constexpr std::size_t kRows = 16;
    const std::vector<Range> bands = splitRange(rows.rows(), kRows);
    // The last rows of a tile on the diagonal are the longest: they come first.
    parallelFor(threads, bands.size(), [&](std::size_t index, std::size_t) {
        const Range band = bands[bands.size() - 1 - index];
        for (std::size_t r = band.begin; r < band.end; ++r)
            for (std::size_t g = 0; g < groups.size(); ++g)
                groups[g]->addRow(rows.row(r) + words[g].begin, std::min(firstLimit + r, columns.rows()),
                                  sums.row(r));
    });
}

}  // namespace

void addBothMissing(MissingMasks rows, MissingMasks columns, bool isDiagonal,
                    std::span<const std::uint64_t> weights, MatrixView<std::uint64_t> sums, int threads) {
    for (const Range part : splitRange(columns.rows(), kMostColumns)) {
        // On the diagonal, rows up to the part's first column have no pair in it.
        const std::size_t firstRow = isDiagonal ? part.begin : 0;
        const std::size_t rowCount = rows.rows() - firstRow;
        addToColumns(rows.block(firstRow, 0, rowCount, rows.columns()),
                     columns.block(part.begin, 0, part.size(), columns.columns()),
                     isDiagonal ? 0 : part.size(), weights,
                     sums.block(firstRow, part.begin, rowCount, part.size()), threads);
    }
}

}  // namespace glycine::distance
