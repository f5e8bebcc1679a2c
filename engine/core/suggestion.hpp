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

/// The part of a name that is compared.
using NamePart = std::string_view (*)(std::string_view);
inline std::string_view wholeName(std::string_view name) {
    return name;
}

/// Up to three of the `known` names that `wanted` may have meant, nearest first: within two edits, and within
/// half the length of the longer name.
std::vector<std::string> nearestNames(std::string_view wanted, std::span<const std::string> known,
                                      NamePart part = wholeName);

/// For every message about an unknown name: the nearest names, and a short list of all; of a long list only
/// the beginning, if none is near: "nearest: cpu; known: gl, cpu", "nearest: FC5", "known: a, b, c and 7
/// more".
std::string suggestNames(std::string_view wanted, std::span<const std::string> known,
                         NamePart part = wholeName);

/// Indices of the first repeated name: the earlier occurrence, then the repetition. Nothing if all names
/// differ.
std::optional<std::pair<std::size_t, std::size_t>> firstRepeated(std::span<const std::string> names);

/// "'a', 'b', 'c' and 7 more".
std::string quoteNames(std::span<const std::string> names, std::size_t maximum = 12);

}  // namespace glycine
