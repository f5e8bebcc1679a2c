#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The tables of a STAR file, with the line of each row. The reader is compiled as C++17 with gemmi
/// (gemmi_reader.hpp).
namespace glycine::io {

struct StarTable {
    std::string category;              ///< "_nef_distance_restraint", in lower case
    std::vector<std::string> columns;  ///< "restraint_id", in lower case
    std::vector<std::string> values;   ///< row by row, without quotes; "." if missing
    std::vector<std::size_t> lines;    ///< of each row, from 1
    std::size_t rowCount() const { return lines.size(); }
};

/// All loops of the text, in order; a table's last row may lack values. Throws InputError, naming file and
/// line, for text that is no STAR file or ends within a frame.
std::vector<StarTable> readStarTables(std::string_view text, const std::string& name);

}  // namespace glycine::io
