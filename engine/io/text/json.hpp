#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/io/text/json_forward.hpp"

namespace glycine {

/// An array of what `describe` makes of each element.
template <class Range, class Describe>
Json jsonArray(const Range& range, const Describe& describe) {
    Json array = Json::array();
    for (const auto& element : range) array.push_back(describe(element));
    return array;
}

/// One object on `out`, indented, with a line break at its end. Text that is not UTF-8 is repaired.
void printJson(std::ostream& out, const Json& json);

/// What a text holds. Throws InputError when it is no JSON, or has an object with two members of one name, of
/// which readers would take either. `source`: the file, `expected`: what it should be, for the message.
Json readJson(std::string_view text, const std::string& source, std::string_view expected);

/// The same as printJson into a file, atomically.
void writeJson(const std::filesystem::path& path, const Json& json);

}  // namespace glycine
