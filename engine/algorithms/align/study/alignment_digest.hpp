#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/study/result_digest.hpp"

namespace glycine::align {

/// Of an alignment of so many columns: in which of them each residue of each sequence stands, and their
/// number. These are integers: digests are equal where every residue stands in the same column, whatever
/// rounding has led there.
study::ResultDigest digestOf(const std::vector<std::vector<std::uint32_t>>& columns, std::size_t width);
/// The same of rows of letters and '-'.
study::ResultDigest digestOf(const std::vector<std::string>& rows);

}  // namespace glycine::align
