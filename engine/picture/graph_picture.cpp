#include "engine/picture/graph_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/quantity.hpp"
#include "engine/picture/chart.hpp"
#include "engine/picture/scatter_plot.hpp"

namespace glycine::picture {

namespace {

constexpr Color kNode{86, 180, 233};  // from the palette of Okabe and Ito, as in seriesColor
constexpr Color kMarked{213, 94, 0};
constexpr Color kEdge{176, 176, 184};
constexpr TextStyle kNameStyle{.size = 10.5};

// Sizes in pixels.
constexpr double kLeastSign = 6;      ///< of a node without edges
constexpr double kSignOfOneEdge = 6;  ///< grows with the square root of the number of edges
constexpr double kNameHeight = 13;    ///< below the sign
constexpr double kNodeAir = 4;        ///< on both sides of a node
constexpr double kLongestName = 240;
constexpr double kLeastWidth = 0.7;  ///< of an edge
constexpr double kLargestWidth = 4.5;
constexpr double kHead = 7;  ///< length of an arrowhead
constexpr double kGraphLegend = 24;

double signSize(std::size_t degree) {
    return kLeastSign + kSignOfOneEdge * std::sqrt(static_cast<double>(degree));
}

/// Sizes and positions of the drawn nodes.
struct Layout {
    std::vector<std::string> names;  ///< shortened to kLongestName
    std::vector<double> signs;       ///< diameters of the signs
    std::vector<Point> centers;      ///< centres of the signs
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
        layout.names.push_back(shortenText(nodes[n].name, kLongestName, kNameStyle));
        sizes.push_back({std::max(layout.signs[n], textLength(layout.names[n], kNameStyle)) + 2 * kNodeAir,
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

/// Draws two strokes at the border of the sign at `to`.
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
    const std::string edgeText = least == most
                                     ? fmt::format("{} {}", options.weightKind, formatNumber(most))
                                     : fmt::format("{} from {} to {}", options.weightKind,
                                                   formatNumber(options.areNearWide ? most : least),
                                                   formatNumber(options.areNearWide ? least : most));
    constexpr double kKey = 12;
    constexpr double kKeySpace = 22;
    const double nodeEnd = ChartPage::kMargin + kKey + 6 + textLength(nodeText, kSmallStyle) + kKeySpace;
    const double markedEnd =
        nodeEnd + (hasMarked ? kKey + 6 + textLength(options.markedKind, kSmallStyle) + kKeySpace : 0);
    page.makeRoom(markedEnd + 56, edgeText, kSmallStyle);

    const double top = page.top() + kGraphLegend;
    const double right = 2 * ChartPage::kMargin + layout.width;
    Canvas& canvas =
        page.open(path, right + keyWidth(options.key),
                  top + std::max(layout.height, static_cast<double>(options.key.size()) * kColorKeyPitch) +
                      ChartPage::kMargin / 2);
    drawKey(canvas, {right, top}, options.key);
    const double line = page.top() + 4;
    const double baseline = line + kSmallStyle.capitalHeight() / 2;
    // Where groups have colours, the signs themselves have none.
    const bool isGrouped = !options.key.empty();
    canvas.marker(Marker::Disc, {ChartPage::kMargin + kKey / 2, line}, kKey, isGrouped ? kFaintInk : kNode);
    canvas.text({ChartPage::kMargin + kKey + 6, baseline}, nodeText, kSmallStyle);
    if (hasMarked) {
        canvas.marker(Marker::Diamond, {nodeEnd + kKey / 2, line}, kKey, isGrouped ? kFaintInk : kMarked);
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
    // Names would be hard to read across lines. The background of a name stays within the room of its node.
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const double width = textLength(layout.names[n], kNameStyle) + 2;
        canvas.fill({std::round(center(n).x - width / 2), std::round(center(n).y + layout.signs[n] / 2 + 2),
                     std::ceil(width), kNameHeight - 2},
                    kBackground);
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const bool isMarked = nodes[n].isMarked;
        const GroupSign sign = nodes[n].sign.value_or(GroupSign{isMarked ? kMarked : kNode});
        canvas.marker(isMarked ? Marker::Diamond : roundMarker(sign.round), center(n),
                      layout.signs[n] * (isMarked ? 0.9 : 1), sign.color);
        canvas.text({center(n).x, center(n).y + layout.signs[n] / 2 + kNameHeight - 3}, layout.names[n],
                    kNameStyle.anchored(TextAnchor::Middle));
    }
    page.save();
}

}  // namespace glycine::picture
