#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/configuration.hpp"

/// What the commands of the harness take beside the options of their problems: which configurations, on which
/// devices, reported how.
namespace glycine::study {

/// The backend that the others are compared with. It takes part only by name.
inline constexpr std::string_view kReference = "reference";
void dropReference(std::vector<Configuration>& configurations);
/// Of names of backends.
void dropReference(std::vector<std::string>& backends);

struct StudyOptions {
    ConfigurationFilter filter;
    std::size_t repeats = 5;  ///< of `bench` and `reproduce`, as is `output`
    std::string output;       ///< a JSON file; empty: none
    bool json = false;
    BackendOptions device;
};

/// Declares --backend, --variant, --precision, --dialects, --json and the backend options but --dialect,
/// which
/// --dialects stands for. `target` must outlive the options.
void addValidationOptions(Options& options, StudyOptions& target, const Algorithm& algorithm);

/// The configurations that are compared with the reference, which is among them only by name. `formats`:
/// those that the problems are about; empty: all. Throws UsageError for names that do not exist, formats that
/// no problem is about, and backend options that nobody reads.
std::vector<Configuration> configurationsToCompare(const Options& options, const StudyOptions& chosen,
                                                   const Algorithm& algorithm,
                                                   const std::vector<std::string>& formats);

/// Declares --backend, --variant, --repeats, -o, --json and the backend options. `leavesVariantToBackend`:
/// see Subject.
void addTimingOptions(Options& options, StudyOptions& target, const Algorithm& algorithm,
                      bool leavesVariantToBackend);

/// The configurations that are timed, in the dialect that was chosen; the reference, which is there to be
/// right, only by name. Where no variant is named: the default one, or "default" where the choice is left to
/// the backend. Throws UsageError as configurationsToCompare does.
std::vector<Configuration> configurationsToTime(const Options& options, const StudyOptions& chosen,
                                                const Algorithm& algorithm, bool leavesVariantToBackend,
                                                const std::vector<std::string>& formats);

/// The number formats of these, each once.
std::vector<std::string> numberFormatsOf(const std::vector<Configuration>& configurations);

/// More rounds say nothing more.
inline constexpr double kMostRepeats = 1e6;

/// Declares what `bench` and `reproduce` share: --repeats, -o, --json.
void addReportOptions(Options& options, StudyOptions& target);

}  // namespace glycine::study
