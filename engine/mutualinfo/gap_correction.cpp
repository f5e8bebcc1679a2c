#include "engine/mutualinfo/gap_correction.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/statistics/polynomial_fit.hpp"

namespace glycine::mutualinfo {

namespace {

constexpr std::size_t kWordBits = 64;

std::size_t wordsOf(std::size_t samples) {
    return (samples + kWordBits - 1) / kWordBits;
}

}  // namespace

CommonSamples::CommonSamples(ExpressionView expression)
    : samples_(expression.columns()), counts_(expression.rows()), places_(expression.rows()) {
    parallelFor(omp_get_max_threads(), counts_.size(), [&](std::size_t gene, std::size_t) {
        const double* values = expression.row(gene);
        counts_[gene] =
            samples_ - static_cast<std::size_t>(std::count_if(values, values + samples_,
                                                              [](double one) { return std::isnan(one); }));
    });
    const std::size_t words = wordsOf(samples_);
    std::size_t wanted = 0;
    for (std::size_t gene = 0; gene < counts_.size(); ++gene)
        if (counts_[gene] < samples_) {
            places_[gene] = wanted;
            wanted += words;
        }
    requireHostMemory("the common samples of all pairs", static_cast<double>(wanted) * sizeof(std::uint64_t));
    bits_.resize(wanted);
    parallelFor(omp_get_max_threads(), counts_.size(), [&](std::size_t gene, std::size_t) {
        if (counts_[gene] == samples_) return;
        for (std::size_t s = 0; s < samples_; ++s)
            if (!std::isnan(expression(gene, s)))
                bits_[places_[gene] + s / kWordBits] |= std::uint64_t{1} << (s % kWordBits);
    });
}

CommonSamples::CommonSamples(std::size_t genes, std::size_t samples)
    : samples_(samples), counts_(genes, samples), places_(genes) {}

std::size_t CommonSamples::of(std::size_t i, std::size_t j) const {
    if (counts_[i] == samples_) return counts_[j];
    if (counts_[j] == samples_) return counts_[i];
    std::size_t common = 0;
    const std::uint64_t* a = bits_.data() + places_[i];
    const std::uint64_t* b = bits_.data() + places_[j];
    for (std::size_t word = 0; word < wordsOf(samples_); ++word)
        common += static_cast<std::size_t>(std::popcount(a[word] & b[word]));
    return common;
}

std::vector<std::size_t> CommonSamples::genesBelow(std::size_t values) const {
    std::vector<std::size_t> genes;
    for (std::size_t gene = 0; gene < counts_.size(); ++gene)
        if (counts_[gene] < values) genes.push_back(gene);
    return genes;
}

namespace {

/// Numbers of common samples for which moments are measured; a curve is fitted between them.
constexpr std::size_t kSizes = 20;
constexpr std::size_t kDegree = 5;
/// Smaller deviations are due to rounding.
constexpr double kNoDeviation = 1e-6;
/// Genes per block. All pairs within a block are measured.
constexpr std::size_t kBlockGenes = 40;
constexpr std::size_t kBlocks = 6;

struct EstimateSums {
    double count = 0;
    double sum = 0;
    double squares = 0;

    void add(double value) { count += 1, sum += value, squares += value * value; }
    EstimateSums& operator+=(const EstimateSums& more) {
        count += more.count, sum += more.sum, squares += more.squares;
        return *this;
    }
    double mean() const { return count > 0 ? sum / count : 0; }
    double deviation() const {
        return count > 0 ? std::sqrt(std::max(0.0, squares / count - mean() * mean())) : 0;
    }
};
using FamilySums = std::array<EstimateSums, 3>;

/// The joint table of two genes, with reusable buffers.
class JointTable {
  public:
    explicit JointTable(const SplineBasis& basis)
        : bins_(basis.bins()), order_(basis.order()), joint_(bins_ * bins_), rows_(bins_), columns_(bins_) {}

    /// Mutual information in bits over the first `common` samples, which both genes must have.
    double information(const GeneWeights& x, const GeneWeights& y, std::size_t common) {
        if (x.isConstant || y.isConstant) return 0;
        std::ranges::fill(joint_, 0);
        switch (order_) {
            case 1:
                fill<1>(x, y, common);
                break;
            case 2:
                fill<2>(x, y, common);
                break;
            case 3:
                fill<3>(x, y, common);
                break;
            case 4:
                fill<4>(x, y, common);
                break;
            default:
                fill<0>(x, y, common);
        }
        std::ranges::fill(columns_, 0);
        double entropies = 0;
        for (std::size_t i = 0; i < bins_; ++i) {
            double row = 0;
            for (std::size_t j = 0; j < bins_; ++j) {
                const double value = joint_[i * bins_ + j];
                if (value == 0) continue;
                row += value;
                columns_[j] += value;
                entropies += value * std::log2(value);
            }
            rows_[i] = row;
        }
        for (const std::vector<double>* sums : {&rows_, &columns_})
            for (const double value : *sums)
                if (value > 0) entropies -= value * std::log2(value);
        // Σ p log p with p = value / common: one log(common) remains of the three sums.
        const auto samples = static_cast<double>(common);
        return std::max(0.0, entropies / samples + std::log2(samples));
    }

  private:
    /// `kOrder` 0: any order.
    template <std::size_t kOrder>
    void fill(const GeneWeights& x, const GeneWeights& y, std::size_t common) {
        const std::size_t order = kOrder > 0 ? kOrder : order_;
        for (std::size_t s = 0; s < common; ++s) {
            double* table = joint_.data() + x.firstBins[s] * bins_ + y.firstBins[s];
            const double* ofX = x.weights.data() + s * order;
            const double* ofY = y.weights.data() + s * order;
            for (std::size_t i = 0; i < order; ++i)
                for (std::size_t j = 0; j < order; ++j) table[i * bins_ + j] += ofX[i] * ofY[j];
        }
    }

    std::size_t bins_;
    std::size_t order_;
    std::vector<double> joint_;
    std::vector<double> rows_;
    std::vector<double> columns_;
};

/// Permuted genes, whose pairs are measured for various numbers of common samples.
class PermutedBlock {
  public:
    /// `genes`: without gaps; the block uses kBlockGenes rows from row `block` · kBlockGenes on.
    PermutedBlock(const Matrix<double>& genes, const SplineOptions& splines, const NullMoments::Plan& plan,
                  std::size_t block)
        : basis_(splines), transform_(splines.transform) {
        const std::size_t samples = genes.columns();
        RandomSequence random(derivedSeed(plan.seed, block));
        std::vector<std::size_t> drawn(samples);
        std::iota(drawn.begin(), drawn.end(), 0);
        if (plan.isResampled) {
            for (std::size_t& sample : drawn) sample = random.below(samples);
            // Copies of a sample are adjacent, so a prefix of the samples contains nearly all copies or none.
            std::ranges::sort(drawn);
        }
        std::vector<double> permuted(samples);
        for (std::size_t g = 0; g < kBlockGenes; ++g) {
            std::copy_n(genes.row(block * kBlockGenes + g), samples, permuted.begin());
            shuffle(std::span(permuted), random);
            std::vector<double>& values = values_.emplace_back();
            for (const std::size_t sample : drawn) values.push_back(permuted[sample]);
            parts_.push_back(weightsOf(values, basis_, transform_));
        }
    }

    FamilySums measure(std::size_t common) const {
        JointTable table(basis_);
        std::vector<GeneWeights> own;
        for (const std::vector<double>& values : values_)
            own.push_back(weightsOf({values.data(), common}, basis_, transform_));
        FamilySums sums;
        for (std::size_t i = 0; i < own.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                sums[0].add(table.information(own[i], own[j], common));
                sums[1].add(table.information(own[i], parts_[j], common));
                sums[1].add(table.information(parts_[i], own[j], common));
                sums[2].add(table.information(parts_[i], parts_[j], common));
            }
        return sums;
    }

  private:
    SplineBasis basis_;
    Transform transform_;
    std::vector<std::vector<double>> values_;  ///< of all samples
    std::vector<GeneWeights> parts_;           ///< weights of values_
};

/// Varying genes for all blocks, repeated if there are few. Empty if there are none.
Matrix<double> drawnGenes(ExpressionView expression, const NullMoments::Plan& plan) {
    const std::vector<std::size_t> varying = varyingGenes(expression, plan.least);
    std::vector<std::size_t> drawn;
    RandomSequence random(derivedSeed(plan.seed, kBlocks));
    for (std::size_t g = 0; g < kBlocks * kBlockGenes && !varying.empty(); ++g)
        drawn.push_back(varying[random.below(varying.size())]);
    return withoutGaps(expression, drawn);
}

/// Sizes from least to most, in roughly equal ratios.
std::vector<std::size_t> sizesBetween(std::size_t least, std::size_t most) {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < kSizes; ++i) {
        const double share = static_cast<double>(i) / (kSizes - 1);
        const double size = static_cast<double>(least) *
                            std::pow(static_cast<double>(most) / static_cast<double>(least), share);
        sizes.push_back(std::clamp(static_cast<std::size_t>(std::lround(size)), least, most));
    }
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// Rounds so that results are the same on all machines, whose logarithms differ in the last bit.
double withoutLastBits(double bits) {
    return std::round(bits * 0x1p40) * 0x1p-40;
}

/// Smooth curves through the measured means and deviations: polynomials in ln m, for the logarithms of both.
std::vector<NullMoments::Moments> smoothed(const std::vector<std::size_t>& sizes,
                                           const std::vector<EstimateSums>& measured) {
    std::vector<NullMoments::Moments> curve(sizes.back() - sizes.front() + 1);
    std::vector<double> places, means, deviations;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (measured[i].deviation() < kNoDeviation) continue;
        places.push_back(std::log(static_cast<double>(sizes[i])));
        means.push_back(std::log(measured[i].mean()));
        deviations.push_back(std::log(measured[i].deviation()));
    }
    // With few samples, all pairs may have the same value. For these sizes, the measured means are used.
    for (std::size_t i = 0, next = 0; i < curve.size(); ++i) {
        if (sizes.front() + i >= sizes[std::min(next + 1, sizes.size() - 1)])
            next = std::min(next + 1, sizes.size() - 1);
        curve[i].mean = withoutLastBits(measured[next].mean());
    }
    if (places.empty()) return curve;
    const statistics::PolynomialFit mean(places, means, kDegree);
    const statistics::PolynomialFit deviation(places, deviations, kDegree);
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const double place = std::log(static_cast<double>(sizes.front() + i));
        if (place < places.front()) continue;
        curve[i] = {withoutLastBits(std::exp(mean(place))), withoutLastBits(std::exp(deviation(place)))};
    }
    return curve;
}

}  // namespace

NullMoments::NullMoments(ExpressionView expression, const SplineOptions& requested, const Plan& plan,
                         Progress& progress)
    : samples_(expression.columns()), least_(std::clamp<std::size_t>(plan.least, 1, samples_)) {
    constexpr std::size_t kFewestBlocks = 2;
    constexpr double kWork = 1e8;  // products and logarithms per size, at most, unless kFewestBlocks need
                                   // more
    const SplineOptions splines = withImplied(requested);
    if (isCorrelation(splines.estimator)) throw UsageError("correlations have no null distribution here");
    const Matrix<double> genes = drawnGenes(expression, {.least = least_, .seed = plan.seed});
    if (genes.rows() == 0) return;
    const std::vector<std::size_t> sizes = sizesBetween(least_, samples_);
    const double bins = static_cast<double>(splines.bins);
    const auto order = static_cast<double>(splines.order);
    const auto workOf = [&](std::size_t size) {
        const double products = static_cast<double>(size) * order * order;
        return static_cast<double>(2 * kBlockGenes * (kBlockGenes - 1)) *
               (products + bins * bins + 10 * std::min(products, bins * bins));
    };
    std::vector<std::size_t> blocks;
    double work = 0;
    for (const std::size_t size : sizes) {
        blocks.push_back(std::clamp(static_cast<std::size_t>(kWork / workOf(size)), kFewestBlocks, kBlocks));
        work += static_cast<double>(blocks.back()) * workOf(size);
    }
    progress.begin("null distribution of common samples", work);
    std::vector<std::array<FamilySums, kBlocks>> found(sizes.size());
    parallelFor(omp_get_max_threads(), kBlocks, [&](std::size_t block, std::size_t) {
        const PermutedBlock permuted(genes, splines, plan, block);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (block >= blocks[i]) continue;
            found[i][block] = permuted.measure(sizes[i]);
            progress.advance(workOf(sizes[i]));
        }
    });
    for (const Curve curve : {Own, Mixed, Part}) {
        std::vector<EstimateSums> measured(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i)
            for (const FamilySums& sums : found[i]) measured[i] += sums[curve];
        curves_[curve] = smoothed(sizes, measured);
    }
}

NullMoments::Moments NullMoments::of(std::size_t common, std::size_t first, std::size_t second) const {
    if (common == samples_) return whole();
    const double all = 1 - static_cast<double>(common) / static_cast<double>(samples_);
    const auto shareOf = [&](std::size_t values) {
        return (1 - static_cast<double>(common) / static_cast<double>(values)) / all;
    };
    const auto between = [](double a, double b, double own, double mixed, double part) {
        return (1 - a) * (1 - b) * own + (a * (1 - b) + (1 - a) * b) * mixed + a * b * part;
    };
    const double a = shareOf(first), b = shareOf(second);
    const Moments own = at(Own, common), mixed = at(Mixed, common), part = at(Part, common);
    return {.mean = between(a, b, own.mean, mixed.mean, part.mean),
            .deviation = between(std::sqrt(a), std::sqrt(b), own.deviation, mixed.deviation, part.deviation)};
}

std::size_t defaultOverlap(std::size_t bins, std::size_t samples) {
    constexpr std::size_t kFewest = 12;
    return std::min({2 * bins, std::max(kFewest, (samples + 1) / 2), samples});
}

std::size_t overlapOf(const GapOptions& options, const SplineOptions& splines, std::size_t samples) {
    if (!options.minOverlap)
        return options.rule == GapRule::Standardised ? defaultOverlap(splines.bins, samples) : 1;
    if (*options.minOverlap > samples)
        throw UsageError(fmt::format("--min-overlap {}: there {} {}, which no pair can exceed",
                                     *options.minOverlap, samples == 1 ? "is" : "are",
                                     formatCount(samples, "sample")));
    return *options.minOverlap;
}

std::size_t defaultOrder(const SplineOptions& splines, GapRule rule, bool haveGaps) {
    constexpr std::size_t kUsual = SplineOptions{}.order;
    const bool isSmoother = haveGaps && rule == GapRule::Standardised && splines.bins > kUsual + 1;
    return isSmoother ? kUsual + 1 : kUsual;
}

SharedMoments momentsFor(ExpressionView expression, const SplineOptions& splines, GapRule rule,
                         const NullMoments::Plan& plan, Progress& progress) {
    if (rule == GapRule::Raw || isCorrelation(splines.estimator)) return {};
    bool haveGaps = false;
    for (std::size_t gene = 0; gene < expression.rows() && !haveGaps; ++gene)
        haveGaps = std::any_of(expression.row(gene), expression.row(gene) + expression.columns(),
                               [](double value) { return std::isnan(value); });
    return haveGaps ? std::make_shared<const NullMoments>(expression, splines, plan, progress) : nullptr;
}

double GapCorrection::corrected(std::size_t i, std::size_t j, double information) const {
    const std::size_t common = common_.of(i, j);
    if (common < minOverlap_) return std::numeric_limits<double>::quiet_NaN();
    if (!moments_ || common == common_.samples() || std::isnan(information)) return information;
    constexpr double kSteepest = 10;
    const NullMoments::Moments whole = moments_->whole();
    const NullMoments::Moments null = moments_->of(common, common_.of(i), common_.of(j));
    if (null.deviation <= 0) return whole.mean * unit_;
    const double bits = information / unit_;
    const double standardised = whole.mean + whole.deviation * (bits - null.mean) / null.deviation;
    return std::clamp(standardised, 0.0, kSteepest * bits * whole.mean / null.mean) * unit_;
}

double GapCorrection::errorOf(std::size_t i, std::size_t j, double information, double error) const {
    const double value = corrected(i, j, information);
    return std::max(corrected(i, j, information + error) - value,
                    value - corrected(i, j, std::max(0.0, information - error)));
}

void CorrectedInformationSink::store(const pairs::PairTile& tile, MatrixView<const double> values) {
    if (!correction_.isNeeded()) {
        sink_.store(tile, values);
        return;
    }
    if (corrected_.size() < values.rows() * values.columns())
        corrected_ = Matrix<double>(values.rows(), values.columns());
    const MatrixView<double> corrected(corrected_.data(), values.rows(), values.columns());
    parallelFor(omp_get_max_threads(), values.rows(), [&](std::size_t r, std::size_t) {
        const std::size_t row = tile.rows.begin + r;
        for (std::size_t c = 0; c < values.columns(); ++c) {
            const std::size_t column = tile.columns.begin + c;
            corrected(r, c) = column < row ? correction_.corrected(row, column, values(r, c)) : 0;
        }
    });
    sink_.store(tile, corrected);
}

}  // namespace glycine::mutualinfo
