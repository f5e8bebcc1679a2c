#include "app/mutualinfo/network_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/core/build_info.hpp"
#include "engine/core/quantity.hpp"
#include "engine/picture/graph_picture.hpp"

namespace glycine::mutualinfo {

void drawNetwork(const std::filesystem::path& path, const NetworkTable& table, std::size_t most,
                 NetworkReport& report) {
    const bool hasRegulators = !table.regulators->flags.empty();
    std::vector<picture::GraphNode> nodes;
    std::vector<picture::GraphEdge> edges;
    std::map<std::size_t, std::size_t> numbers;  // of genes that are drawn
    const auto nodeOf = [&](std::size_t gene) {
        const auto [found, isNew] = numbers.try_emplace(gene, nodes.size());
        if (isNew) nodes.push_back({table.genes[gene], hasRegulators && table.regulators->includes(gene)});
        return found->second;
    };
    for (const Edge& edge : table.edges.first(std::min(most, table.edges.size()))) {
        const auto [regulator, target] = table.ends(edge);
        const std::size_t from = nodeOf(regulator);
        edges.push_back({from, nodeOf(target), edge.score});
    }
    report.picture = {edges.size(), nodes.size()};
    picture::writeGraphPicture(
        path, nodes, edges,
        {.title = report.input,
         .footer = {fmt::format("{} of {} between {}; {}", report.describePicture(),
                                formatCount(table.edges.size(), "edge"), formatCount(nodes.size(), "gene"),
                                table.method),
                    fmt::format("{} {} on {}, {}", describeBuild(), report.device.backend,
                                report.device.device, report.variant)},
         .nodeKind = "gene",
         .markedKind = "regulator",
         .weightKind = "score",
         .isDirected = hasRegulators});
}

}  // namespace glycine::mutualinfo
