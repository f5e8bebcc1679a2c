#pragma once

#include <filesystem>

#include "engine/algorithms/bounds/input/bound_files.hpp"

namespace glycine::bounds {

/// The bounds of a file given to `validate` or `bench`: an NPZ file, or a structure with the default options
/// of MoleculeBoundsOptions. Throws UsageError for another kind of file, InputError for what it holds.
BoundSet loadInputFile(const std::filesystem::path& file, const BoundFileOptions& options);

/// Throws UsageError unless the name ends as files with bounds (.npz) or structures do.
void requireInputKind(const std::filesystem::path& file);

}  // namespace glycine::bounds
