#pragma once

#include <filesystem>

#include "engine/distance/results/distance_files.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::distance {

struct ResultParts {
    const pairs::PairStore& store;
    const ResultLabels& labels;
    Progress& progress;
};

/// Throws InputError for identifiers that `path`, the file beside, cannot hold.
void checkPlinkIds(const std::filesystem::path& path, const ResultLabels& labels);

/// Byte for byte what PLINK 1.9 --distance writes, with the identifiers beside. Text has six significant
/// digits; its triangle has the diagonal for ibs and not for distances. Binary: float32 from a float32 store,
/// else float64; no triangle has the diagonal, and that of square0 is 0 even for ibs. One difference is on
/// purpose: the diagonal of distances is 0 in a square of float32, too, where PLINK 1.9 (bin4) repeats the
/// value left of it. White space in identifiers becomes '_'.
void writePlinkText(const std::filesystem::path& path, const ResultParts& result, Shape shape);
void writePlinkBinary(const std::filesystem::path& path, const ResultParts& result, Shape shape);

/// Writes `value` as PLINK 1.9 does: like %g, with six significant digits, but a value that lies within
/// 5·10⁻⁹ units of the last digit from the middle between two is rounded to the even one; "nan", "inf". At
/// most io::kNumberChars bytes; returns their end.
/// Source: PLINK 1.9's output, which is matched byte for byte.
char* writePlinkNumber(char* out, double value);

}  // namespace glycine::distance
