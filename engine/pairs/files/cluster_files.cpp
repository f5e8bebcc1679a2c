#include "engine/pairs/files/cluster_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/picture/graph_picture.hpp"

namespace glycine::pairs {

namespace fs = std::filesystem;

namespace {

std::string endingOf(const fs::path& path) {
    return storage::isStandardOutput(path) ? ".tsv" : lowerCase(path.extension().string());
}

void writeTable(io::BufferedText& file, const ClusterResult& result) {
    const Clusters& clusters = result.clusters;
    std::vector<std::size_t> order(clusters.of.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t instance) { return clusters.of[instance]; });
    file.text() += "name\tcluster\tsize";
    file.endLine();
    for (const std::size_t instance : order) {
        const std::size_t cluster = clusters.of[instance];
        io::appendTsvField(file.text(), result.names[instance]);
        file.text() += fmt::format("\t{}\t{}", cluster + 1, clusters.sizes[cluster]);
        file.endLine();
    }
}

void writeGraph(io::BufferedText& file, const ClusterResult& result) {
    const auto line = [&](std::string_view text) {
        file.text() += text;
        file.endLine();
    };
    line(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    line(R"(<graphml xmlns="http://graphml.graphdrawing.org/xmlns">)");
    line(R"(  <key id="name" for="node" attr.name="name" attr.type="string"/>)");
    line(R"(  <key id="cluster" for="node" attr.name="cluster" attr.type="int"/>)");
    if (!result.groups.empty())
        line(R"(  <key id="group" for="node" attr.name="group" attr.type="string"/>)");
    line(R"(  <key id="distance" for="edge" attr.name="distance" attr.type="double"/>)");
    line(R"(  <graph edgedefault="undirected">)");
    for (std::size_t i = 0; i < result.names.size(); ++i) {
        std::string text =
            fmt::format(R"(    <node id="n{}"><data key="name">{}</data><data key="cluster">{}</data>)", i,
                        escapeMarkup(drawableText(result.names[i])), result.clusters.of[i] + 1);
        if (!result.groups.empty())
            text += fmt::format(R"(<data key="group">{}</data>)",
                                escapeMarkup(drawableText(result.groups.labelOf(i))));
        line(text + "</node>");
    }
    for (const ClosePair& pair : result.pairs) {
        if (pair.value > result.within || result.clusters.of[pair.row] != result.clusters.of[pair.column])
            continue;
        file.text() += fmt::format(R"(    <edge source="n{}" target="n{}"><data key="distance">)",
                                   pair.column, pair.row);
        io::appendShortest(file.text(), pair.value);
        line("</data></edge>");
    }
    line("  </graph>");
    line("</graphml>");
}

void draw(const fs::path& path, const ClusterResult& result) {
    const Clusters& clusters = result.clusters;
    std::vector<picture::GraphNode> nodes;
    std::vector<std::size_t> node(clusters.of.size());
    for (std::size_t i = 0; i < clusters.of.size(); ++i) {
        if (clusters.sizes[clusters.of[i]] < 2) continue;
        node[i] = nodes.size();
        nodes.push_back({.name = result.names[i]});
        if (!result.groups.empty()) nodes.back().sign = result.groups.signOf(i);
    }
    std::vector<picture::GraphEdge> edges;
    for (const ClosePair& pair : spanningPairs(clusters, result.pairs))
        edges.push_back({node[pair.column], node[pair.row], pair.value});
    std::string meaning =
        fmt::format("{} within {}; lines: the shortest distances that hold a cluster together",
                    formatCount(clusters.linked(), "cluster"), result.within);
    if (const std::size_t apart = clusters.of.size() - nodes.size(); apart > 0)
        meaning += fmt::format("; {} apart from all others {} not drawn", formatCount(apart, "instance"),
                               apart == 1 ? "is" : "are");
    picture::writeGraphPicture(path, nodes, edges,
                               {.title = result.title,
                                .footer = result.groups.footer({meaning, result.footer}),
                                .nodeKind = "instance",
                                .weightKind = "distance",
                                .areNearWide = true,
                                .key = result.groups.key()});
}

}  // namespace

void requireClusterFile(const fs::path& path) {
    const std::string ending = endingOf(path);
    if (ending != ".tsv" && ending != ".graphml" && !picture::isPictureFile(path))
        throw UsageError(
            fmt::format("{}: the ending stands for no file of clusters; known: .tsv, .graphml, "
                        ".png, .svg, .pdf",
                        path.string()));
}

void writeClusters(const fs::path& path, const ClusterResult& result) {
    if (endingOf(path) != ".tsv" && endingOf(path) != ".graphml") return draw(path, result);
    io::BufferedText file(path);
    if (endingOf(path) == ".graphml")
        writeGraph(file, result);
    else
        writeTable(file, result);
    file.commit();
}

}  // namespace glycine::pairs
