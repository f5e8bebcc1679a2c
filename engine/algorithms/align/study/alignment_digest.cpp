#include "engine/algorithms/align/study/alignment_digest.hpp"

#include <cstddef>

namespace glycine::align {

study::ResultDigest digestOf(const std::vector<std::vector<std::uint32_t>>& columns, std::size_t width) {
    study::ResultDigester digester;
    for (std::size_t sequence = 0; sequence < columns.size(); ++sequence)
        for (std::size_t residue = 0; residue < columns[sequence].size(); ++residue)
            digester.take(0, sequence, residue, columns[sequence][residue]);
    digester.take(1, 0, 0, static_cast<std::uint64_t>(width));
    return digester.digest();
}

study::ResultDigest digestOf(const std::vector<std::string>& rows) {
    std::vector<std::vector<std::uint32_t>> columns(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t column = 0; column < rows[row].size(); ++column)
            if (rows[row][column] != '-') columns[row].push_back(static_cast<std::uint32_t>(column));
    return digestOf(columns, rows.empty() ? 0 : rows.front().size());
}

}  // namespace glycine::align
