#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/core/backend.hpp"

namespace CLI {
class App;
}

namespace glycine::crossapen {

/// What the user wrote behind `glycine crossapen`.
struct RunOptions {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::string measure = "crossapen";
    unsigned m = 1;
    double r = 0.2;
    bool absolute = false;
    std::string bias = "max";
    std::string deviation = "n-1";
    bool strict = false;
    double power = 2;
    std::string convention = "paper";
    std::string format;
    std::vector<std::string> channels;
    std::vector<std::string> types;
    std::vector<std::string> excluded;
    std::optional<double> rate;
    std::string header = "auto";
    bool transpose = false;
    std::optional<double> resample;
    std::string band;
    std::size_t epoch = 1024;
    std::optional<std::size_t> epochs;
    std::string artefacts;
    std::vector<std::string> artefactAnnotations;
    bool perEpoch = false;
    bool square = false;
    std::string groups;
    double alpha = 0.01;
    std::string backend;
    std::string variant = "default";
    bool restart = false;
    bool json = false;
    BackendOptions device;
};

void addRunOptions(CLI::App& command, RunOptions& options);

/// Options that mean something only beside others: throws UsageError.
void checkRunOptions(const CLI::App& command, const RunOptions& options);

/// Throws UsageError for values that are none.
SubjectOptions subjectOptions(const RunOptions& options);

/// "0.2 SD", "5 (in the unit of the signals)".
std::string describeTolerance(const RunOptions& options);
/// Everything that decides the values, in the order to be shown.
Parameters describeParameters(const RunOptions& options, const SubjectOptions& subjects);

}  // namespace glycine::crossapen
