#include "app/mutualinfo/gap_report.hpp"

#include <fmt/format.h>

#include "engine/core/names.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::mutualinfo {

void declareGapOptions(Options& options, GapOptions& gaps) {
    Heading heading(options, "Gaps");
    heading.decidesResults();
    options
        .choice(
            "--gaps RULE", gaps.rule,
            "Estimates of pairs that lack samples: standardised (by independent genes with as many common "
            "samples, so that pairs compare) or raw (the fewer samples, the larger they seem)")
        .readBy("content", {"expression"}, "expression matrices")
        .readBy("estimator", {"spline", "bins"}, "mutual information");
    options
        .value("--min-overlap N", gaps.minOverlap,
               "Samples that a pair of genes must have in common; others have no value")
        .byDefault("min(2 R, max(12, M/2), M) of M samples and R bins if standardised, else 1")
        .positive()
        .readBy("content", {"expression"}, "expression matrices");
}

GapReport::GapReport(const GapOptions& gaps, const GapCorrection& correction, const NullMoments* moments,
                     const MutualInformationOptions& settings)
    : rule(gaps.rule),
      minOverlap(overlapOf(gaps, settings.splines, correction.common().samples())),
      samples(correction.common().samples()),
      unit(isCorrelation(settings.splines.estimator) ? "" : toString(settings.unit)),
      sparse(correction.common().genesBelow(minOverlap)) {
    if (moments == nullptr || moments->whole().mean <= 0) return;
    const double scale = perBit(settings.unit);
    const auto scaled = [&](NullMoments::Moments bits) {
        return NullMoments::Moments{bits.mean * scale, bits.deviation * scale};
    };
    independent = {scaled(moments->own(minOverlap)), scaled(moments->whole())};
}

std::string GapReport::describe() const {
    const std::string overlap =
        minOverlap > 1 ? fmt::format("; fewer than {} in common: no value", minOverlap) : "";
    if (unit.empty()) return "each pair of the samples that it has" + overlap;
    if (rule == GapRule::Standardised && !independent)
        return fmt::format("standardised to {}", formatCount(samples, "sample")) + overlap;
    if (rule == GapRule::Raw)
        return "raw: pairs of fewer common samples seem to share more (--gaps standardised corrects that)" +
               overlap;
    const auto text = [](const NullMoments::Moments& moments) {
        return fmt::format("{} ± {}", formatNumber(moments.mean), formatNumber(moments.deviation));
    };
    return fmt::format("standardised to {} by independent genes, which have {} {} of {}, and {} of {}{}",
                       formatCount(samples, "sample"), text(independent->fewest), unit, minOverlap,
                       text(independent->all), samples, overlap);
}

std::optional<std::string> GapReport::warning(const std::vector<std::string>& names,
                                              const std::string& consequence) const {
    // Genes without any value are named as such.
    if (sparse.empty() || minOverlap <= 1) return {};
    std::vector<std::string> found;
    for (const std::size_t gene : sparse) found.push_back(names.at(gene));
    return fmt::format("{} with fewer than {} (--min-overlap), {}: {}", formatCount(sparse.size(), "gene"),
                       formatCount(minOverlap, "value"), consequence, quoteNames(found));
}

Json GapReport::json() const {
    Json json{{"rule", toString(rule)}, {"minOverlap", minOverlap}, {"genesBelow", sparse}};
    if (!independent) return json;
    const auto of = [](const NullMoments::Moments& moments) {
        return Json{{"mean", moments.mean}, {"deviation", moments.deviation}};
    };
    json["independent"] = {{"ofMinOverlap", of(independent->fewest)}, {"ofAll", of(independent->all)}};
    return json;
}

void addMoments(RunIdentity& identity, const NullMoments* moments) {
    if (moments == nullptr) return;
    const NullMoments::Moments all = moments->whole();
    identity.add("independent genes", fmt::format("{:a} {:a}", all.mean, all.deviation));
}

}  // namespace glycine::mutualinfo
