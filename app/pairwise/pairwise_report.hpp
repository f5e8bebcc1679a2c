#pragma once

#include <string>
#include <vector>

#include "engine/command/run_report.hpp"
#include "engine/pairs/value_summary.hpp"
#include "engine/pairwise/pairwise.hpp"

namespace glycine::pairwise {

/// Everything that `glycine pairwise` tells about a run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    /// JSON: indices of sequences count from 0.
    Json json() const override;

    std::string input;               ///< its name
    std::vector<std::string> notes;  ///< about the input
    Alphabet alphabet = Alphabet::Protein;
    std::size_t shortest = 0;  ///< letters
    std::size_t longest = 0;
    PairwiseOptions settings;
    PairwiseReport run;
    std::vector<std::string> names;
    pairs::ValueSummary summary;
    double readSeconds = 0;
    double computeSeconds = 0;  ///< the whole call
    double writeSeconds = 0;

  private:
    std::string describeScoring() const;
    std::string describeTimes() const;
    bool hasRate() const { return run.cellsComputed > 0 && run.times.compute > 0; }
};

}  // namespace glycine::pairwise
