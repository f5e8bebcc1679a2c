#include "app/mutualinfo/network_null.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::mutualinfo {

std::unique_ptr<InformationNull> nullDistribution(Backend& backend, ExpressionView expression,
                                                  const NetworkOptions& options,
                                                  std::vector<std::string>& warnings, Progress& progress) {
    const bool isRanked = options.information.splines.transform != Transform::None;
    const bool isEven = isRanked && haveEvenRanks(expression);
    // Standardised estimates are those of all samples, which the analytic distribution is of.
    const bool isStandardised = options.gaps.rule == GapRule::Standardised;
    const NullModel model = options.nullModel.value_or(isEven ? NullModel::Analytic : NullModel::Permutation);
    if (options.nullPairs && model != NullModel::Permutation && options.bootstraps.count == 0)
        throw UsageError("--null-pairs is for --null permutation, which these ranks do not need");
    switch (model) {
        case NullModel::Analytic:
            if (!isEven && !(isStandardised && haveFewTies(expression)))
                warnings.push_back(fmt::format(
                    "some genes have {}one value often: the analytic null distribution does not know of "
                    "them, --null permutation does",
                    isStandardised ? "" : "missing values, or "));
            return rankNull(options.information.splines, expression.columns());
        case NullModel::Aracne:
            warnings.push_back(
                "ARACNE's constants were fitted for another estimator: this P means nothing for "
                "B-splines");
            return aracneNull(expression.columns());
        case NullModel::Permutation:
            break;
    }
    return permutedNull(backend, expression, options, false, progress);
}

std::unique_ptr<InformationNull> permutedNull(Backend& backend, ExpressionView expression,
                                              const NetworkOptions& options, bool isResampled,
                                              Progress& progress) {
    constexpr double kFewest = 1e5;
    constexpr double kMost = 2e7;
    const double wanted = std::max(kFewest, std::ceil(10 / *options.p));
    if (!options.nullPairs && wanted > kMost)
        throw UsageError(
            fmt::format("P = {} takes {} of permuted genes{}; give --null-pairs if it shall be, or "
                        "a larger P{}",
                        *options.p, formatCount(static_cast<std::uint64_t>(wanted), "pair"),
                        isResampled ? " for bootstraps" : "",
                        isResampled ? ", or --threshold" : ", or --rank, whose null distribution is known"));
    return permutationNull(
        backend, expression, options.information,
        {.pairs = options.nullPairs.value_or(static_cast<std::size_t>(wanted)),
         .seed = options.seed,
         .isResampled = isResampled,
         .fillsGaps = options.gaps.rule == GapRule::Standardised,
         .fewestValues = overlapOf(options.gaps, options.information.splines, expression.columns())},
        progress);
}

}  // namespace glycine::mutualinfo
