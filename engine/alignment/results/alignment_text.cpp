#include "engine/alignment/results/alignment_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "engine/sequences/gcg_checksum.hpp"

namespace glycine::align {

namespace {

std::size_t longestName(const MultipleAlignment& alignment, std::size_t atLeast) {
    std::size_t longest = atLeast;
    for (const std::string& name : alignment.names) longest = std::max(longest, name.size());
    return longest;
}

void appendPadded(std::string& text, std::string_view name, std::size_t width) {
    text += name;
    text.append(width - std::min(width, name.size()), ' ');
}

}  // namespace

std::string fastaRow(const MultipleAlignment& alignment, std::size_t row) {
    constexpr std::size_t kLine = 60;
    std::string text = '>' + alignment.names[row] + '\n';
    for (std::size_t begin = 0; begin < alignment.columns(); begin += kLine) {
        text.append(alignment.rows[row], begin, kLine);
        text += '\n';
    }
    return text;
}

std::string phylipText(const MultipleAlignment& alignment) {
    constexpr std::size_t kNameOfStrictForm = 10;
    const std::size_t width = longestName(alignment, kNameOfStrictForm) + 1;
    std::string text = fmt::format("{} {}\n", alignment.size(), alignment.columns());
    for (std::size_t k = 0; k < alignment.size(); ++k) {
        appendPadded(text, alignment.names[k], width);
        text += alignment.rows[k] + '\n';
    }
    return text;
}

std::string stockholmText(const MultipleAlignment& alignment) {
    constexpr std::string_view kConfidence = "#=GC PP_cons";
    const bool isSure = !alignment.confidence.empty();
    const std::size_t width = longestName(alignment, isSure ? kConfidence.size() : 0) + 1;
    std::string text = "# STOCKHOLM 1.0\n\n";
    for (std::size_t k = 0; k < alignment.size(); ++k) {
        appendPadded(text, alignment.names[k], width);
        text += alignment.rows[k] + '\n';
    }
    if (isSure) {
        appendPadded(text, kConfidence, width);
        for (const double confidence : alignment.confidence) {
            const int tenths = static_cast<int>(std::floor(confidence * 10 + 0.5));
            text += tenths >= 10 ? '*' : static_cast<char>('0' + std::max(tenths, 0));
        }
        text += '\n';
    }
    return text + "//\n";
}

std::string msfText(const MultipleAlignment& alignment, std::string_view name) {
    constexpr std::size_t kBlockOfMsf = 50;
    constexpr std::size_t kGroupOfMsf = 10;
    const std::size_t width = longestName(alignment, 0);
    std::vector<std::string> rows = alignment.rows;
    for (std::string& row : rows) std::ranges::replace(row, '-', '.');
    std::size_t all = 0;
    for (const std::string& row : rows) all += gcgChecksum(row);
    const bool isProtein = alignment.alphabet == Alphabet::Protein;
    std::string text =
        fmt::format("!!{}_MULTIPLE_ALIGNMENT 1.0\n\n {}  MSF: {}  Type: {}  Check: {} ..\n\n",
                    isProtein ? "AA" : "NA", name, alignment.columns(), isProtein ? 'P' : 'N', all % 10000);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        text += " Name: ";
        appendPadded(text, alignment.names[k], width);
        fmt::format_to(std::back_inserter(text), "  Len: {}  Check: {:4}  Weight: 1.00\n", rows[k].size(),
                       gcgChecksum(rows[k]));
    }
    text += "\n//\n";
    for (std::size_t begin = 0; begin < alignment.columns(); begin += kBlockOfMsf) {
        text += '\n';
        const std::size_t end = std::min(begin + kBlockOfMsf, alignment.columns());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            appendPadded(text, alignment.names[k], width);
            for (std::size_t group = begin; group < end; group += kGroupOfMsf) {
                text += ' ';
                text.append(rows[k], group, std::min(kGroupOfMsf, end - group));
            }
            text += '\n';
        }
    }
    return text;
}

}  // namespace glycine::align
