#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

/// Identities of runs: one parameter per line, "name: value".
namespace glycine::storage {

/// Describes how two different identities differ: "measure was allele, is ibs now, missing was flat, is
/// weighted now". They must not be equal.
std::string identityDifferences(std::string_view earlier, std::string_view now);

/// Throws UsageError unless the processes of a team work on the same result: `leads` is the lead's identity.
void requireSameIdentity(std::string_view leads, std::string_view own);

/// Removes the first line from `text` and returns it; nothing if the line is not terminated.
std::optional<std::string_view> takeLine(std::string_view& text);

/// The identity without these parameters.
std::string identityWithout(std::string_view identity, std::initializer_list<std::string_view> names);

}  // namespace glycine::storage
