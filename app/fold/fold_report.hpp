#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "app/fold/fold_violations.hpp"
#include "app/fold/restraint_check.hpp"
#include "engine/command/run_report.hpp"
#include "engine/io/restraints/molecule_restraints.hpp"
#include "engine/io/text/json.hpp"
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
    io::RestraintCounts counts;
    std::vector<std::string> warnings;
    std::vector<std::string> cis;
    std::vector<std::string> disulfides;
    RestraintCheck check;
    std::string ordered;
    std::size_t orderedCount = 0;
    std::string orderedBy;  ///< description of the rule
    std::size_t best = 0;
    std::size_t startedAgain = 0;  ///< models, each time counted
    std::vector<Energy> energies;
    std::vector<ModelQuality> qualities;
    std::vector<ModelViolations> violated;  ///< of each model
    /// Å; backbone RMSD of the ordered residues from the mean of the best models
    std::vector<double> toMean;
    std::vector<double> toReference;  ///< Å
    std::vector<Similarity> likeReference;
    std::string reference;

    std::size_t converged() const {
        return static_cast<std::size_t>(std::count_if(
            qualities.begin(), qualities.end(), [](const ModelQuality& q) { return q.hasConverged(); }));
    }
};

/// Where the stages of a device's run take place.
std::vector<StagePlacement> stagesOfFold(bool hasReference);

}  // namespace glycine::structure
