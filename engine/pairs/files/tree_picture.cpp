#include "engine/pairs/files/tree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/picture/chart.hpp"
#include "engine/picture/scatter_plot.hpp"

namespace glycine::pairs {

namespace {

/// The colour of a group's text: black if its own colour is too light to read on white (luma of ITU-R
/// BT.601).
picture::Color textColor(picture::Color color) {
    constexpr double kLightest = 168;
    return 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue > kLightest ? picture::kInk : color;
}

/// Draws the name of an inner node above or below its branch or right of it, where it covers none of the
/// boxes that are `taken`; adds its own. Left out if there is no such place.
void drawInnerName(picture::Canvas& canvas, picture::Point node, const std::string& name,
                   std::vector<picture::Box>& taken) {
    constexpr picture::TextStyle kStyle{.size = 9};
    constexpr double kDistance = 2;
    const double width = picture::textLength(name, kStyle), height = kStyle.capitalHeight();
    const double left = node.x - kDistance - width;
    for (const picture::Point corner :
         {picture::Point{left, node.y - kDistance - height}, picture::Point{left, node.y + kDistance},
          picture::Point{node.x + kDistance, node.y - height / 2}}) {
        const bool isFree = std::ranges::none_of(taken, [&](const picture::Box& box) {
            return corner.x < box.x + box.width && corner.x + width > box.x &&
                   corner.y < box.y + box.height && corner.y + height > box.y;
        });
        if (!isFree) continue;
        canvas.text({corner.x, corner.y + height}, name, kStyle);
        taken.push_back({corner.x, corner.y, width, height});
        return;
    }
}

}  // namespace

void writeTreePicture(const std::filesystem::path& path, const trees::Tree& tree,
                      const std::vector<std::string>& names, const TreePicture& picture) {
    using namespace picture;
    constexpr double kWidth = 620, kMaxHeight = 9600, kLeastPitch = 8, kGap = 5, kScaleRoom = 48;
    const std::vector<std::size_t> order = trees::postorder(tree);
    std::vector<double> depth(tree.nodes.size(), 0), y(tree.nodes.size(), 0);
    for (auto node = order.rbegin(); node != order.rend(); ++node)
        if (const trees::TreeNode& at = tree.nodes[*node]; at.parent != trees::kNoNode)
            depth[*node] = depth[at.parent] + std::max(0.0, at.length);
    const double deepest = *std::ranges::max_element(depth);
    const auto leaves = static_cast<double>(tree.leaves);
    const double pitch = std::min(15.0, kMaxHeight / leaves);
    const bool isNamed = pitch >= kLeastPitch;
    TextStyle style = kLabelStyle;
    style.size = std::min(style.size, pitch - 0.5);
    double longest = 0;
    for (std::size_t leaf = 0; isNamed && leaf < tree.leaves; ++leaf)
        longest = std::max(longest, textLength(names[leaf], style));

    const std::vector<ColorKey> key = picture.groups.key();
    ChartPage page(picture.title, picture.groups.footer(picture.footer));
    const double left = ChartPage::kMargin, top = page.top();
    const double right = left + kWidth + kGap + longest + 2 * kGap;
    const double height =
        std::max(leaves * pitch + kScaleRoom, static_cast<double>(key.size()) * kColorKeyPitch);
    Canvas& canvas = page.open(path, right + keyWidth(key) + ChartPage::kMargin, top + height);
    const auto x = [&](std::size_t node) {
        return deepest > 0 ? left + depth[node] / deepest * kWidth : left;
    };
    std::vector<Box> taken;  // by branches and texts
    const auto line = [&](Point a, Point b, Color color) {
        const std::array<Point, 2> points{a, b};
        canvas.line(points, color, 1);
        constexpr double kClearance = 1;
        taken.push_back({std::min(a.x, b.x) - kClearance, std::min(a.y, b.y) - kClearance,
                         std::abs(a.x - b.x) + 2 * kClearance, std::abs(a.y - b.y) + 2 * kClearance});
    };
    double next = top + pitch / 2;
    for (const std::size_t node : order) {
        const std::vector<std::size_t>& children = tree.nodes[node].children;
        if (tree.isLeaf(node)) {
            y[node] = next;
            next += pitch;
        } else {
            y[node] = (y[children.front()] + y[children.back()]) / 2;
            line({x(node), y[children.front()]}, {x(node), y[children.back()]}, kInk);
        }
        for (const std::size_t child : children) {
            const bool isColored = tree.isLeaf(child) && !picture.groups.empty();
            line({x(node), y[child]}, {x(child), y[child]},
                 isColored ? picture.groups.signOf(child).color : kInk);
        }
        if (!tree.isLeaf(node)) continue;
        if (!picture.groups.empty()) {
            const GroupSign sign = picture.groups.signOf(node);
            canvas.marker(roundMarker(sign.round), {x(node), y[node]}, std::min(5.0, pitch), sign.color);
            style.color = textColor(sign.color);
        }
        if (!isNamed) continue;
        canvas.text({x(node) + kGap, y[node] + style.capitalHeight() / 2}, names[node], style);
        taken.push_back(
            {x(node), y[node] - style.size / 2, kGap + textLength(names[node], style), style.size});
    }
    for (const std::size_t node : order)
        if (isNamed && !tree.isLeaf(node) && node < names.size() && !names[node].empty())
            drawInnerName(canvas, {x(node), y[node]}, names[node], taken);
    const double base = top + leaves * pitch + 18;
    if (deepest > 0) {
        const double step = niceStep(deepest, 5);
        line({left, base}, {left + step / deepest * kWidth, base}, kInk);
        canvas.text({left, base + 16}, fmt::format("{:.4g} {}", step, picture.unit), kSmallStyle);
    } else {
        canvas.text({left, base + 16}, "all branches have length 0", kSmallStyle);
    }
    drawKey(canvas, {right, top}, key);
    page.save();
}

}  // namespace glycine::pairs
