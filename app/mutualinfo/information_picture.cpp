#include "app/mutualinfo/information_picture.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "engine/core/build_info.hpp"
#include "engine/pairs/files/pair_picture.hpp"

namespace glycine::mutualinfo {

void drawInformation(const std::filesystem::path& path, const pairs::PairStore& store,
                     const RunReport& report, bool isClustered, Progress& progress) {
    const Estimator estimator = report.settings.splines.estimator;
    const bool areCorrelations = isCorrelation(estimator);
    const std::string quantity = !areCorrelations
                                     ? fmt::format("mutual information, {}", toString(report.settings.unit))
                                 : estimator == Estimator::Pearson ? "Pearson's correlation"
                                                                   : "Spearman's correlation";
    // Entropies on the diagonal would leave few colours to the pairs; correlations have one range.
    pairs::drawPairs(path, store, report.names,
                     {.quantity = quantity,
                      .instance = "gene",
                      .isSimilarity = true,
                      .isClustered = isClustered,
                      .hasDiagonal = areCorrelations,
                      .minimum = areCorrelations ? -1.0 : 0.0,
                      .maximum = areCorrelations ? std::optional(1.0) : std::nullopt,
                      .title = report.input,
                      .footer = fmt::format("{} {} on {}, {}", describeBuild(), report.run.backend,
                                            report.device.device, report.run.variant)},
                     progress);
}

}  // namespace glycine::mutualinfo
