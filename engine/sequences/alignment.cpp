#include "engine/sequences/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine {

MultipleAlignment inOrder(const MultipleAlignment& alignment, RowOrder order) {
    checkKnown(order);
    checkRows(alignment);
    if (order == RowOrder::Input || alignment.order.empty()) return alignment;
    MultipleAlignment ordered = alignment;
    for (std::size_t k = 0; k < alignment.order.size(); ++k) {
        ordered.names[k] = alignment.names[alignment.order[k]];
        ordered.rows[k] = alignment.rows[alignment.order[k]];
        if (!alignment.residueConfidence.empty())
            ordered.residueConfidence[k] = alignment.residueConfidence[alignment.order[k]];
    }
    std::iota(ordered.order.begin(), ordered.order.end(), std::size_t{0});
    return ordered;
}

std::vector<double> confidenceOfRow(const MultipleAlignment& alignment, std::size_t row) {
    std::vector<double> values;
    auto residue = alignment.residueConfidence[row].begin();
    for (const char letter : alignment.rows[row])
        values.push_back(letter == '-' ? std::numeric_limits<double>::quiet_NaN() : *residue++);
    return values;
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

// ---- checks

namespace {

void checkNames(std::string_view what, const std::vector<std::string>& names) {
    std::unordered_set<std::string_view> distinct;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k].empty()) throw InputError(fmt::format("{} {} has no name", what, k + 1));
        if (!distinct.insert(names[k]).second)
            throw InputError(fmt::format("{} {}: the name '{}' is there already; expected each name once",
                                         what, k + 1, excerpt(names[k])));
    }
}

}  // namespace

void checkSequences(const Sequences& sequences) {
    checkKnown(sequences.alphabet);
    const std::size_t n = sequences.letters.size();
    checkCount("the names", sequences.names.size(), n, "one for each sequence");
    checkCount("the sequences of codes", sequences.codes.size(), n, "one for each sequence");
    checkNames("sequence", sequences.names);
    for (std::size_t k = 0; k < n; ++k) {
        const std::string& letters = sequences.letters[k];
        const std::vector<std::uint8_t>& codes = sequences.codes[k];
        const auto fail = [&](const std::string& message) {
            throw InputError(
                fmt::format("sequence {} ('{}'){}", k + 1, excerpt(sequences.names[k]), message));
        };
        if (letters.empty()) fail(" has no letters; expected at least one");
        if (codes.size() != letters.size())
            fail(
                fmt::format(" has {} codes; expected {}, one for each letter", codes.size(), letters.size()));
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const std::uint8_t code = codeOf(sequences.alphabet, letters[i]);
            if (code == kNoCode || code == kGapCode)
                fail(fmt::format(", letter {}: '{}' is no letter of the alphabet {}", i + 1,
                                 excerpt(letters.substr(i, 1)), toString(sequences.alphabet)));
            if (codes[i] != code)
                fail(fmt::format(", letter {}: the code of '{}' is {}; expected {}", i + 1, letters[i],
                                 codes[i], code));
        }
    }
}

void checkGuideTree(const trees::Tree& tree, std::size_t sequences) {
    if (tree.leaves != sequences)
        throw InputError(
            fmt::format("the guide tree has {} leaves; expected one for each of the {} sequences",
                        tree.leaves, sequences));
    trees::checkTree(tree);
}

void checkRows(const MultipleAlignment& alignment, bool areAligned) {
    checkKnown(alignment.alphabet);
    const std::size_t n = alignment.size();
    if (n == 0) throw InputError("the alignment has no rows; expected at least one");
    checkCount("the names", alignment.names.size(), n, "one for each row");
    if (!alignment.order.empty()) {
        checkCount("the rows in order", alignment.order.size(), n, "each row once, or none");
        std::vector<char> count(n, 0);
        for (const std::size_t row : alignment.order)
            if (row >= n || count[row]++ != 0)
                throw UsageError(
                    fmt::format("the order names row {}; expected each of 0 … {} once", row, n - 1));
    }
    if (!alignment.confidence.empty())
        checkCount("the confidences", alignment.confidence.size(), alignment.columns(),
                   "one for each column, or none");
    if (!alignment.residueConfidence.empty()) {
        checkCount("the rows of confidences", alignment.residueConfidence.size(), n,
                   "one for each row, or none");
        for (std::size_t k = 0; k < n; ++k)
            checkCount("the confidences of a row", alignment.residueConfidence[k].size(),
                       alignment.rows[k].size() -
                           static_cast<std::size_t>(std::ranges::count(alignment.rows[k], '-')),
                       "one for each residue");
    }
    checkNames("row", alignment.names);
    for (std::size_t k = 0; k < n; ++k) {
        const std::string& row = alignment.rows[k];
        const auto fail = [&](const std::string& message) {
            throw InputError(fmt::format("row {} ('{}'){}", k + 1, excerpt(alignment.names[k]), message));
        };
        if (areAligned && row.size() != alignment.columns())
            fail(fmt::format(" has {} columns; expected {} as in row 1", row.size(), alignment.columns()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::uint8_t code = codeOf(alignment.alphabet, row[i]);
            if (code == kNoCode || (code == kGapCode && row[i] != '-'))
                fail(fmt::format(", column {}: '{}' is neither '-' nor a letter of the alphabet {}", i + 1,
                                 excerpt(row.substr(i, 1)), toString(alignment.alphabet)));
        }
    }
    if (alignment.hasGuideTree()) checkGuideTree(alignment.guideTree, n);
}

}  // namespace glycine
