#include "engine/mutualinfo/network/expression_network.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/mutualinfo/network/tied_information.hpp"
#include "engine/mutualinfo/recount_information.hpp"

namespace glycine::mutualinfo {

ExpressionNetwork networkOfExpression(Backend& backend, ExpressionView expression,
                                      const ExpressionNetworkOptions& options, PathEngine* paths,
                                      Progress& progress) {
    if (options.null == NullModel::Permutation)
        throw UsageError("a threshold by permutations takes its own call, permutationNull");
    Stopwatch watch;
    ExpressionNetwork result;
    result.information = std::make_unique<pairs::PairStore>(
        pairs::PairFormat{.layout = {expression.rows(), pairs::StoreLayout::Square}});
    TiedInformation tied(*result.information);
    const std::size_t overlap = overlapOf(options.gaps, options.information.splines, expression.columns());
    const SharedMoments moments =
        momentsFor(expression, options.information.splines, options.gaps.rule, {.least = overlap}, progress);
    result.correction.emplace(expression, overlap, moments, 1);
    CorrectedInformation sink(tied, *result.correction);
    result.report = computeMutualInformation(backend, expression, options.information, sink, progress);
    result.informationSeconds = watch.restart();
    const std::unique_ptr<InformationNull> null =
        options.null == NullModel::Aracne ? aracneNull(expression.columns())
                                          : rankNull(options.information.splines, expression.columns());
    result.inference = options.inference;
    result.inference.threshold = null->threshold(options.p);
    if (moments) result.inference.unknown = moments->whole().mean;
    result.network = inferNetwork(*result.information, result.inference, paths, progress);
    result.networkSeconds = watch.seconds();
    return result;
}

Comparison compareWithReference(const ExpressionNetwork& found, ExpressionView expression,
                                const ExpressionNetworkOptions& options, Progress& progress) {
    constexpr std::size_t kPairs = 120;
    constexpr double kTied = 0x1p-41;  // TiedInformation rounds to twice as much
    Comparison comparison = equalSoFar(allowedDifference(options.information.precision));
    comparison.isAbsolute = true;
    const std::size_t genes = expression.rows();
    const std::vector<std::size_t> pairs = spreadSamples(genes * (genes - 1) / 2, kPairs, 1);
    const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
    countAgain(*reference, expression, options.information, pairs, progress, [&](const RecountedPair& pair) {
        const double expected = found.correction->corrected(pair.row, pair.column, pair.value);
        comparison.compareElement(expected, found.information->value(pair.row, pair.column), kTied, [&] {
            return fmt::format("mutual information of ({}, {})", pair.row, pair.column);
        });
        return true;
    });
    const std::unique_ptr<PathEngine> paths = createPathEngine(*reference);
    const Network expected = inferNetwork(*found.information, found.inference, paths.get(), progress);
    if (expected.edges != found.network.edges)
        comparison.fail("edges that are not those of the same information by the reference");
    comparison.verdict =
        comparison.agrees()
            ? fmt::format("{} within {:.1g}, {} exact", formatCount(pairs.size(), "pair"),
                          comparison.largestDifference, formatCount(expected.edges.size(), "edge"))
            : comparison.place;
    return comparison;
}

}  // namespace glycine::mutualinfo
