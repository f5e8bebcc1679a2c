#pragma once

#include <filesystem>
#include <functional>

#include "engine/distance/results/distance_files.hpp"

/// Genomic relationships as GCTA and PLINK keep them.
namespace glycine::distance {

/// Fills counts(i, j), j ≤ rows.begin + i, with the attributes that instances rows.begin + i and j have in
/// common.
using CountInCommon = std::function<void(Range rows, MatrixView<float> counts)>;

/// Writes NAME.grm.bin, NAME.grm.N.bin and NAME.grm.id, of which `path` is the first: the relationships, and
/// the attributes in common, of the pairs (0,0), (1,0), (1,1), … as float32, and the identifiers. The bytes
/// of PLINK 1.9 and 2, --make-grm-bin, where the sums round to the same float32.
void writeGrm(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
              const CountInCommon& countInCommon, Progress& progress);

}  // namespace glycine::distance
