#include "app/network_outline.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/text.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine {

namespace fs = std::filesystem;

namespace {

/// Calls `take` with each line, without its end.
void eachLine(const fs::path& path, const std::function<void(std::string_view)>& take) {
    const auto stream = io::openText(path);
    io::LineReader lines(*stream);
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
        take(line);
    }
}

std::vector<std::string> tabFields(std::string_view line) {
    std::vector<std::string> fields;
    for (std::size_t end = line.find('\t'); end != line.npos; end = line.find('\t')) {
        fields.emplace_back(line.substr(0, end));
        line.remove_prefix(end + 1);
    }
    fields.emplace_back(line);
    return fields;
}

/// Cytoscape's simple interactions: a node, a relation, and the nodes on the other side. A node alone has no
/// edge.
NetworkOutline simpleInteractions(const fs::path& path) {
    NetworkOutline outline{.format = "SIF"};
    std::set<std::string> nodes;
    eachLine(path, [&](std::string_view line) {
        const std::vector<std::string> fields = tabFields(line);
        if (fields[0].empty()) return;
        nodes.insert(fields[0]);
        for (std::size_t k = 2; k < fields.size(); ++k) {
            nodes.insert(fields[k]);
            ++outline.edges;
        }
    });
    outline.nodes = nodes.size();
    return outline;
}

/// ARACNE's adjacency: a gene, then each neighbour with its value. Edges may be in the lines of both genes.
NetworkOutline adjacency(const fs::path& path) {
    std::set<std::string> nodes;
    std::set<std::pair<std::string, std::string>> edges;
    eachLine(path, [&](std::string_view line) {
        if (line.empty() || line.front() == '>') return;
        const std::vector<std::string> fields = tabFields(line);
        nodes.insert(fields[0]);
        for (std::size_t k = 1; k + 1 < fields.size(); k += 2)
            edges.emplace(std::minmax(fields[0], fields[k]));
    });
    return {.format = "ARACNE adjacency", .nodes = nodes.size(), .edges = edges.size()};
}

/// GraphML: counts its elements, and reads nothing else.
NetworkOutline graph(const fs::path& path) {
    NetworkOutline outline{.format = "GraphML"};
    const auto count = [](std::string_view line, std::string_view element) {
        std::size_t found = 0;
        for (std::size_t at = line.find(element); at != line.npos; at = line.find(element, at + 1)) ++found;
        return found;
    };
    eachLine(path, [&](std::string_view line) {
        outline.nodes += count(line, "<node ");
        outline.edges += count(line, "<edge ");
    });
    return outline;
}

}  // namespace

NetworkOutline outlineOfNetwork(const fs::path& path) {
    const std::string whole = lowerCase(path.string());
    const std::string_view name = withoutPacking(whole);
    return name.ends_with(".sif")   ? simpleInteractions(path)
           : name.ends_with(".adj") ? adjacency(path)
                                    : graph(path);
}

}  // namespace glycine
