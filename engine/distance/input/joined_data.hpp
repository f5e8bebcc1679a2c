#pragma once

#include <filesystem>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// Puts the instances of `references` before those of `data`, whose attributes must be the same: as many, of
/// the same kind and with the same letters as symbols, and of .bed sets the same variants with the same
/// alleles in the same order. Returns how many the references are. `path` and `referencePath` are where they
/// were read from. Throws InputError that names the first difference; UsageError for VCF files, whose
/// variants are not looked at.
std::size_t putReferencesBefore(DataSet& data, const std::filesystem::path& path, DataSet references,
                                const std::filesystem::path& referencePath);

}  // namespace glycine::distance
