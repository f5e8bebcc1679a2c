#include "engine/distance/missing_weights.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::distance {

namespace {

/// Calls visit(bit) for every 1 bit of `word`, in ascending order.
template <class Visit>
void forEachBit(std::uint64_t word, const Visit& visit) {
    for (; word != 0; word &= word - 1) visit(static_cast<std::size_t>(std::countr_zero(word)));
}

/// Words of the masks processed together: a cache line.
constexpr std::size_t kWords = 8;
constexpr std::size_t kAttributes = 64 * kWords;
/// Words of these whose tables fit into the first-level cache.
constexpr std::size_t kTableWords = 2;
/// Columns that 16-bit indices distinguish.
constexpr std::size_t kMaxColumns = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;

/// A few attributes, prepared for all rows.
///
/// Usually few entries are missing: for every attribute that the row lacks, it is fastest to visit the
/// columns that lack it, too. If much is missing, the weights that both lack are summed through tables, eight
/// attributes at a time, in constant time.
class AttributeGroup {
  public:
    /// `weights`: of the attributes of the group, at most kAttributes.
    AttributeGroup(MissingMasks columns, std::span<const std::uint64_t> weights) : masks_(columns) {
        std::ranges::copy(weights, weights_.begin());
        makeLists();
        // With fewer entries, the lists are faster even for a row that lacks everything.
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
    /// Whether this many list steps take longer than the tables. A table lookup for a word of a pair takes as
    /// long as 2.5 steps (measured with 2,000 × 20,000 entries), so both are equal when a fifth of all
    /// entries is missing.
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

/// Handles at most kMaxColumns columns; row r is compared with those before firstLimit + r.
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
    // The last rows of a diagonal tile are the longest, so they start first.
    parallelFor(threads, bands.size(), [&](std::size_t index, std::size_t) {
        const Range band = bands[bands.size() - 1 - index];
        for (std::size_t r = band.begin; r < band.end; ++r)
            for (std::size_t g = 0; g < groups.size(); ++g)
                groups[g]->addRow(rows.row(r) + words[g].begin, std::min(firstLimit + r, columns.rows()),
                                  sums.row(r));
    });
}

/// Adds to sums(r, c) the weights of the attributes that both row r of `rows` and row c of `columns` lack:
/// for c < r if `isDiagonal` (rows and columns are the same instances), else for all c. `weights`: one per
/// attribute. Exact modulo 2⁶⁴. Runs on `threads` threads.
void addBothMissing(MissingMasks rows, MissingMasks columns, bool isDiagonal,
                    std::span<const std::uint64_t> weights, MatrixView<std::uint64_t> sums, int threads) {
    for (const Range part : splitRange(columns.rows(), kMaxColumns)) {
        // On the diagonal, rows up to the part's first column have no pair in it.
        const std::size_t firstRow = isDiagonal ? part.begin : 0;
        const std::size_t rowCount = rows.rows() - firstRow;
        addToColumns(rows.block(firstRow, 0, rowCount, rows.columns()),
                     columns.block(part.begin, 0, part.size(), columns.columns()),
                     isDiagonal ? 0 : part.size(), weights,
                     sums.block(firstRow, part.begin, rowCount, part.size()), threads);
    }
}

constexpr std::size_t kPlaneBytes = std::size_t{32} << 20;  ///< read at once
constexpr std::size_t kLargestBlock = 1 << 14;              ///< attributes; their lists fit into the caches

std::size_t blockOf(const DiscreteShape& shape) {
    constexpr std::size_t kStep = 512;  // attributes per cache line of a plane
    const std::size_t planes = shape.instances * shape.storedPlanes();
    return std::clamp(8 * kPlaneBytes / planes / kStep * kStep, kStep, kLargestBlock);
}

/// The expected contribution of an attribute to a distance, unscaled.
double expectedContribution(std::uint32_t alleles, std::uint32_t genotypes) {
    if (genotypes == 0) return 0.5 * 0.5 * (0.5 * 0.5 - 0.5 + 1);
    const std::uint64_t all = 2 * std::uint64_t{genotypes};
    const std::uint64_t most = std::max<std::uint64_t>(alleles, all - alleles);
    const double q = static_cast<double>(most) / static_cast<double>(all);
    // Operations are in PLINK's order, because the result is rounded to an integer.
    return q < 1 ? q * (1 - q) * (q * q - q + 1) : q;
}

/// Contributions of the attributes of a block, from the genotypes of `founders`.
void setContributions(const PlaneBlock& planes, const DiscreteShape& shape,
                      const std::vector<std::size_t>& founders, double* contributions) {
    std::vector<AlleleCount> counts(planes.attributes());
    countAlleles(planes, shape, founders, counts.data());
    for (std::size_t k = 0; k < counts.size(); ++k)
        contributions[k] = expectedContribution(counts[k].alleles, counts[k].genotypes);
}

/// Inverts "known" to "missing"; bits past the last attribute stay 0.
void copyMasks(const PlaneBlock& planes, unsigned validPlane, MatrixView<std::uint64_t> masks) {
    const std::size_t tail = planes.attributes() % 64;
    parallelFor(omp_get_max_threads(), planes.instances(), [&](std::size_t i, std::size_t) {
        const std::uint64_t* valid = planes.plane(i, validPlane);
        for (std::size_t w = 0; w < masks.columns(); ++w) masks(i, w) = ~valid[w];
        if (tail > 0) masks(i, masks.columns() - 1) &= (std::uint64_t{1} << tail) - 1;
    });
}

/// Sum of the weights of the 1 bits.
std::uint64_t sumWeights(const std::uint64_t* mask, std::size_t words, const std::uint64_t* weights) {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < words; ++w)
        forEachBit(mask[w], [&](std::size_t bit) { sum += weights[64 * w + bit]; });
    return sum;
}

}  // namespace

MissingWeights::MissingWeights(const DiscreteSource& source, const std::vector<bool>& founders,
                               Progress& progress, std::size_t mostMaskBytes, WeightScale scale)
    : source_(source), block_(blockOf(source.shape())), missing_(source.shape().instances, 0) {
    const DiscreteShape& shape = source.shape();
    if (!shape.isGenotypes) throw UsageError("missing entries are weighted among genotypes only");
    if (!founders.empty() && founders.size() != shape.instances)
        throw UsageError(
            fmt::format("{} marks of founders for {} instances", founders.size(), shape.instances));
    const std::vector<std::size_t> counted = markedOf(founders, shape.instances);
    const std::size_t words = (shape.attributes + 63) / 64;
    const bool isKept = shape.hasMissing && words * shape.instances * sizeof(std::uint64_t) <= mostMaskBytes;
    if (isKept) masks_ = Matrix<std::uint64_t>(shape.instances, words);
    std::vector<double> contributions(shape.attributes);
    const std::vector<Range> blocks = splitRange(shape.attributes, block_);
    progress.begin("allele frequencies", static_cast<double>(blocks.size()));
    for (const Range attributes : blocks) {
        const PlaneBlock planes = source.readPlanes({0, shape.instances}, attributes);
        setContributions(planes, shape, counted, contributions.data() + attributes.begin);
        if (isKept)
            copyMasks(planes, shape.planes,
                      masks_.view().block(0, attributes.begin / 64, shape.instances,
                                          (attributes.size() + 63) / 64));
        progress.advance(1);
    }
    setWeights(contributions, scale);
    if (!shape.hasMissing) return;

    progress.begin("weights of missing genotypes", static_cast<double>(blocks.size()));
    for (const Range attributes : blocks) {
        Matrix<std::uint64_t> store;
        const MissingMasks lacking = masks({0, shape.instances}, attributes, store);
        parallelFor(omp_get_max_threads(), shape.instances, [&](std::size_t i, std::size_t) {
            missing_[i] += sumWeights(lacking.row(i), lacking.columns(), weights_.data() + attributes.begin);
        });
        progress.advance(1);
    }
}

double MissingWeights::bytes(const DiscreteShape& shape) {
    const auto attributes = static_cast<double>(shape.attributes);
    const double masks = static_cast<double>(shape.instances) * (attributes / 8);
    const double block = std::min(masks * shape.storedPlanes(), static_cast<double>(kPlaneBytes));
    return (masks <= static_cast<double>(kMaxMaskBytes) ? masks : 0) + block +
           attributes * (sizeof(double) + sizeof(std::uint64_t));
}

void MissingWeights::setWeights(const std::vector<double>& unscaled, WeightScale fineness) {
    double sum = 0;
    for (const double contribution : unscaled) sum += contribution;
    const double all = fineness == WeightScale::Fine ? 0x1p62 : 0x1p32 - static_cast<double>(unscaled.size());
    const double scale = all / sum;
    weights_.reserve(unscaled.size());
    for (const double contribution : unscaled) {
        weights_.push_back(static_cast<std::uint64_t>(std::floor(contribution * scale + 0.5)));
        total_ += weights_.back();
    }
}

MissingMasks MissingWeights::masks(Range instances, Range attributes, Matrix<std::uint64_t>& store) const {
    const std::size_t words = (attributes.size() + 63) / 64;
    if (!masks_.empty())
        return masks_.view().block(instances.begin, attributes.begin / 64, instances.size(), words);
    store = Matrix<std::uint64_t>(instances.size(), words);
    copyMasks(source_.readPlanes(instances, attributes), source_.shape().planes, store.view());
    return store.view();
}

void MissingWeights::sumBothMissing(const PairTile& tile, MatrixView<std::uint64_t> bothMissing,
                                    Progress& progress) const {
    for (std::size_t r = 0; r < bothMissing.rows(); ++r)
        std::fill_n(bothMissing.row(r), bothMissing.columns(), 0);
    if (!source_.shape().hasMissing) return;
    for (const Range attributes : splitRange(source_.shape().attributes, block_)) {
        progress.throwIfCancelled();
        Matrix<std::uint64_t> rowStore;
        Matrix<std::uint64_t> columnStore;
        const MissingMasks rows = masks(tile.rows, attributes, rowStore);
        const MissingMasks columns = tile.isDiagonal() ? rows : masks(tile.columns, attributes, columnStore);
        addBothMissing(rows, columns, tile.isDiagonal(),
                       std::span(weights_).subspan(attributes.begin, attributes.size()), bothMissing,
                       omp_get_max_threads());
    }
}

}  // namespace glycine::distance
