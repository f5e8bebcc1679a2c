#include "engine/bounds/input/input_file.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/io/structures/structure.hpp"

namespace glycine::bounds {

void requireInputKind(const std::filesystem::path& file) {
    if (io::isStructureFile(file) || file.extension() == ".npz") return;
    if (file.extension() == ".npy")
        throw UsageError(fmt::format(
            "{} holds a single matrix; `glycine bounds` takes it with --upper or --lower", file.string()));
    throw UsageError(
        fmt::format("{}: unknown kind of file; expected .npz, .pdb, .ent, .cif or .mmcif (the last four "
                    "also with .gz)",
                    file.string()));
}

BoundSet loadInputFile(const std::filesystem::path& file, const InputFileOptions& options,
                       Progress& progress) {
    requireInputKind(file);
    if (!io::isStructureFile(file)) return loadBounds(file, options);
    return boundsFromStructure(io::readStructure(file, {.model = options.model}), options.molecule,
                               options.format, progress);
}

}  // namespace glycine::bounds
