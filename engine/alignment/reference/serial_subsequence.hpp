#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace glycine::align::reference {

/// Letters of the longest common subsequence of two sequences (fast/common_subsequence.hpp), by the dynamic
/// program over all their prefixes.
///
/// Source: R. A. Wagner, M. J. Fischer, "The string-to-string correction problem", Journal of the ACM 21
/// (1974), 168–173.
std::size_t commonSubsequence(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);

}  // namespace glycine::align::reference
