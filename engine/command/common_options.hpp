#pragma once

#include <optional>
#include <string>

#include "engine/command/options.hpp"

/// Options that several commands take, meaning the same everywhere.
namespace glycine {

/// Declares --json.
void addJsonOption(Options& options, bool& json,
                   const std::string& help = "Print the report as one JSON object");

/// Declares --restart of runs that can be stopped, under the heading "Computation".
void addRestartOption(Options& options, bool& restart);

/// How a table of numbers is read.
struct TableReading {
    std::optional<bool>& header;  ///< whether there is a header line; found out if absent
    bool& transpose;
};
/// Declares --header (auto, yes, no) and --transpose, explained by the two texts. Read by the facet "input"
/// with the values "table" and, --transpose, "array" (Options::requireReaders).
void addTableOptions(Options& options, TableReading target, const std::string& header,
                     const std::string& transpose);

}  // namespace glycine
