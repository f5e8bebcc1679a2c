#pragma once

#include <filesystem>

#include "engine/algorithms/distance/results/result_files.hpp"

/// One function a format, each in a file of its own; writeResult chooses. `shape` is what the file gets.
namespace glycine::distance {

struct ResultParts {
    const ResultStore& store;
    const ResultLabels& labels;
    Progress& progress;
};

/// int32, float32 or float64 as the store; Shape::Triangle in SciPy's order (0,1), (0,2), …, (1,2), …
void writeNpyResult(const std::filesystem::path& path, const ResultParts& result, Shape shape);

/// As snp-dists -b: an empty corner and the names in the first line, a line an instance. Shape::Triangle, as
/// snp-dists -L: each line ends with the diagonal. Tabs and line breaks in names become '_'.
void writeTsvResult(const std::filesystem::path& path, const ResultParts& result, Shape shape);

/// As snp-dists -m: name, name, value for all ordered pairs, row by row, an instance with itself among them.
/// Shape::Triangle: the pairs below the diagonal only. `maxDistance`: only pairs up to this value.
void writeMoltenResult(const std::filesystem::path& path, const ResultParts& result, Shape shape,
                       std::optional<double> maxDistance);

/// A PHYLIP distance matrix: the number of instances, then a line an instance. Names of at most ten bytes are
/// padded to ten, as PHYLIP wants them; if one is longer, all are written in full with two blanks after them
/// (the relaxed form that most programs read). White space in names becomes '_'. Shape::Triangle: values left
/// of the diagonal. A pair without a value gets −1, as from PHYLIP's own dnadist and protdist.
void writePhylipResult(const std::filesystem::path& path, const ResultParts& result, Shape shape);

/// Byte for byte what PLINK 1.9 --distance writes, with the identifiers beside. Text has six significant
/// digits; its triangle has the diagonal for ibs and not for distances. Binary: float32 from a float32 store,
/// else float64; no triangle has the diagonal, and that of square0 is 0 even for ibs. One difference is on
/// purpose: the diagonal of distances is 0 in a square of float32, too, where PLINK 1.9 (bin4) repeats the
/// value left of it. White space in identifiers becomes '_'.
void writePlinkText(const std::filesystem::path& path, const ResultParts& result, Shape shape);
void writePlinkBinary(const std::filesystem::path& path, const ResultParts& result, Shape shape);

}  // namespace glycine::distance
