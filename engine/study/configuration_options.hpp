#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/configuration.hpp"

/// Options that the harness commands share, in addition to those of their problems: configurations, devices
/// and output.
namespace glycine::study {

/// The backend that all others are compared with. It takes part only if it is named.
inline constexpr std::string_view kReference = "reference";
void dropReference(std::vector<Configuration>& configurations);
/// Removes the reference from a list of backend names.
void dropReference(std::vector<std::string>& backends);

struct StudyOptions {
    ConfigurationFilter filter;
    std::size_t repeats = 5;  ///< for `bench` and `reproduce`, as is `output`
    std::string output;       ///< a JSON file; empty: none
    bool json = false;
    BackendOptions device;
};

/// Declares --backend, --variant, --precision, --dialects, --json and the backend options except --dialect,
/// which --dialects replaces. `target` must outlive the options.
void addValidationOptions(Options& options, StudyOptions& target, const Algorithm& algorithm);

/// The configurations to compare with the reference. The reference itself is included only if it is named.
/// `formats`: number formats of the problems; empty: all. Throws UsageError for unknown names, for formats
/// that no problem has, and for backend options that no chosen backend uses.
std::vector<Configuration> configurationsToCompare(const Options& options, const StudyOptions& chosen,
                                                   const Algorithm& algorithm,
                                                   const std::vector<std::string>& formats);

/// Declares --backend, --variant, --repeats, -o, --json and the backend options. `leavesVariantToBackend`:
/// see Subject.
void addTimingOptions(Options& options, StudyOptions& target, const Algorithm& algorithm,
                      bool leavesVariantToBackend);

/// The configurations to time, in the chosen dialect; the reference only if it is named, since it is built to
/// be right, not fast. Without --variant: the default variant, or "default" if the backend chooses. Throws
/// UsageError as configurationsToCompare does.
std::vector<Configuration> configurationsToTime(const Options& options, const StudyOptions& chosen,
                                                const Algorithm& algorithm, bool leavesVariantToBackend,
                                                const std::vector<std::string>& formats);

/// The distinct number formats of the configurations.
std::vector<std::string> numberFormatsOf(const std::vector<Configuration>& configurations);

/// Upper limit of --repeats; more rounds add no information.
inline constexpr double kMaxRepeats = 1e6;

/// Declares the options that `bench` and `reproduce` share: --repeats, -o, --json.
void addReportOptions(Options& options, StudyOptions& target);

}  // namespace glycine::study
