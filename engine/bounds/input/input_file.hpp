#pragma once

#include <filesystem>
#include <optional>

#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/core/progress.hpp"

namespace glycine::bounds {

struct InputFileOptions : BoundFileOptions {
    MoleculeBoundsOptions molecule{};  ///< of a structure
    std::optional<int> model{};        ///< of a structure; absent: the first one
};

/// The bounds of an NPZ file or a structure. Throws UsageError for another kind of file, InputError for what
/// it holds.
BoundSet loadInputFile(const std::filesystem::path& file, const InputFileOptions& options,
                       Progress& progress = silentProgress());

/// Throws UsageError unless the name ends as files with bounds (.npz) or structures do.
void requireInputKind(const std::filesystem::path& file);

}  // namespace glycine::bounds
