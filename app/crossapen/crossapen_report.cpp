#include "app/crossapen/crossapen_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <utility>

#include "engine/command/text_table.hpp"
#include "engine/core/quantity.hpp"
#include "engine/crossapen/results/result_files.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::crossapen {

namespace {

/// Subjects whose lines are shown; the summary in the files has all of them.
constexpr std::size_t kMostSubjects = 12;

double comparisonsPerSecond(const BatchReport& batch) {
    const double seconds = batch.entropies.times.total();
    return seconds > 0 ? batch.entropies.comparisons / seconds : 0;
}

std::string describeTimes(const RunReport& report) {
    const BatchReport& batch = report.batch;
    const MatchTimes& times = batch.entropies.times;
    std::string text = fmt::format(
        "{} reading and filtering, {} computing (prepare {}, upload {}, compute {}, "
        "download {}), {} writing",
        formatSeconds(batch.readSeconds), formatSeconds(batch.computeSeconds), formatSeconds(times.prepare),
        formatSeconds(times.upload), formatSeconds(times.compute), formatSeconds(times.download),
        formatSeconds(report.writeSeconds));
    if (comparisonsPerSecond(batch) > 0)
        text += fmt::format("; {} G comparisons/s, counted as brute force makes them",
                            formatNumber(comparisonsPerSecond(batch) * 1e-9));
    return text;
}

/// Mean over pairs of different channels; single channels have no others.
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

/// What is to be known about a reason beside its name.
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
    constexpr std::size_t kMostNames = 4;
    const auto list = [&](const std::set<std::size_t>& numbers, const auto& text) {
        std::vector<std::string> names;
        for (const std::size_t number : numbers) {
            if (names.size() == kMostNames) {
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

}  // namespace

void RunReport::print(std::ostream& out) const {
    Fields fields;
    for (std::size_t s = 0; s < std::min(subjects.size(), kMostSubjects); ++s) {
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
    if (subjects.size() > kMostSubjects)
        fields.emplace_back(
            "", fmt::format("and {}", formatCount(subjects.size() - kMostSubjects, "further file")));
    std::vector<std::string> values;
    for (const auto& [name, value] : parameters) values.push_back(fmt::format("{} {}", name, value));
    fields.emplace_back("Parameters", fmt::format("{}", fmt::join(values, ", ")));
    addDeviceFields(fields, device, batch.entropies.variant);
    fields.emplace_back("Time", describeTimes(*this));
    if (batch.entropies.epochsResumed > 0)
        fields.emplace_back("Epochs", describeParts(batch.entropies.epochs, batch.entropies.epochsResumed));
    addRecountField(fields, recount);
    if (groups) {
        std::string label = "Groups";
        for (const PairwiseTest& test : groups->tests)
            fields.emplace_back(std::exchange(label, ""), describeTest(test, *groups));
    }
    addFileFields(fields, files);
    printFields(out, fields, terminalWidth());
}

Json RunReport::json() const {
    Json json = runHeadJson("crossapen", *this);
    json["variant"] = batch.entropies.variant;
    json["parameters"] = Json::object();
    for (const auto& [name, value] : parameters) json["parameters"][name] = value;
    const MatchTimes& times = batch.entropies.times;
    json["seconds"] = {{"read", batch.readSeconds}, {"all", batch.computeSeconds},
                       {"prepare", times.prepare},  {"upload", times.upload},
                       {"compute", times.compute},  {"download", times.download},
                       {"write", writeSeconds}};
    json["comparisons"] = batch.entropies.comparisons;
    if (comparisonsPerSecond(batch) > 0) json["comparisonsPerSecond"] = comparisonsPerSecond(batch);
    json["epochs"] = batch.entropies.epochs;
    json["epochsKept"] = batch.entropies.epochsResumed;
    json["subjects"] = jsonArray(subjects, subjectJson);
    if (groups) json["groups"] = groupJson(*groups);
    json["files"] = fileNames(files);
    return json;
}

void writeSummary(const std::filesystem::path& path, const RunReport& report) {
    writeJson(path, report.json());
}

}  // namespace glycine::crossapen
