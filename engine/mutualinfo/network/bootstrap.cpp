#include "engine/mutualinfo/network/bootstrap.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/random.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/pairs/pair_layout.hpp"

namespace glycine::mutualinfo {

namespace {

/// Bytes of one network.
std::size_t networkBytes(std::size_t genes) {
    return roundUp((genes * (genes - 1) / 2 + 7) / 8, 64);
}

/// Sets one bit per pair, in the order (1, 0), (2, 0), (2, 1) ….
void markEdges(const std::vector<Edge>& edges, std::byte* bits) {
    for (const Edge& edge : edges) {
        const std::size_t pair = std::size_t{edge.row} * (edge.row - 1) / 2 + edge.column;
        bits[pair / 8] |= std::byte{1} << (pair % 8);
    }
}

/// P(X ≥ count) of a Poisson distribution.
double poissonTail(std::size_t count, double mean) {
    if (count == 0) return 1;
    return mean > 0 ? boost::math::gamma_p(static_cast<double>(count), mean) : 0;
}

}  // namespace

std::size_t bootstrapBytes(std::size_t genes, std::size_t bootstraps) {
    return networkBytes(genes) * bootstraps;
}

storage::TilePieces bootstrapPieces(std::size_t genes, std::size_t bootstraps) {
    return [bytes = networkBytes(genes), bootstraps](Range rows, Range columns,
                                                     const std::function<void(Range)>& visit) {
        if (rows.size() != 1 || rows.end > bootstraps || columns != Range{0, 1}) return false;
        visit({rows.begin * bytes, rows.end * bytes});
        return true;
    };
}

Consensus inferConsensus(Backend& backend, ExpressionView expression, const MutualInformationOptions& options,
                         const InferenceOptions& inference, PathEngine* paths, const BootstrapPlan& plan,
                         const pairs::PairStore& information, storage::TileStore& kept, Progress& progress) {
    if (plan.count == 0) throw UsageError("0 bootstraps; expected at least one");
    checkProbability("the significance of an edge", plan.significance);
    checkInformation(expression, options);
    checkCount("the genes of the information", information.instances(), expression.rows(),
               "those of the data");
    checkInference(inference, expression.rows(), paths != nullptr);
    const std::size_t n = expression.rows();
    const std::size_t bytes = networkBytes(n);
    Consensus consensus;
    consensus.bootstrapsKept = kept.kept().size();
    InferenceOptions whole = inference;
    whole.most = 0;
    for (std::size_t b = 0; b < plan.count; ++b) {
        if (kept.has({b, b + 1}, {0, 1})) continue;
        progress.throwIfCancelled();
        const Matrix<double> sampled = bootstrapSample(expression, derivedSeed(plan.seed, b));
        pairs::PairStore store({.layout = {n, pairs::StoreLayout::Square}, .type = information.valueType()});
        TiedInformationSink tied(store);
        const GapCorrection correction(std::as_const(sampled).view(), plan.minOverlap, plan.moments,
                                       perBit(options.unit));
        CorrectedInformationSink corrected(tied, correction);
        computeMutualInformation(backend, std::as_const(sampled).view(), options, corrected, progress);
        const Network network = inferNetwork(store, whole, paths, progress);
        std::memset(kept.data() + b * bytes, 0, bytes);
        markEdges(network.edges, kept.data() + b * bytes);
        kept.finish({b, b + 1}, {0, 1});
    }

    std::vector<Edge> inAny;
    double total = 0;
    for (std::size_t row = 1; row < n; ++row)
        for (std::size_t column = 0; column < row; ++column) {
            const std::size_t pair = row * (row - 1) / 2 + column;
            std::uint32_t count = 0;
            for (std::size_t b = 0; b < plan.count; ++b)
                count += std::to_integer<std::uint32_t>(kept.data()[b * bytes + pair / 8] >> (pair % 8)) & 1U;
            if (count == 0) continue;
            total += count;
            inAny.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
                             count / static_cast<double>(plan.count), 0});
        }
    const auto pairs = static_cast<double>(inference.regulators.pairs(n));
    consensus.edgesInAny = inAny.size();
    consensus.meanSupport = pairs > 0 ? total / pairs : 0;
    const auto networksOf = [&](const Edge& edge) {
        return static_cast<std::uint32_t>(std::lround(edge.score * static_cast<double>(plan.count)));
    };
    EdgeRanking ranking(inference.most);
    std::vector<Edge> significant;
    for (Edge& edge : inAny) {
        if (poissonTail(networksOf(edge), consensus.meanSupport) * pairs > plan.significance) continue;
        edge.information = information.value(edge.row, edge.column);
        significant.push_back(edge);
    }
    ranking.add(significant);
    consensus.edges = ranking.take();
    for (const Edge& edge : consensus.edges)
        consensus.support.push_back({networksOf(edge), poissonTail(networksOf(edge), consensus.meanSupport)});
    return consensus;
}

}  // namespace glycine::mutualinfo
