#include "app/crossapen/crossapen_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "app/device_shares.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::crossapen {

namespace {

/// Number of subjects in the printed report; the summary files contain all.
constexpr std::size_t kMaxSubjects = 12;

double comparisonsPerSecond(const EntropyReport& entropies) {
    const double seconds = entropies.times.total();
    return seconds > 0 ? entropies.comparisons / seconds : 0;
}

std::string describeRate(const EntropyReport& entropies) {
    if (!(comparisonsPerSecond(entropies) > 0)) return "";
    return fmt::format("; {} G comparisons/s, counted as brute force makes them",
                       formatNumber(comparisonsPerSecond(entropies) * 1e-9));
}

/// Mean over pairs of different channels, or over channels for measures of single channels.
std::string describeEntropies(const SubjectEntropies& subject) {
    const Matrix<double>& mean = subject.quantities.front().mean;
    double sum = 0;
    std::size_t count = 0;
    std::size_t undefined = 0;
    double smallest = HUGE_VAL;
    double largest = -HUGE_VAL;
    for (std::size_t a = 0; a < mean.rows(); ++a)
        for (std::size_t b = 0; b < mean.columns(); ++b) {
            if (a == b && mean.columns() > 1) continue;
            const double value = mean(a, b);
            if (std::isnan(value)) {
                ++undefined;
                continue;
            }
            sum += value;
            ++count;
            smallest = std::min(smallest, value);
            largest = std::max(largest, value);
        }
    std::string text = fmt::format("{} × {}", formatCount(subject.channels.size(), "channel"),
                                   formatCount(subject.epochs.size(), "epoch"));
    if (count > 0)
        text += fmt::format(": mean {}, {} … {}", formatNumber(sum / static_cast<double>(count)),
                            formatNumber(smallest), formatNumber(largest));
    if (undefined > 0) text += fmt::format("; {} undefined", formatCount(undefined));
    return text;
}

/// Explanation of a reason, in addition to its name.
std::string explain(const std::string& reason) {
    if (reason == "flat") return ", in stretches of equal ones (--max-flat)";
    if (reason == "clipped")
        return ", at the ends of the channel's range, where they pile up (--max-clipped)";
    return "";
}

/// "64 channel epochs without a value: Fc5, Fc3 … in epoch 10: flat, 31 % to 44 % of the samples".
std::string describeUnusable(const SubjectEntropies& subject, const std::string& reason) {
    std::set<std::size_t> epochs;
    std::set<std::size_t> channels;
    std::size_t count = 0;
    double smallest = 1, largest = 0;
    for (const UnusableChannel& unusable : subject.unusable) {
        if (unusable.reason != reason) continue;
        epochs.insert(subject.epochs[unusable.epoch].number);
        channels.insert(unusable.channel);
        smallest = std::min(smallest, unusable.share);
        largest = std::max(largest, unusable.share);
        ++count;
    }
    constexpr std::size_t kMaxNames = 4;
    const auto list = [&](const std::set<std::size_t>& numbers, const auto& text) {
        std::vector<std::string> names;
        for (const std::size_t number : numbers) {
            if (names.size() == kMaxNames) {
                names.emplace_back("…");
                break;
            }
            names.push_back(text(number));
        }
        return fmt::format("{}", fmt::join(names, ", "));
    };
    std::string shares;
    if (smallest < 1)
        shares = fmt::format(", {}{} of the samples", formatShare(smallest, 1),
                             smallest < largest ? " to " + formatShare(largest, 1) : "");
    return fmt::format("{} without a value: {} in {} ({}): {}{}{}", formatCount(count, "channel epoch"),
                       list(channels, [&](std::size_t channel) { return subject.channels[channel]; }),
                       epochs.size() == 1 ? "epoch" : "epochs",
                       list(epochs, [](std::size_t e) { return fmt::format("{}", e); }), reason, shares,
                       explain(reason));
}

std::string describeTest(const PairwiseTest& test, const GroupComparison& comparison) {
    const std::string name = fmt::format("{}, {}", test.name, test.test);
    if (test.permutations > 0) {
        const auto below = static_cast<std::size_t>(
            std::count_if(test.clusters.begin(), test.clusters.end(),
                          [&](const auto& one) { return one.p < comparison.alpha; }));
        if (below == 0 && test.smallestP >= comparison.alpha)
            return fmt::format("{}: p < {} cannot be reached with {}{}: {:.3g} is the smallest p", name,
                               comparison.alpha, formatCount(test.permutations, "permutation"),
                               test.isPaired ? " of conditions" : "", test.smallestP);
        std::string text =
            fmt::format("{}: {} of {} with p < {} ({}{})", name, below,
                        formatCount(test.clusters.size(), "cluster"), comparison.alpha,
                        formatCount(test.permutations, "permutation"), test.isPaired ? " of conditions" : "");
        if (!test.clusters.empty())
            text += fmt::format("; the largest: {}, sum of t {}, p = {:.3g}",
                                formatCount(test.clusters.front().elements.size(), "pair"),
                                formatNumber(test.clusters.front().mass), test.clusters.front().p);
        return text;
    }
    if (test.smallestP >= comparison.alpha && !(test.shareBelow > 0)) {
        std::vector<std::size_t> sizes;
        for (const std::size_t group : test.groups) sizes.push_back(comparison.sizes[group]);
        return fmt::format(
            "{}: p < {} cannot be reached with groups of {} subjects: {:.3g} is the smallest p", name,
            comparison.alpha, fmt::join(sizes, " and "), test.smallestP);
    }
    return fmt::format("{}: p < {} at {} of the pairs, {} after correction", name, comparison.alpha,
                       formatShare(test.shareBelow, 1), formatShare(test.shareBelowCorrected, 1));
}

/// The stages before epochs are cut.
std::vector<StagePlacement> stagesOfSignals(const SignalOptions& signals) {
    std::vector<StagePlacement> stages;
    const auto add = [&](bool isWanted, std::string_view stage) {
        if (isWanted) stages.push_back({stage, kStageOfInput, kStageOfInput});
    };
    add(signals.resampleRate.has_value(), "resampling");
    add(signals.band.has_value(), "band pass");
    add(!signals.reference.empty(), "reference of channels");
    add(!signals.montage.empty(), "montage");
    return stages;
}

}  // namespace

std::vector<StagePlacement> stagesOf(const DeviceDescription& device, std::string_view variant,
                                     const SubjectOptions& what) {
    std::vector<StagePlacement> stages = stagesOfSignals(what.signals);
    if (variant == "patterns") {
        const bool hasClasses = what.entropy.measure == Measure::DispEn;
        stages.push_back(hasClasses ? StagePlacement{"classes of dispen", kStageInDouble, kStageInDouble}
                                    : StagePlacement{"ranks of samples", kStageOfInput, ""});
        stages.push_back({"patterns", "", ""});
        stages.push_back({"entropies", kStageInDouble, kStageInDouble});
        return stages;
    }
    if (variant == "membership") {
        stages.push_back({"baselines", kStageOfInput, kStageOfInput});
        stages.push_back({"memberships", "", ""});
        stages.push_back({"entropies", kStageInDouble, kStageInDouble});
        return stages;
    }
    const bool isRanked = variant == "dominance" || variant == "bitset";
    stages.push_back({"z-scores", kStageOfInput, kStageOfInput});
    if (isRanked) stages.push_back({"sorting of channels", kStageOfInput, ""});
    stages.push_back({"matches", "", ""});
    stages.push_back({"logarithms", device.dialect == "gl21" ? "sums exceed 2^24" : "", ""});
    stages.push_back({"bias and entropies", kStageInDouble, kStageInDouble});
    return stages;
}

void RunReport::print(std::ostream& out) const {
    Fields fields;
    for (std::size_t s = 0; s < std::min(subjects.size(), kMaxSubjects); ++s) {
        const SubjectEntropies& subject = subjects[s];
        fields.emplace_back(subject.name, subject.description);
        fields.emplace_back("", describeEntropies(subject));
        for (const std::string& note : subject.notes) fields.emplace_back("", note);
        if (!subject.skipped.empty())
            fields.emplace_back("", fmt::format("{} left out, the first one by {}",
                                                formatCount(subject.skipped.size(), "epoch"),
                                                subject.skipped.front().reason));
        std::set<std::string> reasons;
        for (const UnusableChannel& unusable : subject.unusable) reasons.insert(unusable.reason);
        for (const std::string& reason : reasons) fields.emplace_back("", describeUnusable(subject, reason));
    }
    if (subjects.size() > kMaxSubjects)
        fields.emplace_back(
            "", fmt::format("and {}", formatCount(subjects.size() - kMaxSubjects, "further file")));
    std::vector<std::string> values;
    for (const auto& [name, value] : parameters) values.push_back(fmt::format("{} {}", name, value));
    fields.emplace_back("Parameters", fmt::format("{}", fmt::join(values, ", ")));
    addDeviceFields(fields, *this, entropies.variant);
    addTimeField(fields, *this, describeRate(entropies));
    if (entropies.epochsResumed > 0)
        fields.emplace_back("Epochs", describeParts(entropies.epochs, entropies.epochsResumed));
    if (!shares.empty()) fields.emplace_back("Devices", describeShares(shares, "file", "epochs"));
    addRecountField(fields, recount);
    if (groups) {
        std::string label = "Groups";
        for (const PairwiseTest& test : groups->tests)
            fields.emplace_back(std::exchange(label, ""), describeTest(test, *groups));
        if (groups->areConditions)
            fields.emplace_back("",
                                "the rank tests count each file as a subject of its own; only clusters "
                                "(--permutations) compare the conditions of a subject");
    }
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("crossapen", *this);
    json["variant"] = entropies.variant;
    json["parameters"] = Json::object();
    for (const auto& [name, value] : parameters) json["parameters"][name] = value;
    json["comparisons"] = entropies.comparisons;
    if (comparisonsPerSecond(entropies) > 0) json["comparisonsPerSecond"] = comparisonsPerSecond(entropies);
    json["epochs"] = entropies.epochs;
    json["epochsKept"] = entropies.epochsResumed;
    if (!shares.empty()) json["devices"] = sharesToJson(shares, "files", "epochs");
    json["subjects"] = jsonArray(subjects, subjectJson);
    if (groups) json["groups"] = groupJson(*groups);
    json["files"] = fileNames(files);
    return json;
}

}  // namespace glycine::crossapen
