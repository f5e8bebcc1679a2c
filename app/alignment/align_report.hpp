#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/command/run_report.hpp"

namespace glycine::align {

/// Everything that `glycine align` tells about a run.
struct AlignRunReport final : RunHead {
    void print(std::ostream& out) const override;
    Json json() const override;

    std::string input;                        ///< its name
    std::vector<std::string> notes;           ///< about the input
    std::vector<std::string> pictureNotes{};  ///< of pictures that are overviews
    std::size_t sequences = 0;
    Alphabet alphabet = Alphabet::Protein;
    std::size_t shortest = 0;  ///< letters
    std::size_t longest = 0;
    std::string method;  ///< what was done, in words
    AlignmentReport run;
    std::size_t pairsResumed = 0;             ///< posteriors that were kept from an earlier run
    std::optional<AlignmentSummary> summary;  ///< where there is an alignment
    double readSeconds = 0;
    double writeSeconds = 0;

  private:
    std::string describeTimes() const;
};

}  // namespace glycine::align
