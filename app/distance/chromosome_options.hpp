#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Which chromosomes of a .bed or VCF file are compared, as the user wrote it.
struct ChromosomeOptions {
    std::optional<bool> autosomesOnly;  ///< absent: where PLINK takes autosomes
    std::vector<std::string> set;       ///< --chr-set, or the name of a species
    std::array<bool, 6> species{};      ///< --cow and its like, in the order of io::ChromosomeSet::species
};

/// Declares --chromosomes, --chr-set, --cow, --dog, --horse, --mouse, --rice and --sheep.
void declareChromosomeOptions(Options& options, ChromosomeOptions& given, InputOptions& reading);

/// Fills in `reading`; `autosomesByDefault` where the user said nothing. Throws UsageError for two species,
/// or one where all chromosomes are taken.
void completeChromosomeOptions(const Options& options, ChromosomeOptions& given, bool autosomesByDefault,
                               InputOptions& reading);

}  // namespace glycine::distance
