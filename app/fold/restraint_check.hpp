#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/explain.hpp"
#include "engine/bounds/input/restraint_bounds.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/recount.hpp"
#include "engine/core/time_line.hpp"
#include "engine/io/text/json.hpp"
#include "engine/structure/molecule.hpp"
#include "engine/structure/restraint.hpp"

namespace glycine::structure {

/// What the smoothed bounds of a molecule and its restraints say: those of `glycine bounds`, in float32.
struct RestraintCheck {
    std::string backend, variant;
    std::size_t pairs = 0;
    std::size_t known = 0;              ///< pairs with an upper bound before smoothing
    std::size_t inconsistentPairs = 0;  ///< by more than 10⁻⁴ Å
    /// Distances between two single atoms whose upper limit lies above what the other bounds allow.
    std::size_t implied = 0;
    std::vector<bounds::Contradiction> contradictions;
    bounds::BoundSources sources;
    std::vector<std::string> atomNames;
    double seconds = 0;  ///< of the smoothing
    std::optional<RecountReport> recount, pairRecount;

    bounds::BoundSource source() const {
        return [this](std::size_t i, std::size_t j, bool isUpper) { return sources.describe(i, j, isUpper); };
    }
    /// Whether restraints, not geometry alone, contradict each other by more than `tolerance` Å.
    bool isRefused(double tolerance) const;
    /// The first contradictions as text, under a heading.
    std::string describeContradictions() const;
    /// One line: "consistent …".
    std::string summary() const;
    Json json() const;
};

/// Smooths the bounds on `backend` and explains contradictions. Throws as bounds::smooth and its recount do.
/// Adds the stages "prepare", "upper", "lower" and so on to `times`.
RestraintCheck checkRestraints(Backend& backend, const BackendRequest& request, const Molecule& molecule,
                               const RestraintSet& restraints, TimeLine& times, Progress& progress);

}  // namespace glycine::structure
