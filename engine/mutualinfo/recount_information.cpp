#include "engine/mutualinfo/recount_information.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo {

double secondsForRecount(std::size_t samples, const SplineOptions& splines) {
    // Measured with the plain loops of the reference: a product of weights takes 1 to 2 ns, a step of its
    // spline recursion 4 to 6 ns.
    constexpr double kSecondsPerProduct = 2e-9;
    constexpr double kSecondsPerStep = 6e-9;
    const double bins = static_cast<double>(splines.bins);
    const double steps = std::exp2(static_cast<double>(splines.order)) - 1;
    return static_cast<double>(samples) *
           (bins * bins * kSecondsPerProduct + 2 * bins * steps * kSecondsPerStep);
}

void recountByReference(Backend& reference, ExpressionView expression,
                        const MutualInformationOptions& options, std::span<const std::size_t> pairs,
                        Progress& progress, const std::function<bool(const RecountedPair&)>& take) {
    const auto run = createInformationEngine(reference, options.splines.estimator)
                         ->start(expression, requestFor(expression, {.splines = options.splines}));
    const double unit = isCorrelation(options.splines.estimator) ? 1 : perBit(options.unit);
    progress.begin("re-counting",
                   static_cast<double>(pairs.size()) * static_cast<double>(expression.columns()));
    for (const std::size_t number : pairs) {
        const pairs::PairTile tile = pairs::pairNumber(number);
        double value = 0;
        const MatrixView<double> view(&value, 1, 1);
        run->compute(tile, {&view, 1}, progress);
        if (!take({tile.rows.begin, tile.columns.begin, value * unit,
                   allowedDifference(options.precision) * unit}))
            return;
    }
}

void recountByReference(Backend& reference, ExpressionView expression,
                        const MutualInformationOptions& options, const GapCorrection& correction,
                        std::span<const std::size_t> pairs, Progress& progress,
                        const std::function<bool(const RecountedPair&)>& take) {
    recountByReference(reference, expression, options, pairs, progress, [&](const RecountedPair& pair) {
        return take({pair.row, pair.column, correction.corrected(pair.row, pair.column, pair.value),
                     correction.errorOf(pair.row, pair.column, pair.value, pair.allowed)});
    });
}

Matrix<double> countAllAmong(ExpressionView expression, std::span<const std::size_t> genes,
                             const SplineOptions& splines, Progress& progress) {
    Matrix<double> some(genes.size(), expression.columns());
    for (std::size_t i = 0; i < genes.size(); ++i)
        std::copy_n(expression.row(genes[i]), some.columns(), some.row(i));
    const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
    const auto run = createInformationEngine(*reference, splines.estimator)
                         ->start(some.view(), requestFor(some.view(), {.splines = splines}));
    const pairs::PairTile all{{0, genes.size()}, {0, genes.size()}};
    progress.begin("reference", static_cast<double>(all.pairs() * some.columns()));
    Matrix<double> found(genes.size(), genes.size());
    const MatrixView<double> view = found.view();
    run->compute(all, {&view, 1}, progress);
    return found;
}

}  // namespace glycine::mutualinfo
