#include "engine/mutualinfo/results/network_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/text.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::mutualinfo {

namespace fs = std::filesystem;

namespace {

struct Column {
    std::string_view name;
    bool isWhole;
    std::function<double(std::size_t edge)> value;
};

/// Columns of numbers that are known for each edge.
std::vector<Column> columnsOf(const NetworkTable& table) {
    std::vector<Column> columns{{"score", false, [&](std::size_t i) { return table.edges[i].score; }}};
    if (table.hasInformation)
        columns.push_back({"mi", false, [&](std::size_t i) { return table.edges[i].information; }});
    if (table.support != nullptr) {
        columns.push_back({"p", false, [&](std::size_t i) { return (*table.support)[i].p; }});
        columns.push_back(
            {"support", true, [&](std::size_t i) { return double{1} * (*table.support)[i].networks; }});
    } else if (table.pValues != nullptr) {
        columns.push_back({"p", false, [&](std::size_t i) { return (*table.pValues)[i]; }});
    }
    return columns;
}

void writeLines(const fs::path& path, const NetworkTable& table, NetworkFormat format) {
    const bool isScenic = format == NetworkFormat::ScenicTsv || format == NetworkFormat::ScenicCsv;
    const bool isCsv = format == NetworkFormat::Csv || format == NetworkFormat::ScenicCsv;
    const char separator = isCsv ? ',' : '\t';
    std::vector<Column> columns = columnsOf(table);
    if (isScenic) {
        columns.resize(1);
        columns.front().name = "importance";
    }
    const bool isSif = format == NetworkFormat::Sif;
    std::vector<std::string> names(table.genes.size());
    for (std::size_t g = 0; g < names.size(); ++g)
        (isCsv ? io::appendCsvField : io::appendTsvField)(names[g], table.genes[g]);
    const std::string between = isSif ? "\t" + table.method + "\t" : std::string(1, separator);
    const auto writeLine = [&](std::string& text, std::size_t i, std::size_t regulator, std::size_t target) {
        text += names[regulator];
        text += between;
        text += names[target];
        if (!isSif)
            for (const Column& column : columns) {
                text += separator;
                io::appendShortest(text, column.value(i));
            }
        text += '\n';
    };
    storage::AtomicFile file(path);
    if (!isSif) {
        std::string head = fmt::format("{}{}target", isScenic ? "TF" : "regulator", separator);
        for (const Column& column : columns) head += fmt::format("{}{}", separator, column.name);
        file.write(head + '\n');
    }
    constexpr std::size_t kLines = std::size_t{1} << 15;
    const std::vector<Range> pieces = splitRange(table.edges.size(), kLines);
    BackgroundWork work("writing edges", static_cast<double>(table.edges.size()));
    pairs::writeInOrder(
        file, pieces.size(),
        [&](std::size_t piece, std::size_t, std::string& text) {
            for (std::size_t i = pieces[piece].begin; i < pieces[piece].end; ++i) {
                const auto [regulator, target] = table.ends(table.edges[i]);
                writeLine(text, i, regulator, target);
                if (isScenic && table.regulators->includes(target)) writeLine(text, i, target, regulator);
            }
        },
        [&](std::size_t piece) { work.advance(static_cast<double>(pieces[piece].size())); });
    file.commit();
}

void writeAdjacency(io::BufferedText& file, const NetworkTable& table) {
    for (const NetworkTable::Fact& fact : table.about) {
        file.text() += fmt::format(">  {:<15} {}", fact.name, pairs::nameWithout("\r\n", fact.text));
        file.endLine();
    }
    struct Neighbour {
        std::uint32_t gene;
        double information;
    };
    const std::size_t n = table.genes.size();
    requireHostMemory("sorting the edges of an .adj file",
                      2.0 * sizeof(Neighbour) * static_cast<double>(table.edges.size()));
    // Neighbours of all genes, concatenated gene by gene.
    std::vector<std::size_t> ends(n + 1);
    for (const Edge& edge : table.edges) {
        ++ends[edge.row + std::size_t{1}];
        ++ends[edge.column + std::size_t{1}];
    }
    for (std::size_t g = 0; g < n; ++g) ends[g + 1] += ends[g];
    std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
    std::vector<Neighbour> neighbours(ends.back());
    for (const Edge& edge : table.edges) {
        neighbours[next[edge.row]++] = {edge.column, edge.information};
        neighbours[next[edge.column]++] = {edge.row, edge.information};
    }
    BackgroundWork work("writing edges", static_cast<double>(n));
    for (std::size_t g = 0; g < n; ++g) {
        const auto first = neighbours.begin() + static_cast<std::ptrdiff_t>(ends[g]);
        const auto last = neighbours.begin() + static_cast<std::ptrdiff_t>(ends[g + 1]);
        std::sort(first, last, [](const Neighbour& a, const Neighbour& b) { return a.gene < b.gene; });
        file.text() += pairs::nameWithout("\t\r\n", table.genes[g]);
        for (auto neighbour = first; neighbour != last; ++neighbour) {
            file.text() += "\t";
            file.text() += pairs::nameWithout("\t\r\n", table.genes[neighbour->gene]);
            file.text() += "\t";
            io::appendShortest(file.text(), neighbour->information);
        }
        file.endLine();
        work.advance(1);
    }
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else
            result += static_cast<unsigned char>(c) < ' ' ? '_' : c;
    }
    return result;
}

void writeGraph(io::BufferedText& file, const NetworkTable& table) {
    const std::vector<Column> columns = columnsOf(table);
    const bool isDirected = !table.regulators->flags.empty();
    const auto line = [&](const std::string& text) {
        file.text() += text;
        file.endLine();
    };
    line(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    line(R"(<graphml xmlns="http://graphml.graphdrawing.org/xmlns">)");
    line(R"(  <key id="name" for="node" attr.name="name" attr.type="string"/>)");
    if (isDirected) line(R"(  <key id="regulator" for="node" attr.name="regulator" attr.type="boolean"/>)");
    if (table.groups != nullptr)
        line(R"(  <key id="group" for="node" attr.name="group" attr.type="string"/>)");
    line(R"(  <key id="interaction" for="edge" attr.name="interaction" attr.type="string"/>)");
    for (const Column& column : columns)
        line(fmt::format(R"(  <key id="{0}" for="edge" attr.name="{0}" attr.type="{1}"/>)", column.name,
                         column.isWhole ? "int" : "double"));
    line(fmt::format(R"(  <graph edgedefault="{}">)", isDirected ? "directed" : "undirected"));
    std::vector<char> isUsed(table.genes.size());
    for (const Edge& edge : table.edges) isUsed[edge.row] = isUsed[edge.column] = 1;
    for (std::size_t g = 0; g < table.genes.size(); ++g) {
        if (isUsed[g] == 0) continue;
        std::string text =
            fmt::format(R"(    <node id="n{}"><data key="name">{}</data>)", g, escaped(table.genes[g]));
        if (isDirected)
            text += fmt::format(R"(<data key="regulator">{}</data>)", table.regulators->includes(g));
        if (table.groups != nullptr)
            text += fmt::format(R"(<data key="group">{}</data>)", escaped(table.groups->labelOf(g)));
        line(text + "</node>");
    }
    BackgroundWork work("writing edges", static_cast<double>(table.edges.size()));
    for (std::size_t i = 0; i < table.edges.size(); ++i) {
        const auto [regulator, target] = table.ends(table.edges[i]);
        file.text() += fmt::format(R"(    <edge source="n{}" target="n{}"><data key="interaction">{}</data>)",
                                   regulator, target, table.method);
        for (const Column& column : columns) {
            file.text() += fmt::format(R"(<data key="{}">)", column.name);
            io::appendShortest(file.text(), column.value(i));
            file.text() += "</data>";
        }
        line("</edge>");
        work.advance(1);
    }
    line("  </graph>");
    line("</graphml>");
}

}  // namespace

NetworkFormat networkFormat(const fs::path& path) {
    const std::string ending =
        storage::isStandardOutput(path) ? ".tsv" : lowerCase(path.extension().string());
    const std::string before = lowerCase(path.stem().extension().string());
    if (before == ".scenic" && ending == ".tsv") return NetworkFormat::ScenicTsv;
    if (before == ".scenic" && ending == ".csv") return NetworkFormat::ScenicCsv;
    if (ending == ".tsv" || ending == ".txt") return NetworkFormat::Tsv;
    if (ending == ".csv") return NetworkFormat::Csv;
    if (ending == ".graphml") return NetworkFormat::GraphMl;
    if (ending == ".sif") return NetworkFormat::Sif;
    if (ending == ".adj") return NetworkFormat::Adj;
    throw UsageError(
        fmt::format("{}: the ending stands for no format of networks; known: .tsv, .txt, .csv, "
                    ".scenic.tsv, .scenic.csv, .graphml, .sif, .adj, .png, .svg, .pdf",
                    path.string()));
}

std::pair<std::size_t, std::size_t> NetworkTable::ends(const Edge& edge) const {
    if (regulators->includes(edge.column)) return {edge.column, edge.row};
    return {edge.row, edge.column};
}

void writeNetwork(const fs::path& path, const NetworkTable& table) {
    const NetworkFormat format = networkFormat(path);
    if (format != NetworkFormat::GraphMl && format != NetworkFormat::Adj)
        return writeLines(path, table, format);
    io::BufferedText file(path);
    if (format == NetworkFormat::GraphMl)
        writeGraph(file, table);
    else
        writeAdjacency(file, table);
    file.commit();
}

}  // namespace glycine::mutualinfo
