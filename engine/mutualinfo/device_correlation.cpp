#include "engine/mutualinfo/device_correlation.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo {

StandardisedGenes standardiseGenes(ExpressionView expression, Range range, Transform transform, int threads,
                                   const Progress& progress) {
    const std::size_t samples = expression.columns();
    requireHostMemory(fmt::format("standardising {} genes", range.size()),
                      static_cast<double>(range.size()) * static_cast<double>(samples) * sizeof(double));
    StandardisedGenes genes{Matrix<double>(range.size(), samples), std::vector<char>(range.size()),
                            range.begin};
    parallelFor(threads, range.size(), [&](std::size_t g, std::size_t) {
        progress.throwIfCancelled();
        const GenePositions positions = positionsOf({expression.row(range.begin + g), samples}, 1, transform);
        double sum = 0, count = 0, squares = 0;
        for (const double z : positions.z)
            if (!std::isnan(z)) sum += z, count += 1;
        const double mean = count > 0 ? sum / count : 0;
        for (const double z : positions.z)
            if (!std::isnan(z)) squares += (z - mean) * (z - mean);
        const double scale = positions.isConstant || positions.isEmpty ? 0 : 1 / std::sqrt(squares);
        for (std::size_t s = 0; s < samples; ++s) genes.values(g, s) = (positions.z[s] - mean) * scale;
        genes.hasGaps[g] = static_cast<std::size_t>(count) < samples;
    });
    return genes;
}

namespace {

bool haveGaps(const StandardisedGenes& genes, Range range) {
    return std::any_of(genes.hasGaps.begin() + static_cast<std::ptrdiff_t>(range.begin),
                       genes.hasGaps.begin() + static_cast<std::ptrdiff_t>(range.end),
                       [](char has) { return has != 0; });
}

}  // namespace

DeviceCorrelation::DeviceCorrelation(ExpressionView expression, Transform transform)
    : genes_(standardiseGenes(expression, {0, expression.rows()}, transform, omp_get_max_threads(),
                              silentProgress())) {
    if (haveGaps(genes_, {0, expression.rows()})) processor_ = cpu::startCorrelation(expression, transform);
}

std::string DeviceCorrelation::note() const {
    return processor_ ? "tiles with genes that lack values are correlated on the processor" : "";
}

std::vector<pairs::HostStage> DeviceCorrelation::hostStages() const {
    constexpr std::string_view kReason = "products of genes cannot leave out missing values";
    if (leftToHost_ == 0) return {};
    if (multiplied_ == 0) return {{kCorrelations, kReason}};
    return {{"correlations of tiles with gaps", kReason}};
}

void DeviceCorrelation::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                                Progress& progress) {
    if (haveGaps(genes_, tile.rows) || haveGaps(genes_, tile.columns)) {
        processor_->compute(tile, results, progress);
        ++leftToHost_;
        return;
    }
    ++multiplied_;
    const MatrixView<double> products = results.front();
    multiply(tile, products, progress);
    for (std::size_t r = 0; r < products.rows(); ++r)
        for (std::size_t c = 0; c < products.columns(); ++c)
            products(r, c) = std::clamp(products(r, c), -1.0, 1.0);
}

}  // namespace glycine::mutualinfo
