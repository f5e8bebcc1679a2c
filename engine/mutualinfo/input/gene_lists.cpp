#include "engine/mutualinfo/input/gene_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_map>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/delimited_table.hpp"

namespace glycine::mutualinfo {

namespace {

using GeneNumbers = std::unordered_map<std::string_view, std::uint32_t>;

GeneNumbers numbersOf(std::span<const std::string> genes) {
    GeneNumbers numbers;
    for (std::size_t g = 0; g < genes.size(); ++g) numbers.emplace(genes[g], static_cast<std::uint32_t>(g));
    return numbers;
}

void visitRowsOf(const std::filesystem::path& path,
                 const std::function<void(const io::DelimitedRow&)>& visit) {
    io::visitDelimitedRows(*io::openText(path), visit,
                           [](std::string_view line) { return line.starts_with('#'); });
}

bool isZero(std::string_view text) {
    double value = 1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value == 0;
}

}  // namespace

RegulatorList readRegulators(const std::filesystem::path& path, std::span<const std::string> genes) {
    const GeneNumbers numbers = numbersOf(genes);
    RegulatorList list;
    list.regulators.flags.assign(genes.size(), 0);
    std::string firstUnknown;
    visitRowsOf(path, [&](const io::DelimitedRow& row) {
        const auto found = numbers.find(row[0]);
        if (found == numbers.end()) {
            if (list.unknown++ == 0) firstUnknown = row[0];
        } else if (list.regulators.flags[found->second] == 0) {
            list.regulators.flags[found->second] = 1;
            ++list.known;
        }
    });
    if (list.known == 0)
        throw InputError(
            list.unknown == 1
                ? fmt::format("{}: '{}' is no gene of the input; {}", path.string(), excerpt(firstUnknown),
                              suggestNames(firstUnknown, genes))
                : fmt::format("{}: none of the {} names is a gene of the input, the first is '{}'; {}",
                              path.string(), formatCount(list.unknown), excerpt(firstUnknown),
                              suggestNames(firstUnknown, genes)));
    return list;
}

TruthList readTruth(const std::filesystem::path& path, std::span<const std::string> genes) {
    const GeneNumbers numbers = numbersOf(genes);
    TruthList list;
    // The file's statement about each ordered pair. The opposite direction may be stated differently.
    struct Line {
        std::size_t number;
        bool isLinked;
    };
    std::unordered_map<std::uint64_t, Line> said;
    std::size_t named = 0;
    std::size_t lines = 0;
    visitRowsOf(path, [&](const io::DelimitedRow& row) {
        if (row.size() < 2)
            throw InputError(fmt::format("{}: line {} holds '{}' alone; expected two genes", path.string(),
                                         row.line(), excerpt(row[0])));
        const auto a = numbers.find(row[0]);
        const auto b = numbers.find(row[1]);
        const bool isHeading = lines++ == 0 && row[0] == "regulator" && row[1] == "target";
        if (isHeading && a == numbers.end() && b == numbers.end()) return;
        if (a == numbers.end() || b == numbers.end()) {
            ++list.unknown;
            return;
        }
        ++named;
        const bool isLinked = !(row.size() > 2 && isZero(row[2]));
        const auto [first, isNew] =
            said.emplace(std::uint64_t{a->second} << 32U | b->second, Line{row.line(), isLinked});
        if (first->second.isLinked != isLinked)
            throw InputError(fmt::format(
                "{}: line {} says that '{}' and '{}' are {}linked, line {} that they are {}; expected one of "
                "both",
                path.string(), row.line(), excerpt(row[0]), excerpt(row[1]), isLinked ? "" : "not ",
                first->second.number, isLinked ? "not" : "linked"));
        const auto [low, high] = std::minmax(a->second, b->second);
        if (low != high && isLinked) list.pairs.emplace(high, low);
    });
    if (named == 0)
        throw InputError(fmt::format(
            "{}: none of {} names two genes of the input; expected two genes a line, such as '{}' "
            "and '{}'",
            path.string(), formatCount(lines, "line"), excerpt(genes.front()), excerpt(genes.back())));
    return list;
}

}  // namespace glycine::mutualinfo
