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

/// Names of inner nodes, each left of its node; one that would cover an earlier one is left out.
class InnerNames {
  public:
    void draw(picture::Canvas& canvas, picture::Point end, const std::string& name) {
        constexpr picture::TextStyle kStyle{.size = 9};
        if (name.empty()) return;
        const double begin = end.x - picture::textLength(name, kStyle);
        const bool isFree = std::ranges::none_of(drawn_, [&](const Place& other) {
            return begin < other.end.x && end.x > other.begin && std::abs(end.y - other.end.y) < kStyle.size;
        });
        if (!isFree) return;
        canvas.text(end, name, kStyle.anchored(picture::TextAnchor::End));
        drawn_.push_back({begin, end});
    }

  private:
    struct Place {
        double begin;  ///< left end
        picture::Point end;
    };
    std::vector<Place> drawn_;
};

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
    const auto line = [&](Point a, Point b, Color color) {
        const std::array<Point, 2> points{a, b};
        canvas.line(points, color, 1);
    };
    InnerNames innerNames;
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
        if (!tree.isLeaf(node)) {
            if (isNamed && node < names.size())
                innerNames.draw(canvas, {x(node) - 2, y[node] - 2}, names[node]);
            continue;
        }
        if (!picture.groups.empty()) {
            const GroupSign sign = picture.groups.signOf(node);
            canvas.marker(roundMarker(sign.round), {x(node), y[node]}, std::min(5.0, pitch), sign.color);
            style.color = textColor(sign.color);
        }
        if (!isNamed) continue;
        canvas.text({x(node) + kGap, y[node] + style.capitalHeight() / 2}, names[node], style);
    }
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
