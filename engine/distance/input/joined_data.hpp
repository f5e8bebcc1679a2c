#pragma once

#include <filesystem>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Inserts the instances of `references` before those of `data`. Their attributes must match: the same
/// number, kind and letters as symbols, and for .bed sets the same variants with the same alleles in the same
/// order. Returns the number of references. `path` and `referencePath` are the files they were read from.
/// Throws InputError naming the first difference. Throws UsageError for VCF files, whose variants are not
/// compared.
std::size_t putReferencesBefore(DataSet& data, const std::filesystem::path& path, DataSet references,
                                const std::filesystem::path& referencePath);

}  // namespace glycine::distance
