#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/structure/ensemble.hpp"

/// The restraints that models break, for reports.
namespace glycine::structure {

/// Violations are listed beyond these.
inline constexpr double kListedDistance = 0.1;  ///< Å
inline constexpr double kListedAngle = 1;       ///< degrees

struct ViolatedRestraint {
    bool isAngle = false;
    std::string id;
    std::size_t line = 0;  ///< in the file, from 1; 0: unknown
    /// "A/LYS5/HA - A/VAL9/H": of several pairs the closest, by the names that the model has chosen.
    std::string atoms;
    std::size_t pairs = 1;
    double lower = 0, upper = 0;  ///< limits, Å or degrees
    double value = 0;             ///< of the model
    double violation = 0;         ///< negative: below the lower limit
};
/// Distances first, then angles, each kind by the size of the violation.
using ModelViolations = std::vector<ViolatedRestraint>;
ModelViolations listViolations(const FoldProblem& problem, const FoldedModel& model);

/// "2 (line 17): A/LYS5/HA - A/VAL9/H by 0.31 Å"
std::string describe(const ViolatedRestraint& one);
Json toJson(const ViolatedRestraint& one);

/// Writes a line for each violated restraint of each model, separated by tabs, atomically: model (from 1),
/// kind (distance or angle), restraint, line, atoms, pairs, lower, upper, value, violation.
void writeViolations(const std::filesystem::path& tsv, std::span<const ModelViolations> models);

}  // namespace glycine::structure
