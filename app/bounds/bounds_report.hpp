#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/explain.hpp"
#include "engine/bounds/input/restraint_bounds.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/bounds/tightening.hpp"
#include "engine/command/recount.hpp"
#include "engine/command/run_report.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::bounds {

/// Number of pairs in the printed report.
constexpr std::size_t kShownViolations = 3;

/// The report of a `glycine bounds` run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    /// JSON report; atom indices count from 0, as in NumPy.
    Json json() const override;

    std::string input;  ///< one line
    std::size_t atoms = 0;
    std::size_t knownPairs = 0;
    std::vector<std::string> warnings;  ///< warnings about the input
    SmoothingReport smoothing;
    Rounding rounding = Rounding::Nearest;
    double violationTolerance = 0;             ///< Å
    std::optional<RecountReport> pairRecount;  ///< recount of pairs, if not all rows were recounted
    Tightening upper;
    std::optional<Tightening> lower;
    std::vector<TetrangleSweep> tetrangles;         ///< each with the smoothing that follows it
    std::vector<std::string> tetrangleNotes;        ///< of each sweep, from its backend; may be empty
    std::optional<RecountReport> tetrangleRecount;  ///< recount of limits, for gl and cuda
    std::span<const std::string> atomNames;
    std::optional<std::vector<Contradiction>> contradictions;  ///< all contradictions, if requested
    std::size_t shownContradictions = 0;                       ///< number in the printed report
    std::optional<RestraintReport> restraints;
    std::vector<Violation> loosest;  ///< widest smoothed pairs, the widest first

    BoundSource source() const {
        if (!restraints) return {};
        return [this](std::size_t i, std::size_t j, bool isUpper) {
            return restraints->sources.describe(i, j, isUpper);
        };
    }
};

/// A contradiction as JSON, with the sources of its bounds where `source` is given.
Json toJson(const Contradiction& one, const BoundSource& source);

}  // namespace glycine::bounds
