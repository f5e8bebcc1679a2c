#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glycine {

/// Insertions, deletions, substitutions and swaps of neighbours that make one text of the other, byte by
/// byte; the case of ASCII letters does not count. (Optimal string alignment.)
std::size_t editDistance(std::string_view first, std::string_view second);

/// Up to `maximum` of the `known` names that `wanted` may have meant, the nearest first: those within two
/// edits, and no further away than half the length of the longer one.
std::vector<std::string> nearestNames(std::string_view wanted, std::span<const std::string> known,
                                      std::size_t maximum = 3);

/// For messages about a name that is not there: "nearest: 'Fc5.', 'Fc3.'", or where none is near, all names
/// that there are: "there are: 'a', 'b', 'c' and 7 more".
std::string suggestNames(std::string_view wanted, std::span<const std::string> known);

/// Where the first name that repeats an earlier one stands: behind the index of that one. Nothing when all
/// differ.
std::optional<std::pair<std::size_t, std::size_t>> firstRepeated(std::span<const std::string> names);

/// "'a', 'b', 'c' and 7 more".
std::string quoteNames(std::span<const std::string> names, std::size_t maximum = 12);

}  // namespace glycine
