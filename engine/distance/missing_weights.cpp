#include "engine/distance/missing_weights.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/distance/bit_column_counter.hpp"

namespace glycine::distance {

namespace {

constexpr std::size_t kPlaneBytes = std::size_t{32} << 20;  ///< that are read at once
constexpr std::size_t kLargestBlock = 1 << 14;              ///< attributes; lists for them fit the caches

std::size_t blockOf(const DiscreteShape& shape) {
    constexpr std::size_t kStep = 512;  // attributes in a cache line of a plane
    const std::size_t planes = shape.instances * shape.storedPlanes();
    return std::clamp(8 * kPlaneBytes / planes / kStep * kStep, kStep, kLargestBlock);
}

/// The expected contribution of an attribute to a distance, unscaled.
double expectedContribution(std::uint32_t alleles, std::uint32_t genotypes) {
    if (genotypes == 0) return 0.5 * 0.5 * (0.5 * 0.5 - 0.5 + 1);
    const std::uint64_t all = 2 * std::uint64_t{genotypes};
    const std::uint64_t most = std::max<std::uint64_t>(alleles, all - alleles);
    const double q = static_cast<double>(most) / static_cast<double>(all);
    // The order of operations is PLINK's: the result is rounded to an integer.
    return q < 1 ? q * (1 - q) * (q * q - q + 1) : q;
}

/// Contributions of the attributes of a block, by the genotypes of `founders`.
void setContributions(const PlaneBlock& planes, const DiscreteShape& shape,
                      const std::vector<std::size_t>& founders, double* contributions) {
    constexpr std::size_t kGroup = BitColumnCounter::kWords;
    const std::size_t words = (planes.attributes() + 63) / 64;
    parallelFor(omp_get_max_threads(), (words + kGroup - 1) / kGroup, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * kGroup;
        const std::size_t count = std::min(kGroup, words - first);
        BitColumnCounter alleles;
        BitColumnCounter genotypes;
        for (const std::size_t i : founders) {
            alleles.add(planes.plane(i, 0) + first, count);
            alleles.add(planes.plane(i, 1) + first, count);
            if (shape.hasMissing) genotypes.add(planes.plane(i, shape.planes) + first, count);
        }
        const std::size_t end = std::min((first + count) * 64, planes.attributes());
        for (std::size_t k = first * 64; k < end; ++k) {
            const std::size_t word = k / 64 - first;
            const auto bit = static_cast<unsigned>(k % 64);
            contributions[k] = expectedContribution(
                alleles.count(word, bit),
                shape.hasMissing ? genotypes.count(word, bit) : static_cast<std::uint32_t>(founders.size()));
        }
    });
}

/// Turns "has a value" into "lacks it"; bits past the last attribute stay 0.
void copyMasks(const PlaneBlock& planes, unsigned validPlane, MatrixView<std::uint64_t> masks) {
    const std::size_t tail = planes.attributes() % 64;
    parallelFor(omp_get_max_threads(), planes.instances(), [&](std::size_t i, std::size_t) {
        const std::uint64_t* valid = planes.plane(i, validPlane);
        for (std::size_t w = 0; w < masks.columns(); ++w) masks(i, w) = ~valid[w];
        if (tail > 0) masks(i, masks.columns() - 1) &= (std::uint64_t{1} << tail) - 1;
    });
}

/// Sum of the weights of the bits that are 1.
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
    std::vector<std::size_t> counted;
    for (std::size_t i = 0; i < shape.instances; ++i)
        if (founders.empty() || founders[i]) counted.push_back(i);

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
    return (masks <= static_cast<double>(kMostMaskBytes) ? masks : 0) + block +
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
