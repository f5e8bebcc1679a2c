#include "engine/sequences/alignment.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/sequences/check_sequences.hpp"

namespace glycine {

MultipleAlignment inOrder(const MultipleAlignment& alignment, RowOrder order) {
    checkKnown(order);
    checkRows(alignment);
    if (order == RowOrder::Input || alignment.order.empty()) return alignment;
    MultipleAlignment ordered = alignment;
    for (std::size_t k = 0; k < alignment.order.size(); ++k) {
        ordered.names[k] = alignment.names[alignment.order[k]];
        ordered.rows[k] = alignment.rows[alignment.order[k]];
    }
    std::iota(ordered.order.begin(), ordered.order.end(), std::size_t{0});
    return ordered;
}

Sequences withoutGaps(const MultipleAlignment& alignment) {
    checkRows(alignment, false);
    Sequences sequences;
    sequences.alphabet = alignment.alphabet;
    for (std::size_t k = 0; k < alignment.size(); ++k) {
        std::string letters = alignment.rows[k];
        std::erase(letters, '-');
        sequences.add(alignment.names[k], std::move(letters));
    }
    return sequences;
}

std::vector<std::vector<std::uint8_t>> codedRows(const MultipleAlignment& alignment) {
    std::vector<std::vector<std::uint8_t>> coded;
    for (const std::string& row : alignment.rows) {
        std::vector<std::uint8_t>& codes = coded.emplace_back();
        codes.reserve(row.size());
        for (const char letter : row) codes.push_back(codeOf(alignment.alphabet, letter));
    }
    return coded;
}

std::vector<std::string> letteredRows(const Sequences& sequences,
                                      const std::vector<std::vector<std::uint8_t>>& rows) {
    if (rows.size() != sequences.size()) throw std::logic_error("an alignment has lost a sequence");
    std::vector<std::string> lettered;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::string& letters = sequences.letters[k];
        const std::vector<std::uint8_t>& codes = sequences.codes[k];
        std::string& row = lettered.emplace_back(rows[k].size(), '-');
        std::size_t next = 0;
        for (std::size_t column = 0; column < row.size(); ++column) {
            if (rows[k][column] == kGapCode) continue;
            if (next == codes.size() || rows[k][column] != codes[next])
                throw std::logic_error(fmt::format("an alignment has changed sequence {}", k + 1));
            row[column] = letters[next++];
        }
        if (next != codes.size() || row.size() != lettered.front().size())
            throw std::logic_error(fmt::format("an alignment has cut sequence {}", k + 1));
    }
    return lettered;
}

std::vector<std::string> letteredRows(const Sequences& sequences,
                                      const std::vector<std::vector<std::uint32_t>>& columns,
                                      std::size_t width) {
    if (columns.size() != sequences.size()) throw std::logic_error("an alignment has lost a sequence");
    std::vector<std::string> lettered;
    lettered.reserve(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::string& letters = sequences.letters[k];
        if (columns[k].size() != letters.size())
            throw std::logic_error(fmt::format("an alignment has cut sequence {}", k + 1));
        std::string& row = lettered.emplace_back(width, '-');
        std::size_t free = 0;
        for (std::size_t i = 0; i < letters.size(); ++i) {
            if (columns[k][i] < free || columns[k][i] >= width)
                throw std::logic_error(fmt::format("an alignment has changed sequence {}", k + 1));
            row[columns[k][i]] = letters[i];
            free = columns[k][i] + std::size_t{1};
        }
    }
    return lettered;
}

std::vector<std::vector<std::uint32_t>> residueColumns(const MultipleAlignment& alignment) {
    std::vector<std::vector<std::uint32_t>> columns;
    for (const std::string& row : alignment.rows) {
        std::vector<std::uint32_t>& places = columns.emplace_back();
        for (std::uint32_t column = 0; column < row.size(); ++column)
            if (row[column] != '-') places.push_back(column);
    }
    return columns;
}

}  // namespace glycine
