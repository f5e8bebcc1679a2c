#pragma once

#include <filesystem>
#include <memory>

#include "engine/distance/input/input_data.hpp"

namespace glycine::distance {

/// The instances of one source, followed by those of another with the same attributes and symbols. Nothing is
/// copied.
std::unique_ptr<DiscreteSource> joinSources(std::unique_ptr<DiscreteSource> first,
                                            std::unique_ptr<DiscreteSource> second);
/// A copy of the rows of two matrices with as many columns, one after the other; float32 if both are. Throws
/// MemoryError and CancelledError.
CoordinateMatrix joinRows(CoordinateView first, CoordinateView second);

/// Inserts the instances of `references` before those of `data`. Their attributes must match: the same
/// number, kind and letters as symbols, and for .bed sets the same variants with the same alleles in the same
/// order. Returns the number of references. `path` and `referencePath` are the files they were read from.
/// Throws InputError naming the first difference. Throws UsageError for VCF files, whose variants are not
/// compared.
std::size_t putReferencesBefore(DataSet& data, const std::filesystem::path& path, DataSet references,
                                const std::filesystem::path& referencePath);

}  // namespace glycine::distance
