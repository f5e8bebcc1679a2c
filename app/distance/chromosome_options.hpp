#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// The user's choice of chromosomes in a .bed or VCF file.
struct ChromosomeOptions {
    std::optional<bool> autosomesOnly;  ///< absent: as in PLINK
    std::vector<std::string> set;       ///< --chr-set, or the name of a species
    /// --cow and similar options, in the order of io::ChromosomeSet::species
    std::array<bool, 6> species{};
};

/// Declares --chromosomes, --chr-set, --cow, --dog, --horse, --mouse, --rice and --sheep.
void declareChromosomeOptions(Options& options, ChromosomeOptions& given, InputOptions& reading);

/// Fills in `reading`; `autosomesByDefault` applies if the user chose nothing. Throws UsageError for two
/// species, or for a species together with all chromosomes.
void completeChromosomeOptions(const Options& options, ChromosomeOptions& given, bool autosomesByDefault,
                               InputOptions& reading);

}  // namespace glycine::distance
