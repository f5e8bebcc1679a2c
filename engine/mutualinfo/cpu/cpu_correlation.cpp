#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/cpu/product_kernel.hpp"
#include "engine/mutualinfo/device_correlation.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

constexpr std::size_t kPart = 64;        ///< genes on either side of a thread's part of a tile
constexpr std::size_t kPartBlock = 256;  // samples packed at a time; they fit in the second-level cache

/// Packed data per gene: values (0 if missing), 1 for each present value, and squares.
enum Packed : std::size_t { kValues, kPresent, kSquares, kPackedKinds };
/// Sums over the samples that both genes have: products of the packed data of the row and of the column.
enum Sum : std::size_t { kXY, kCount, kX, kY, kXX, kYY, kSums };
constexpr std::array<std::array<Packed, 2>, kSums> kFactors{{{kValues, kValues},
                                                             {kPresent, kPresent},
                                                             {kValues, kPresent},
                                                             {kPresent, kValues},
                                                             {kSquares, kPresent},
                                                             {kPresent, kSquares}}};

/// Least share of a sum of squares that must remain after subtracting the mean. With a smaller share, the
/// difference of sums would lose two digits or more.
constexpr double kLeastShare = 0.01;

/// Least sum of squares of a standardised gene, whose squares over all samples add up to 1. With a smaller
/// sum, rounding leaves fewer than 12 digits.
constexpr double kLeastSquares = 1e-8;

/// Replaces values by their deviations from the mean, in units of the largest difference from the first one.
/// Returns false if all are equal.
bool deviate(std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*least == *most) return false;
    // The difference of halves does not overflow.
    const double unit = std::max(std::abs(*least), std::abs(*most)) > 1 ? 0.5 : 1;
    const double first = unit * values.front();
    double largest = 0;
    for (double& value : values) {
        value = unit * value - first;
        largest = std::max(largest, std::abs(value));
    }
    double sum = 0;
    for (double& value : values) sum += value /= largest;
    const double mean = sum / static_cast<double>(values.size());
    for (double& value : values) value -= mean;
    return true;
}

/// r over the samples that are NaN in neither of two genes, which may have any magnitude: 0 if one is
/// constant there, NaN if there are none.
double correlationOfCommon(const double* x, const double* y, std::size_t samples) {
    std::vector<double> ofX, ofY;
    for (std::size_t s = 0; s < samples; ++s)
        if (!std::isnan(x[s]) && !std::isnan(y[s])) ofX.push_back(x[s]), ofY.push_back(y[s]);
    if (ofX.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (!deviate(ofX) || !deviate(ofY)) return 0;
    double products = 0, squaresX = 0, squaresY = 0;
    for (std::size_t s = 0; s < ofX.size(); ++s) {
        products += ofX[s] * ofY[s];
        squaresX += ofX[s] * ofX[s];
        squaresY += ofY[s] * ofY[s];
    }
    return std::clamp(products / std::sqrt(squaresX * squaresY), -1.0, 1.0);
}

/// Packs samples `block` of genes `range` into strips.
void packStrips(const Matrix<double>& genes, Range range, Range block, Packed kind, double* strips) {
    for (std::size_t g = 0; g < roundUp(range.size(), kProductStrip); ++g) {
        double* strip = strips + g / kProductStrip * block.size() * kProductStrip + g % kProductStrip;
        if (g >= range.size()) {
            for (std::size_t s = 0; s < block.size(); ++s) strip[s * kProductStrip] = 0;
            continue;
        }
        const double* values = genes.row(range.begin + g) + block.begin;
        for (std::size_t s = 0; s < block.size(); ++s) {
            const bool isPresent = !std::isnan(values[s]);
            const double value = isPresent ? values[s] : 0;
            strip[s * kProductStrip] = kind == kValues    ? value
                                       : kind == kPresent ? static_cast<double>(isPresent)
                                                          : value * value;
        }
    }
}

/// `cpu products`: genes are standardised, and r of two genes without gaps is the sum of their products. If a
/// gene has gaps, six such sums give the moments over the common samples.
class CorrelationRun final : public InformationRun {
  public:
    CorrelationRun(ExpressionView expression, Transform transform, InstructionSet instructions, int threads);
    std::string_view variantName() const override { return toString(Variant::Products); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;

  private:
    /// One thread's buffers.
    struct Workspace;

    /// Computes the elements of `part`, whose rows and columns are relative to the tile.
    void computePart(const StandardisedGenes& rows, const StandardisedGenes& columns,
                     const pairs::PairTile& part, MatrixView<double> values, Workspace& workspace) const;

    const ExpressionView expression_;
    const Transform transform_;
    const ProductKernel kernel_;
    const int threads_;
    StandardisedGenes rows_, columns_;
    Range rowRange_{0, 0};  ///< genes in rows_
    pairs::PairTimes times_;
};

struct CorrelationRun::Workspace {
    Matrix<double> rows{kPackedKinds, kPart* kPartBlock};
    Matrix<double> columns{kPackedKinds, kPart* kPartBlock};
    std::array<Matrix<double>, kSums> sums{};
};

CorrelationRun::CorrelationRun(ExpressionView expression, Transform transform, InstructionSet instructions,
                               int threads)
    : expression_(expression),
      transform_(transform),
      kernel_(kernelFor<ProductKernel>(instructions)),
      threads_(threads) {}

void CorrelationRun::computePart(const StandardisedGenes& rows, const StandardisedGenes& columns,
                                 const pairs::PairTile& part, MatrixView<double> values,
                                 Workspace& workspace) const {
    const std::size_t samples = expression_.columns();
    const auto haveGaps = [](const StandardisedGenes& genes, Range range) {
        return std::any_of(genes.hasGaps.begin() + static_cast<std::ptrdiff_t>(range.begin),
                           genes.hasGaps.begin() + static_cast<std::ptrdiff_t>(range.end),
                           [](char has) { return has != 0; });
    };
    const bool gaps = haveGaps(rows, part.rows) || haveGaps(columns, part.columns);
    const std::size_t sums = gaps ? kSums : std::size_t{1};
    const std::size_t height = roundUp(part.rows.size(), kProductStrip);
    const std::size_t width = roundUp(part.columns.size(), kProductStrip);
    for (std::size_t q = 0; q < sums; ++q) {
        if (workspace.sums[q].empty()) workspace.sums[q] = Matrix<double>(kPart, kPart);
        std::fill_n(workspace.sums[q].data(), kPart * kPart, 0.0);
    }
    for (const Range block : splitRange(samples, kPartBlock)) {
        for (std::size_t kind = 0; kind < (gaps ? std::size_t{kPackedKinds} : 1); ++kind) {
            packStrips(rows.values, part.rows, block, static_cast<Packed>(kind), workspace.rows.row(kind));
            packStrips(columns.values, part.columns, block, static_cast<Packed>(kind),
                       workspace.columns.row(kind));
        }
        for (std::size_t q = 0; q < sums; ++q)
            kernel_.addProducts({.rows = workspace.rows.row(kFactors[q][0]),
                                 .columns = workspace.columns.row(kFactors[q][1]),
                                 .samples = block.size(),
                                 .sums = workspace.sums[q].view().block(0, 0, height, width)});
    }
    for (std::size_t i = 0; i < part.rows.size(); ++i)
        for (std::size_t j = 0; j < part.columns.size(); ++j) {
            const std::size_t r = part.rows.begin + i, c = part.columns.begin + j;
            const auto sum = [&](Sum which) { return workspace.sums[which](i, j); };
            double& value = values(r, c);
            if (rows.hasGaps[r] == 0 && columns.hasGaps[c] == 0) {
                value = std::clamp(sum(kXY), -1.0, 1.0);
                continue;
            }
            const double count = sum(kCount);
            const double squaresX = sum(kXX) - sum(kX) * sum(kX) / count;
            const double squaresY = sum(kYY) - sum(kY) * sum(kY) / count;
            if (count == 0)
                value = std::numeric_limits<double>::quiet_NaN();
            else if (transform_ == Transform::None &&
                     (squaresX <= kLeastSquares || squaresY <= kLeastSquares))
                // A gene varies so much outside the common samples that standardising leaves few digits
                // within.
                value = correlationOfCommon(expression_.row(rows.first + r),
                                            expression_.row(columns.first + c), samples);
            else if (squaresX <= kLeastShare * sum(kXX) || squaresY <= kLeastShare * sum(kYY))
                value = correlationOfCommon(rows.values.row(r), columns.values.row(c), samples);
            else
                value = std::clamp((sum(kXY) - sum(kX) * sum(kY) / count) / std::sqrt(squaresX * squaresY),
                                   -1.0, 1.0);
        }
}

void CorrelationRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                             Progress& progress) {
    Stopwatch watch;
    if (rowRange_ != tile.rows) {
        rowRange_ = {0, 0};
        rows_ = {};
        rows_ = standardiseGenes(expression_, tile.rows, transform_, threads_, progress);
        rowRange_ = tile.rows;
    }
    columns_ = {};
    if (!tile.isDiagonal())
        columns_ = standardiseGenes(expression_, tile.columns, transform_, threads_, progress);
    const StandardisedGenes& columns = tile.isDiagonal() ? rows_ : columns_;
    times_.pack += watch.restart();
    std::vector<pairs::PairTile> parts;
    for (const Range rows : splitRange(tile.rows.size(), kPart))
        for (const Range others : splitRange(tile.columns.size(), kPart))
            if (!tile.isDiagonal() || others.begin <= rows.begin) parts.push_back({rows, others});
    std::vector<Workspace> workspaces(static_cast<std::size_t>(threads_));
    parallelFor(threads_, parts.size(), [&](std::size_t index, std::size_t thread) {
        computePart(rows_, columns, parts[index], results.front(), workspaces[thread]);
        const std::size_t pairs =
            tile.isDiagonal() ? parts[index].pairs() : parts[index].rows.size() * parts[index].columns.size();
        progress.advance(static_cast<double>(pairs) * static_cast<double>(expression_.columns()));
    });
    times_.compute += watch.seconds();
}

const VariantTable<Variant>& correlationVariants() {
    static const VariantTable<Variant> table(
        "cpu", {"float64"},
        {{Variant::Products, "Pearson's and Spearman's r: blocked products of standardised genes"}});
    return table;
}

class CorrelationEngine : public InformationEngine {
  public:
    explicit CorrelationEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const InformationRequest& request) const override {
        if (const Support known = correlationVariants().supports(request.variant); !known) return known;
        if (request.precision != WeightPrecision::Float64)
            return Support::no("correlations are computed only in float64");
        return Support::yes();
    }
    /// Standardised genes of both sides take at most 512 MiB, unless the smallest tile needs more.
    std::size_t preferredTile(const InformationRequest& request) const override {
        constexpr std::size_t kGeneBytes = std::size_t{512} << 20;
        return std::clamp<std::size_t>(
            kGeneBytes / (2 * sizeof(double) * std::max<std::size_t>(1, request.samples)), kPart, 1024);
    }
    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        return std::make_unique<CorrelationRun>(expression, request.splines.transform, instructions_,
                                                threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

std::unique_ptr<InformationRun> startCorrelation(ExpressionView expression, Transform transform) {
    return std::make_unique<CorrelationRun>(expression, transform, detectInstructionSet(),
                                            omp_get_max_threads());
}

Implementation<InformationEngine> correlationEngine() {
    return implementWith<InformationEngine, CorrelationEngine, HostBackend>(correlationVariants());
}

}  // namespace glycine::mutualinfo::cpu
