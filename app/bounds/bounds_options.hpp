#pragma once

#include <filesystem>

#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/command/options.hpp"

/// Options of `glycine bounds` about a single input file.
namespace glycine::bounds {

/// Declares the options of bounds from a structure, read for the value "structure" of the facet "input".
void declareStructureOptions(Options& options, InputFileOptions& reading);

/// The facet "input" of a file with bounds or of a structure.
RunFacet facetOf(const std::filesystem::path& file);

}  // namespace glycine::bounds
