#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/io/text/json_forward.hpp"

namespace glycine {

/// An array of `describe(element)` for each element.
template <class Range, class Describe>
Json jsonArray(const Range& range, const Describe& describe) {
    Json array = Json::array();
    for (const auto& element : range) array.push_back(describe(element));
    return array;
}

/// Prints one object, indented, followed by a line break. Repairs text that is not UTF-8.
void printJson(std::ostream& out, const Json& json);

/// Parses a text. Throws InputError if it is no JSON, or has an object with a repeated member, of which
/// readers may take either. `source`: the file, `expected`: what it should be, both for the message.
Json readJson(std::string_view text, const std::string& source, std::string_view expected);

/// Writes a file as printJson does, atomically.
void writeJson(const std::filesystem::path& path, const Json& json);

}  // namespace glycine
