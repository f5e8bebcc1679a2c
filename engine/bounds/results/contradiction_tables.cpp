#include "engine/bounds/results/contradiction_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "engine/io/text/text_output.hpp"

namespace glycine::bounds {

namespace {

/// The columns that name a pair.
std::string heading(char first, char second, bool hasNames) {
    std::string text = fmt::format("{}\t{}\t", first, second);
    if (hasNames) text += fmt::format("atom_{}\tatom_{}\t", first, second);
    return text;
}

void appendPair(std::string& line, std::size_t first, std::size_t second,
                std::span<const std::string> atomNames) {
    const auto end = std::back_inserter(line);
    fmt::format_to(end, "{}\t{}\t", first + 1, second + 1);
    if (atomNames.empty()) return;
    for (const std::size_t atom : {first, second}) {
        io::appendTsvField(line, atomNames[atom]);
        line += '\t';
    }
}

/// A name among others that commas separate.
std::string inList(std::string name) {
    std::ranges::replace(name, ',', '_');
    return name;
}

}  // namespace

void writeViolations(const std::filesystem::path& tsv, std::span<const Violation> violations,
                     std::span<const std::string> atomNames) {
    io::BufferedText table(tsv);
    table.text() = heading('i', 'j', !atomNames.empty()) + "lower\tupper\texcess";
    table.endLine();
    for (const Violation& violation : violations) {
        appendPair(table.text(), violation.i, violation.j, atomNames);
        fmt::format_to(std::back_inserter(table.text()), "{}\t{}\t{}", violation.lower, violation.upper,
                       violation.excess());
        table.endLine();
    }
    table.commit();
}

void writeContradictions(const std::filesystem::path& tsv, std::span<const Contradiction> contradictions,
                         std::span<const std::string> atomNames) {
    io::BufferedText table(tsv);
    table.text() = heading('p', 'q', !atomNames.empty()) + "lower\tupper_sum\tshort_by\tpairs\tpath\t" +
                   (atomNames.empty() ? "" : "path_atoms\t") + "upper_inputs";
    table.endLine();
    for (const Contradiction& contradiction : contradictions) {
        appendPair(table.text(), contradiction.p, contradiction.q, atomNames);
        std::vector<std::size_t> path;
        std::vector<std::string> names;
        for (const std::size_t atom : contradiction.upperPath) {
            path.push_back(atom + 1);
            if (!atomNames.empty()) names.push_back(inList(atomNames[atom]));
        }
        const auto end = std::back_inserter(table.text());
        fmt::format_to(end, "{}\t{}\t{}\t{}\t{}\t", contradiction.lowerInput, contradiction.upperSum,
                       contradiction.lowerInput - contradiction.upperSum, contradiction.explainedPairs,
                       fmt::join(path, ","));
        if (!atomNames.empty()) {
            io::appendTsvField(table.text(), fmt::to_string(fmt::join(names, ",")));
            table.text() += '\t';
        }
        fmt::format_to(end, "{}", fmt::join(contradiction.upperInputs, ","));
        table.endLine();
    }
    table.commit();
}

}  // namespace glycine::bounds
