#include "app/mutualinfo/mutualinfo_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <span>

#include "engine/core/names.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/io/text/json.hpp"
#include "engine/mutualinfo/device_correlation.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/recount_information.hpp"

namespace glycine::mutualinfo {

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
    // Genes without any value are reported separately.
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

namespace {

/// Number of samples over all unordered pairs.
double pairSamples(const MutualInformationReport& run) {
    const auto n = static_cast<double>(run.genes);
    return n * (n - 1) / 2 * static_cast<double>(run.samples);
}

/// Whether the rate is meaningful: no tile was kept from an earlier run.
bool hasRate(const MutualInformationReport& run) {
    return run.tilesResumed == 0 && run.times.compute > 0 && run.genes > 1;
}

std::vector<std::string> namesAt(const std::vector<std::size_t>& genes,
                                 const std::vector<std::string>& names) {
    std::vector<std::string> found;
    for (const std::size_t gene : genes) found.push_back(names.at(gene));
    return found;
}

}  // namespace

std::vector<StagePlacement> stagesOfValues(Estimator estimator) {
    return {{"ranks and scaling", kStageOfInput, kStageOfInput},
            {isCorrelation(estimator) ? kCorrelations : "weights, tables and entropies", "", ""}};
}

void addGapStages(std::vector<StagePlacement>& stages, const GapCorrection& correction,
                  const NullMoments* moments) {
    if (moments != nullptr)
        stages.insert(stages.begin() + 1, {"null moments of gaps", kStageInDouble, kStageInDouble});
    if (correction.isNeeded()) stages.push_back({"correction for gaps", kStageInDouble, kStageInDouble});
}

std::string describeEstimator(const MutualInformationOptions& settings) {
    const SplineOptions& splines = settings.splines;
    if (isCorrelation(splines.estimator))
        return fmt::format(
            "{}; {}",
            splines.estimator == Estimator::Pearson
                ? "Pearson's correlation r"
                : "Spearman's correlation r: of ranks among all values of a gene (ties share theirs)",
            toString(settings.precision));
    std::string text = splines.order == 1 ? fmt::format("{} bins", splines.bins)
                                          : fmt::format("B-splines of order {} on {} bins, {} knots",
                                                        splines.order, splines.bins, toString(splines.knots));
    if (splines.transform == Transform::Ranks) text += ", of ranks (ties share theirs)";
    if (splines.transform == Transform::Ordinals) text += ", of ranks (ties in the order of samples)";
    return text + fmt::format("; {}, {}", toString(settings.unit), toString(settings.precision));
}

std::optional<std::string> fewSamples(std::size_t samples, const SplineOptions& splines) {
    if (isCorrelation(splines.estimator) || samples >= splines.bins) return {};
    return fmt::format("{} for {} bins: estimates from fewer samples than bins are unreliable",
                       formatCount(samples, "sample"), splines.bins);
}

PairRecount recountOf(ExpressionView expression, const MutualInformationOptions& options,
                      const GapCorrection& correction) {
    return {.quantity = isCorrelation(options.splines.estimator) ? "correlation" : "mutual information",
            .time = {.each = secondsForRecount(expression.columns(), options.splines)},
            .recountByReference = [&, expression](Backend& reference, std::span<const std::size_t> numbers,
                                                  Progress& progress,
                                                  const std::function<bool(const RecountedPair&)>& take) {
                recountByReference(reference, expression, options, correction, numbers, progress, take);
            }};
}

PairRecount recountOfTied(ExpressionView expression, const MutualInformationOptions& options,
                          const GapCorrection& correction) {
    PairRecount how = recountOf(expression, options, correction);
    how.recountByReference =
        [exactly = how.recountByReference, areCorrelations = isCorrelation(options.splines.estimator)](
            Backend& reference, std::span<const std::size_t> numbers, Progress& progress, const auto& take) {
            exactly(reference, numbers, progress, [&](RecountedPair pair) {
                if (areCorrelations) pair.value = std::abs(pair.value);
                pair.allowed += kTieError;
                return take(pair);
            });
        };
    return how;
}

std::string RunReport::describeRate() const {
    if (!hasRate(run)) return "";
    return fmt::format("; computing at {} M samples of pairs/s",
                       formatNumber(pairSamples(run) / run.times.compute / 1e6));
}

std::string RunReport::describeInformation() const {
    if (summary.pairs == 0) return "none: a single gene, or no pair with a sample in common";
    return describeValues() +
           (isCorrelation(settings.splines.estimator) ? "" : fmt::format(" {}", toString(settings.unit)));
}

std::vector<std::string> RunReport::warnings() const {
    std::vector<std::string> texts;
    if (const auto few = fewSamples(run.samples, settings.splines)) texts.push_back(*few);
    if (!genes.constant.empty())
        texts.push_back(fmt::format("{} with equal values in all samples, whose information is 0: {}",
                                    formatCount(genes.constant.size(), "gene"),
                                    quoteNames(namesAt(genes.constant, names))));
    if (!genes.empty.empty())
        texts.push_back(fmt::format("{} without any value: {}", formatCount(genes.empty.size(), "gene"),
                                    quoteNames(namesAt(genes.empty, names))));
    if (gaps)
        if (const auto sparse = gaps->warning(names, "written as nan")) texts.push_back(*sparse);
    if (summary.undefined > 0)
        texts.push_back(formatCount(summary.undefined, "pair") +
                        (gaps && gaps->minOverlap > 1
                             ? fmt::format(" with fewer than {} in common (--min-overlap): written as nan",
                                           formatCount(gaps->minOverlap, "sample"))
                             : " without a sample that has both: written as nan"));
    return texts;
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    fields.emplace_back("Input", input);
    if (missing > 0) {
        const double values = static_cast<double>(run.genes) * static_cast<double>(run.samples);
        fields.emplace_back("", fmt::format("{} missing ({}); a pair counts the samples that both have",
                                            formatCount(missing, "value"),
                                            formatShare(static_cast<double>(missing), values)));
    }
    for (const std::string& note : notes) fields.emplace_back("", note);
    fields.emplace_back("Estimator", describeEstimator(settings));
    if (gaps) fields.emplace_back("Gaps", gaps->describe());
    addDeviceFields(fields, *this, run.variant);
    addTimeField(fields, *this, describeRate(),
                 {{"pack", isCorrelation(settings.splines.estimator) ? "standardising" : "weights"}});
    addRun(fields, run);
    fields.emplace_back(isCorrelation(settings.splines.estimator) ? "Correlation" : "Information",
                        describeInformation());
    for (const std::string& warning : warnings()) fields.emplace_back("Warning", warning);
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("mutualinfo", *this);
    json["input"] = input;
    json["notes"] = notes;
    json["genes"] = run.genes;
    json["samples"] = run.samples;
    json["missing"] = missing;
    if (gaps) json["gaps"] = gaps->json();
    json["estimator"] = toString(settings.splines.estimator);
    if (!isCorrelation(settings.splines.estimator)) {
        json["bins"] = settings.splines.bins;
        json["order"] = settings.splines.order;
        json["knots"] = toString(settings.splines.knots);
        json["rank"] = toString(settings.splines.transform);
        json["unit"] = toString(settings.unit);
    }
    json["precision"] = toString(settings.precision);
    json["backend"] = run.backend;
    json["variant"] = run.variant;
    addRun(json, run);
    if (hasRate(run)) json["pairSamplesPerSecond"] = pairSamples(run) / run.times.compute;
    json["constantGenes"] = genes.constant;
    json["emptyGenes"] = genes.empty;
    json["warnings"] = warnings();
    Json& values = json["information"];
    values = {{"pairs", summary.pairs}, {"undefined", summary.undefined}};
    addValues(values);
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::mutualinfo
