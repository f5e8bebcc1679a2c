#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/algorithms/bounds/bounds.hpp"
#include "engine/algorithms/bounds/explain.hpp"
#include "engine/algorithms/bounds/tightening.hpp"
#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::bounds {

/// Everything that `glycine bounds` tells about a run.
struct RunReport {
    std::string input;  ///< one line
    std::size_t atoms = 0;
    std::size_t knownPairs = 0;
    std::vector<std::string> warnings;  ///< about the input
    DeviceDescription device;
    std::string backendReason;  ///< why this backend; empty when the user named it
    SmoothingReport smoothing;
    double violationTolerance = 0;  ///< Å
    double readSeconds = 0;
    double smoothSeconds = 0;  ///< the whole call
    double writeSeconds = 0;
    Tightening upper;
    std::optional<Tightening> lower;
    std::span<const std::string> atomNames;
    std::vector<std::filesystem::path> files;                  ///< written, in this order
    std::optional<std::vector<Contradiction>> contradictions;  ///< when they were asked for
};

/// A few lines for people.
void printRunReport(std::ostream& out, const RunReport& report, std::size_t width);
/// Atom indices count from 0, as NumPy does.
Json toJson(const RunReport& report);

}  // namespace glycine::bounds
