#include "engine/alignment/results/clustal_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace glycine::align {

namespace {

// Of a row in a block: fewer behind long names.
constexpr std::size_t kBlock = 60, kShortBlock = 50, kLongNames = 20;
constexpr std::size_t kShortestNames = 10;
constexpr std::size_t kBehindNames = 6;

constexpr std::array<std::string_view, 9> kStrongGroups{"STA",  "NEQK", "NHQK", "NDEQ", "QHRK",
                                                        "MILV", "MILF", "HY",   "FYW"};
constexpr std::array<std::string_view, 11> kWeakGroups{"CSA",    "ATV",    "SAG",    "STNK",  "STPA", "SGND",
                                                       "SNDEQK", "NDEQHK", "NEQHRK", "FVLIM", "HFY"};

}  // namespace

char conservationSign(Alphabet alphabet, std::span<const std::string> rows, std::size_t column) {
    const auto all = [&](auto&& isIn) {
        return std::ranges::all_of(rows, [&](const std::string& row) { return isIn(row[column]); });
    };
    const char first = rows.front()[column];
    if (first == '-') return ' ';
    if (all([&](char letter) { return letter == first; })) return '*';
    if (alphabet != Alphabet::Protein) return ' ';
    const auto isWithin = [&](std::string_view group) {
        return all([&](char letter) { return group.find(letter) != std::string_view::npos; });
    };
    if (std::ranges::any_of(kStrongGroups, isWithin)) return ':';
    if (std::ranges::any_of(kWeakGroups, isWithin)) return '.';
    return ' ';
}

std::string clustalText(Alphabet alphabet, std::span<const std::string> names,
                        std::span<const std::string> rows) {
    std::size_t longest = kShortestNames;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    const std::size_t width = longest + kBehindNames;
    const std::size_t block = longest > kLongNames ? kShortBlock : kBlock;
    std::string text = "CLUSTAL 2.1 multiple sequence alignment\n\n";
    const std::size_t columns = rows.front().size();
    for (std::size_t begin = 0; begin < columns; begin += block) {
        const std::size_t length = std::min(block, columns - begin);
        text += '\n';
        for (std::size_t k = 0; k < rows.size(); ++k) {
            text += names[k];
            text.append(width - names[k].size(), ' ');
            text.append(rows[k], begin, length);
            text += '\n';
        }
        text.append(width, ' ');
        for (std::size_t column = begin; column < begin + length; ++column)
            text += conservationSign(alphabet, rows, column);
        text += '\n';
    }
    return text;
}

}  // namespace glycine::align
