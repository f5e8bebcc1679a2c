#include "engine/study/comparison_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"

namespace glycine {

namespace {

constexpr std::string_view kReference = "reference";

void addNames(CLI::App& command, const char* option, std::vector<std::string>& names, const char* type,
              const std::string& help) {
    command.add_option(option, names, help)->type_name(type)->delimiter(',');
}

void addJsonFlag(CLI::App& command, bool& json) {
    command.add_flag("--json", json, "Print the report as one JSON object");
}

void dropReference(std::vector<Configuration>& configurations) {
    std::erase_if(configurations, [](const Configuration& c) { return c.backend == kReference; });
}

}  // namespace

void addValidationOptions(CLI::App& command, ValidationOptions& options, const std::string& formats) {
    addNames(command, "--backend", options.filter.backends, "B,…", "Only these backends");
    addNames(command, "--variant", options.filter.variants, "V,…", "Only these variants");
    addNames(command, "--format", options.filter.numberFormats, "F,…", formats);
    addNames(command, "--dialects", options.dialects, "D,…", "Only these dialects of gl: gl33, es300, gl21");
    addJsonFlag(command, options.json);
    addBackendOptions(command, options.device);
    command.remove_option(command.get_option("--dialect"));
}

std::vector<Configuration> configurationsToCompare(const CLI::App& command, const Algorithm& algorithm,
                                                   const ValidationOptions& options) {
    ConfigurationFilter filter = options.filter;
    for (const std::string& name : options.dialects) filter.dialects.push_back(parseDialect(name));
    std::vector<Configuration> configurations = selectConfigurations(algorithm, filter);
    if (filter.backends.empty()) dropReference(configurations);
    checkBackendOptions(command, backendsOf(configurations));
    return configurations;
}

void addTimingOptions(CLI::App& command, TimingOptions& options, const std::string& defaultVariants) {
    addNames(command, "--backend", options.filter.backends, "B,…",
             "These backends, the first one is what the others are compared with (default: all but "
             "reference)");
    addNames(command, "--variant", options.filter.variants, "V,…",
             fmt::format("These variants, where a backend has them (default: {})", defaultVariants));
    command.add_option("--repeats", options.repeats, "Timed runs after the one that is dropped (default: 5)")
        ->type_name("R")
        ->check(isPositive());
    command.add_option("-o,--output", options.output, "Also write the report as JSON")
        ->type_name("REPORT.json");
    addJsonFlag(command, options.json);
    addBackendOptions(command, options.device);
}

std::vector<Configuration> configurationsToTime(const CLI::App& command, const Algorithm& algorithm,
                                                const TimingOptions& options) {
    ConfigurationFilter filter = options.filter;
    filter.dialects = {options.device.dialect};
    std::vector<Configuration> configurations = selectConfigurations(algorithm, filter);
    if (filter.backends.empty() && filter.variants.empty()) dropReference(configurations);
    checkBackendOptions(command, backendsOf(configurations));
    return configurations;
}

std::vector<Configuration> leaveVariantToBackends(std::vector<Configuration> configurations) {
    std::vector<Configuration> result;
    for (Configuration& configuration : configurations) {
        if (!result.empty() && result.back().backend == configuration.backend) continue;
        if (!configuration.variant.empty()) configuration.variant = "default";
        result.push_back(std::move(configuration));
    }
    return result;
}

}  // namespace glycine
