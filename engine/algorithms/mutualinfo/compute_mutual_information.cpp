#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "engine/algorithms/mutualinfo/information_engine.hpp"
#include "engine/algorithms/mutualinfo/mutualinfo.hpp"
#include "engine/algorithms/mutualinfo/spline_basis.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::mutualinfo {

double perBit(Unit unit) {
    return unit == Unit::Bits ? 1 : std::log(2.0);
}

double allowedDifference(Precision precision) {
    return precision == Precision::Float64 ? 1e-12 : 1e-5;
}

GeneSummary summarizeGenes(ExpressionView expression, const SplineOptions& splines, Unit unit) {
    const SplineBasis basis(splines);
    GeneSummary summary;
    for (std::size_t g = 0; g < expression.rows(); ++g) {
        const GeneWeights gene =
            weightsOf({expression.row(g), expression.columns()}, basis, splines.transform);
        if (gene.isEmpty) summary.empty.push_back(g);
        if (gene.isConstant) summary.constant.push_back(g);
        std::vector<double> sums(basis.bins());
        double samples = 0;
        for (std::size_t s = 0; s < gene.firstBins.size(); ++s) {
            if (gene.firstBins[s] == kNoBin) continue;
            for (std::size_t i = 0; i < basis.order(); ++i)
                sums[gene.firstBins[s] + i] += gene.weights[s * basis.order() + i];
            samples += 1;
        }
        double entropy = 0;
        if (!gene.isConstant)
            for (const double sum : sums)
                if (sum > 0) entropy -= sum / samples * std::log2(sum / samples);
        summary.entropies.push_back(entropy * perBit(unit));
    }
    return summary;
}

std::size_t tileSide(Backend& backend, ExpressionView expression, const MutualInformationOptions& options) {
    const std::size_t wanted =
        options.tile > 0 ? options.tile
                         : createInformationEngine(backend)->preferredTile(requestFor(expression, options));
    return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(expression.rows(), 1));
}

Support supportsMutualInformation(Backend& backend, ExpressionView expression,
                                  const MutualInformationOptions& options) {
    return supportsRequest(backend, requestFor(expression, options));
}

MutualInformationReport computeMutualInformation(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 pairs::PairSink& sink, Progress& progress) {
    checkSplines(options.splines);
    if (expression.empty())
        throw InputError(fmt::format("the data are {} genes × {} samples; expected at least one of each",
                                     expression.rows(), expression.columns()));
    // What is done beside the backend's own work takes no more threads than it may.
    std::optional<DefaultThreads> threads;
    if (const auto* host = dynamic_cast<const HostBackend*>(&backend)) threads.emplace(host->threads());
    const std::unique_ptr<InformationEngine> engine = createInformationEngine(backend);
    const InformationRequest request = requestFor(expression, options);
    if (const Support support = engine->supports(request); !support) throw UnavailableError(support.reason());

    const std::unique_ptr<InformationRun> run = engine->start(expression, request);
    const double unit = perBit(options.unit);
    const pairs::TileCount count =
        pairs::computeTiles({.instances = expression.rows(),
                             .side = tileSide(backend, expression, options),
                             .stage = "mutual information",
                             .workPerPair = static_cast<double>(expression.columns())},
                            sink, progress, [&](const pairs::PairTile& tile, MatrixView<double> values) {
                                run->compute(tile, {&values, 1}, progress);
                                if (options.unit == Unit::Bits) return;
                                for (std::size_t r = 0; r < values.rows(); ++r)
                                    for (std::size_t c = 0; c < values.columns(); ++c) values(r, c) *= unit;
                            });
    return {.backend = std::string(backend.name()),
            .variant = std::string(run->variantName()),
            .device = backend.device(),
            .genes = expression.rows(),
            .samples = expression.columns(),
            .tiles = count.tiles,
            .tilesResumed = count.tilesResumed,
            .times = run->times(),
            .storeSeconds = count.storeSeconds,
            .note = run->note()};
}

}  // namespace glycine::mutualinfo
