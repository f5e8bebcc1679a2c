#include "engine/study/configuration_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/command/common_options.hpp"
#include "engine/core/error.hpp"

namespace glycine::study {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// All of the algorithm's number formats: float32, float64, fixed.
std::vector<std::string> formatNames(const Algorithm& algorithm) {
    std::vector<std::string> names;
    for (const VariantInfo& variant : algorithm.variants())
        for (const std::string& format : variant.numberFormats)
            if (!contains(names, format)) names.push_back(format);
    return names;
}

/// Formats that are both wanted and available; an empty list stands for all.
std::vector<std::string> commonFormats(const std::vector<std::string>& wanted,
                                       const std::vector<std::string>& there) {
    if (wanted.empty()) return there;
    if (there.empty()) return wanted;
    std::vector<std::string> common;
    for (const std::string& format : wanted)
        if (contains(there, format)) common.push_back(format);
    if (common.empty())
        throw UsageError(fmt::format("nothing to compare: --precision {} is not what the input holds, {}",
                                     fmt::join(wanted, ","), fmt::join(there, ", ")));
    return common;
}

/// One configuration per backend with the variant "default", which lets the backend choose for the data.
std::vector<Configuration> leaveVariantToBackends(std::vector<Configuration> configurations) {
    std::vector<Configuration> result;
    for (Configuration& configuration : configurations) {
        if (!result.empty() && result.back().backend == configuration.backend) continue;
        if (!configuration.variant.empty()) configuration.variant = "default";
        result.push_back(std::move(configuration));
    }
    return result;
}

}  // namespace

void dropReference(std::vector<Configuration>& configurations) {
    std::erase_if(configurations, [](const Configuration& c) { return c.backend == kReference; });
}

void dropReference(std::vector<std::string>& backends) {
    std::erase(backends, kReference);
}

void addValidationOptions(Options& options, StudyOptions& target, const Algorithm& algorithm) {
    options.value("--backend B,…", target.filter.backends, "Only these backends").suggests(backendNames());
    options.value("--variant V,…", target.filter.variants, "Only these variants")
        .suggests(variantNames(algorithm));
    const std::vector<std::string> formats = formatNames(algorithm);
    options
        .value("--precision P,…", target.filter.numberFormats,
               fmt::format("Only these number formats: {}", fmt::join(formats, ", ")))
        .suggests(formats)
        .formerly("--format");
    options
        .parsedList(
            "--dialects D,…",
            [&target](const std::vector<std::string>& names) {
                for (const std::string& name : names)
                    target.filter.dialects.push_back(fromString<Dialect>(name));
            },
            [&target] {
                std::vector<std::string_view> names;
                for (const Dialect dialect : target.filter.dialects) names.push_back(toString(dialect));
                return fmt::format("{}", fmt::join(names, ","));
            },
            "Only these dialects of gl: gl33, es300, gl21")
        .suggests(namesOfAll<Dialect>())
        .readBy("backend", {"gl"});
    addJsonOption(options, target.json);
    addBackendOptions(options, target.device);
    options.remove("--dialect");
}

std::vector<Configuration> configurationsToCompare(const Options& options, const StudyOptions& chosen,
                                                   const Algorithm& algorithm,
                                                   const std::vector<std::string>& formats) {
    ConfigurationFilter filter = chosen.filter;
    filter.numberFormats = commonFormats(filter.numberFormats, formats);
    std::vector<Configuration> configurations = selectConfigurations(algorithm, filter);
    if (filter.backends.empty()) dropReference(configurations);
    checkBackendOptions(options, backendsOf(configurations));
    return configurations;
}

std::vector<std::string> numberFormatsOf(const std::vector<Configuration>& configurations) {
    std::vector<std::string> formats;
    for (const Configuration& configuration : configurations)
        if (!configuration.numberFormat.empty() && !contains(formats, configuration.numberFormat))
            formats.push_back(configuration.numberFormat);
    return formats;
}

void addReportOptions(Options& options, StudyOptions& target) {
    options.value("--repeats R", target.repeats, "Number of timed rounds, after one that is discarded")
        .within(1, kMaxRepeats);
    options.value("-o,--output REPORT.json", target.output, "Also write the report as JSON").notASetting();
    addJsonOption(options, target.json);
}

void addTimingOptions(Options& options, StudyOptions& target, const Algorithm& algorithm,
                      bool leavesVariantToBackend) {
    options
        .value("--backend B,…", target.filter.backends,
               "Only these backends; the others are compared with the first (default: all but reference)")
        .suggests(backendNames());
    options
        .value("--variant V,…", target.filter.variants,
               fmt::format("Only these variants, where a backend has them (default: {})",
                           leavesVariantToBackend ? "chosen for the data" : "its default"))
        .suggests(variantNames(algorithm));
    addReportOptions(options, target);
    addBackendOptions(options, target.device);
}

std::vector<Configuration> configurationsToTime(const Options& options, const StudyOptions& chosen,
                                                const Algorithm& algorithm, bool leavesVariantToBackend,
                                                const std::vector<std::string>& formats) {
    ConfigurationFilter filter = chosen.filter;
    filter.numberFormats = formats;
    filter.dialects = {chosen.device.dialect};
    filter.defaultVariantsOnly = !leavesVariantToBackend;
    std::vector<Configuration> configurations = selectConfigurations(algorithm, filter);
    if (filter.backends.empty() && filter.variants.empty()) dropReference(configurations);
    checkBackendOptions(options, backendsOf(configurations));
    return leavesVariantToBackend && filter.variants.empty()
               ? leaveVariantToBackends(std::move(configurations))
               : configurations;
}

}  // namespace glycine::study
