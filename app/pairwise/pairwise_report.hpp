#pragma once

#include <string>
#include <vector>

#include "app/pair_command.hpp"
#include "engine/pairwise/pairwise.hpp"

namespace glycine::pairwise {

/// Everything that `glycine pairwise` tells about a run.
struct RunReport final : PairReport {
    void print(std::ostream& out) const override;
    /// JSON: indices of sequences count from 0.
    Json json() const override;

    Alphabet alphabet = Alphabet::Protein;
    std::size_t shortest = 0;  ///< letters
    std::size_t longest = 0;
    PairwiseOptions settings;
    PairwiseReport run;

  private:
    std::string describeScoring() const;
    std::string describeTimes() const;
    bool hasRate() const { return run.cellsComputed > 0 && run.times.compute > 0; }
};

}  // namespace glycine::pairwise
