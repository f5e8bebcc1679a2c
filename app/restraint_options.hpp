#pragma once

#include "engine/command/options.hpp"
#include "engine/io/restraints/map_restraints.hpp"

/// Options that all commands that read restraints share.
namespace glycine {

/// Declares --first-residue CHAIN=N,….
Option& addFirstResidueOption(Options& options, io::MappingOptions& mapping);

}  // namespace glycine
