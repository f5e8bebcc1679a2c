#include "engine/picture/cairo/graph_layout.hpp"

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include "engine/core/error.hpp"

namespace glycine::picture::cairo {

namespace {

constexpr double kPixelsAnInch = 72;  ///< Graphviz measures in points
constexpr double kLinkLength = 42;    ///< pixels between linked nodes
constexpr const char* kEngine = "neato";

/// Graphviz's messages, instead of standard error. It has one message function for all graphs.
std::mutex useOfGraphviz;
std::string words;
int rememberWords(char* text) {
    words += text;
    return 0;
}

/// Kept until the program ends: gvFreeContext() would leak, each time, the plug-in list that gvContext()
/// reads.
GVC_t* contextOfGraphviz() {
    static GVC_t* const context = gvContext();
    return context;
}

struct Close {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};

/// The library declares input texts as char*, although it does not write to them.
void setAttribute(void* part, std::string name, std::string value) {
    std::string none;
    agsafeset(part, name.data(), value.data(), none.data());
}

std::string inches(double pixels) {
    return fmt::format("{:.4f}", pixels / kPixelsAnInch);
}

}  // namespace

std::vector<Point> layOutGraph(std::span<const NodeSize> nodes, std::span<const NodeLink> links) {
    std::vector<Point> places;
    if (nodes.empty()) return places;
    const std::lock_guard lock(useOfGraphviz);
    words.clear();
    agseterrf(rememberWords);
    GVC_t* const context = contextOfGraphviz();
    std::string name = "graph";
    const std::unique_ptr<Agraph_t, Close> graph(agopen(name.data(), Agundirected, nullptr));
    if (context == nullptr || !graph) throw Error("Graphviz cannot be started");
    setAttribute(graph.get(), "overlap", "prism");
    setAttribute(graph.get(), "sep", "+6");
    setAttribute(graph.get(), "pack", "14");
    setAttribute(graph.get(), "splines", "false");
    setAttribute(graph.get(), "start", "1");
    std::vector<Agnode_t*> made;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        made.push_back(agnode(graph.get(), fmt::format("n{}", n).data(), 1));
        // Omit the label: Graphviz would measure it with its own fonts.
        setAttribute(made.back(), "label", "");
        setAttribute(made.back(), "shape", "box");
        setAttribute(made.back(), "fixedsize", "true");
        setAttribute(made.back(), "width", inches(nodes[n].width));
        setAttribute(made.back(), "height", inches(nodes[n].height));
    }
    for (const NodeLink& link : links) {
        Agedge_t* const edge = agedge(graph.get(), made.at(link.from), made.at(link.to), nullptr, 1);
        const auto half = [&](std::size_t node) {
            return std::min(nodes[node].width, nodes[node].height) / 2;
        };
        setAttribute(edge, "len", inches(kLinkLength + half(link.from) + half(link.to)));
    }
    if (gvLayout(context, graph.get(), kEngine) != 0)
        throw Error(fmt::format("Graphviz cannot lay out {} nodes by '{}': {}", nodes.size(), kEngine,
                                words.empty() ? "it does not say why" : words));
    for (Agnode_t* const node : made) places.push_back({ND_coord(node).x, -ND_coord(node).y});
    gvFreeLayout(context, graph.get());
    return places;
}

}  // namespace glycine::picture::cairo
