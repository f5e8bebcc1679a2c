#include "engine/picture/graph_picture.hpp"

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace {

constexpr Color kNode{86, 180, 233};  // of the palette of Okabe and Ito, as seriesColor
constexpr Color kMarked{213, 94, 0};
constexpr Color kEdge{176, 176, 184};
constexpr TextStyle kNameStyle{.size = 10.5};

// Sizes in pixels.
constexpr double kLeastSign = 6;      ///< of a node without edges
constexpr double kSignOfOneEdge = 6;  ///< grows with the root of their number
constexpr double kNameHeight = 13;    ///< below the sign
constexpr double kNodeAir = 4;        ///< at both sides of a node
constexpr double kLeastWidth = 0.7;   ///< of an edge
constexpr double kLargestWidth = 4.5;
constexpr double kHead = 7;  ///< length of an arrow's head
constexpr double kGraphLegend = 24;

double signSize(std::size_t degree) {
    return kLeastSign + kSignOfOneEdge * std::sqrt(static_cast<double>(degree));
}

/// What is drawn of the nodes, and where.
struct Layout {
    std::vector<double> signs;   ///< diameters
    std::vector<Point> centers;  ///< of the signs
    double width = 0, height = 0;
};

Layout layOut(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges) {
    std::vector<std::size_t> degrees(nodes.size());
    std::vector<NodeLink> links;
    for (const GraphEdge& edge : edges) {
        ++degrees.at(edge.from);
        ++degrees.at(edge.to);
        links.push_back({edge.from, edge.to});
    }
    Layout layout;
    std::vector<NodeSize> sizes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        layout.signs.push_back(signSize(degrees[n]));
        sizes.push_back({std::max(layout.signs[n], textLength(nodes[n].name, kNameStyle)) + 2 * kNodeAir,
                         layout.signs[n] + kNameHeight});
    }
    const std::vector<Point> places = layOutGraph(sizes, links);
    Point least;
    Point most;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const Point corner{places[n].x - sizes[n].width / 2, places[n].y - sizes[n].height / 2};
        if (n == 0) least = most = corner;
        least = {std::min(least.x, corner.x), std::min(least.y, corner.y)};
        most = {std::max(most.x, corner.x + sizes[n].width), std::max(most.y, corner.y + sizes[n].height)};
    }
    for (std::size_t n = 0; n < nodes.size(); ++n)
        layout.centers.push_back(
            {std::round(places[n].x - least.x), std::round(places[n].y - least.y - kNameHeight / 2)});
    layout.width = std::ceil(most.x - least.x);
    layout.height = std::ceil(most.y - least.y);
    return layout;
}

/// Two strokes at the border of the sign at `to`.
void drawHead(Canvas& canvas, Point from, Point to, double sign, double width) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length <= sign / 2) return;
    const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const Point tip{to.x - along.x * (sign / 2 + 1), to.y - along.y * (sign / 2 + 1)};
    const double size = kHead + width;
    const auto end = [&](double side) {
        return Point{tip.x - size * (along.x + side * along.y * 0.45),
                     tip.y - size * (along.y - side * along.x * 0.45)};
    };
    const Point strokes[] = {end(1), tip, end(-1)};
    canvas.line(strokes, kEdge, std::max(width, 1.2));
}

constexpr double kPixelsAnInch = 72;  ///< Graphviz counts in points
constexpr double kLinkLength = 42;    ///< pixels between the nodes of a link
constexpr const char* kEngine = "neato";

/// What Graphviz said, in place of standard error; it keeps one such function for all graphs.
std::mutex useOfGraphviz;
std::string words;
int rememberWords(char* text) {
    words += text;
    return 0;
}

/// Kept as long as the program runs: what gvContext() reads of the list of plug-ins gvFreeContext() would
/// leave behind each time.
GVC_t* contextOfGraphviz() {
    static GVC_t* const context = gvContext();
    return context;
}

struct Close {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};

/// The library takes texts that it does not write to as char*.
void setAttribute(void* part, std::string name, std::string value) {
    std::string none;
    agsafeset(part, name.data(), value.data(), none.data());
}

std::string inches(double pixels) {
    return fmt::format("{:.4f}", pixels / kPixelsAnInch);
}

}  // namespace

void writeGraphPicture(const std::filesystem::path& path, const std::vector<GraphNode>& nodes,
                       const std::vector<GraphEdge>& edges, const GraphPictureOptions& options) {
    const Layout layout = layOut(nodes, edges);
    double least = edges.empty() ? 0 : edges.front().weight;
    double most = least;
    for (const GraphEdge& edge : edges) {
        least = std::min(least, edge.weight);
        most = std::max(most, edge.weight);
    }
    const auto widthOf = [&](double weight) {
        double share = most > least ? (weight - least) / (most - least) : 1;
        if (options.areNearWide && most > least) share = 1 - share;
        return kLeastWidth + share * (kLargestWidth - kLeastWidth);
    };
    const bool hasMarked =
        std::any_of(nodes.begin(), nodes.end(), [](const GraphNode& node) { return node.isMarked; });

    ChartPage page(options.title, options.footer);
    const std::string nodeText = options.nodeKind + (edges.empty() ? "" : " (area: its edges)");
    const std::string edgeText =
        fmt::format("{} from {} to {}", options.weightKind, formatNumber(options.areNearWide ? most : least),
                    formatNumber(options.areNearWide ? least : most));
    constexpr double kKey = 12;
    constexpr double kKeySpace = 22;
    const double nodeEnd = ChartPage::kMargin + kKey + 6 + textLength(nodeText, kSmallStyle) + kKeySpace;
    const double markedEnd =
        nodeEnd + (hasMarked ? kKey + 6 + textLength(options.markedKind, kSmallStyle) + kKeySpace : 0);
    page.makeRoom(markedEnd + 56, edgeText, kSmallStyle);

    const double top = page.top() + kGraphLegend;
    Canvas& canvas =
        page.open(path, 2 * ChartPage::kMargin + layout.width, top + layout.height + ChartPage::kMargin / 2);
    const double line = page.top() + 4;
    const double baseline = line + kSmallStyle.capitalHeight() / 2;
    canvas.marker(Marker::Disc, {ChartPage::kMargin + kKey / 2, line}, kKey, kNode);
    canvas.text({ChartPage::kMargin + kKey + 6, baseline}, nodeText, kSmallStyle);
    if (hasMarked) {
        canvas.marker(Marker::Diamond, {nodeEnd + kKey / 2, line}, kKey, kMarked);
        canvas.text({nodeEnd + kKey + 6, baseline}, options.markedKind, kSmallStyle);
    }
    if (!edges.empty()) {
        const Point thin[] = {{markedEnd, line}, {markedEnd + 25, line}};
        const Point thick[] = {{markedEnd + 25, line}, {markedEnd + 50, line}};
        canvas.line(thin, kEdge, kLeastWidth);
        canvas.line(thick, kEdge, kLargestWidth);
        canvas.text({markedEnd + 56, baseline}, edgeText, kSmallStyle);
    }

    const auto center = [&](std::size_t node) {
        return Point{ChartPage::kMargin + layout.centers[node].x, top + layout.centers[node].y};
    };
    for (const GraphEdge& edge : edges) {
        const Point ends[] = {center(edge.from), center(edge.to)};
        canvas.line(ends, kEdge, widthOf(edge.weight));
        if (options.isDirected)
            drawHead(canvas, ends[0], ends[1], layout.signs[edge.to], widthOf(edge.weight));
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const bool isMarked = nodes[n].isMarked;
        canvas.marker(isMarked ? Marker::Diamond : Marker::Disc, center(n),
                      layout.signs[n] * (isMarked ? 0.9 : 1), isMarked ? kMarked : kNode);
        canvas.text({center(n).x, center(n).y + layout.signs[n] / 2 + kNameHeight - 3}, nodes[n].name,
                    kNameStyle.anchored(TextAnchor::Middle));
    }
    page.save();
}

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
        // Without a label: Graphviz would measure it by fonts of its own.
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

}  // namespace glycine::picture
