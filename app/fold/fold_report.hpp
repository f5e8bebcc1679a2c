#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/command/run_report.hpp"
#include "engine/structure/energy.hpp"
#include "engine/structure/ensemble.hpp"

namespace glycine::structure {

/// The report of a `glycine fold` run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    Json json() const override;

    std::string input;
    std::string variant;
    std::size_t atoms = 0;
    std::size_t residues = 0;
    std::size_t distances = 0;
    std::size_t dihedrals = 0;
    std::size_t swappable = 0;
    std::vector<std::string> warnings;
    std::vector<std::string> cis;
    std::vector<std::string> disulfides;
    std::string ordered;
    std::size_t orderedCount = 0;
    std::string orderedBy;  ///< description of the rule
    std::size_t best = 0;
    std::vector<Energy> energies;
    std::vector<ModelQuality> qualities;
    /// Å; backbone RMSD of the ordered residues from the mean of the best models
    std::vector<double> toMean;
    std::vector<double> toReference;  ///< Å
    std::vector<Similarity> likeReference;
    std::string reference;
    std::vector<std::string> worst;  ///< most violated restraints of the best model

    std::size_t converged() const {
        return static_cast<std::size_t>(std::count_if(
            qualities.begin(), qualities.end(), [](const ModelQuality& q) { return q.hasConverged(); }));
    }
};

/// Where the stages of a device's run take place.
std::vector<StagePlacement> stagesOfFold(bool hasReference);

}  // namespace glycine::structure
