#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

/// What tells one run from another: one parameter a line, "name: value".
namespace glycine::storage {

/// "measure was allele, is ibs now, missing was flat, is weighted now": how two identities differ, which must
/// not be equal.
std::string identityDifferences(std::string_view earlier, std::string_view now);

/// Takes the first line off `text`; nothing when its end is missing.
std::optional<std::string_view> takeLine(std::string_view& text);

/// The identity without these parameters.
std::string identityWithout(std::string_view identity, std::initializer_list<std::string_view> names);

}  // namespace glycine::storage
