#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glycine {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn one text into the other,
/// byte by byte, ignoring the case of ASCII letters (optimal string alignment).
std::size_t editDistance(std::string_view first, std::string_view second);

/// Up to `maximum` of the `known` names that `wanted` may have meant, nearest first: within two edits, and
/// within half the length of the longer name.
std::vector<std::string> nearestNames(std::string_view wanted, std::span<const std::string> known,
                                      std::size_t maximum = 3);

/// For messages about an unknown name: "nearest: 'Fc5.', 'Fc3.'", or if none is near, the known names: "there
/// are: 'a', 'b', 'c' and 7 more".
std::string suggestNames(std::string_view wanted, std::span<const std::string> known);

/// For messages about an unknown name from a short list: "nearest: king", or if none is near, all names:
/// "known: ibs, king".
std::string nearestOrAll(std::string_view wanted, std::span<const std::string> known);

/// Indices of the first repeated name: the earlier occurrence, then the repetition. Nothing if all names
/// differ.
std::optional<std::pair<std::size_t, std::size_t>> firstRepeated(std::span<const std::string> names);

/// "'a', 'b', 'c' and 7 more".
std::string quoteNames(std::span<const std::string> names, std::size_t maximum = 12);

}  // namespace glycine
