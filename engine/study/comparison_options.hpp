#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/legacy_options.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/configuration.hpp"

/// What `validate` and `bench` of every algorithm take beside their inputs: which configurations, on which
/// devices, reported how.
namespace glycine {

struct ValidationOptions {
    ConfigurationFilter filter;
    std::vector<std::string> dialects;
    bool json = false;
    BackendOptions device;
};

/// Adds --backend, --variant, --format (explained by `formats`: "Only these number formats"), --dialects,
/// --json and the backend options but --dialect, which --dialects stands for. `options` must outlive the
/// parsing.
void addValidationOptions(CLI::App& command, ValidationOptions& options, const std::string& formats);

/// The configurations that are compared with the reference, which is among them only by name. Throws
/// UsageError for names that do not exist and for backend options that nobody reads.
std::vector<Configuration> configurationsToCompare(const CLI::App& command, const Algorithm& algorithm,
                                                   const ValidationOptions& options);

struct TimingOptions {
    ConfigurationFilter filter;
    std::size_t repeats = 5;
    std::string output;
    bool json = false;
    BackendOptions device;
};

/// Adds --backend, --variant (`defaultVariants`: what runs when none is named, "its default"), --repeats, -o,
/// --json and the backend options. `options` must outlive the parsing.
void addTimingOptions(CLI::App& command, TimingOptions& options, const std::string& defaultVariants);

/// The configurations that are timed, in the dialect that was chosen; the reference, which is there to be
/// right, only by name. Throws UsageError as configurationsToCompare does.
std::vector<Configuration> configurationsToTime(const CLI::App& command, const Algorithm& algorithm,
                                                const TimingOptions& options);

/// One configuration for each backend, with the variant "default": it chooses what suits the data.
std::vector<Configuration> leaveVariantToBackends(std::vector<Configuration> configurations);

}  // namespace glycine
