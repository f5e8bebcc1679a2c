#include "engine/gl/pairs/panels.hpp"

#include <algorithm>
#include <limits>

#include "engine/core/tiling.hpp"

namespace glycine::pairs::gl {

namespace {
/// Sides are multiples of this: no variant computes more rows or columns per fragment.
constexpr std::size_t kSmallestSide = 8;

/// Size of the pieces when `total` is cut into about equal pieces, each a multiple of `unit` and at most
/// `largest`. No piece is then mostly padding, and software renderers, which compile per kind of size, make
/// fewer programs.
std::size_t equalPieces(std::size_t total, std::size_t largest, std::size_t unit) {
    const std::size_t pieces = (total + largest - 1) / largest;
    return roundUp((total + pieces - 1) / pieces, unit);
}
}  // namespace

std::size_t PanelLayout::panelWidth(std::size_t attributes) const {
    return roundUp(attributes, attributesPerUnit) / attributesPerUnit * texelsPerUnit;
}
std::size_t PanelLayout::panelHeight(std::size_t instances) const {
    return roundUp(instances, kSmallestSide) / instancesPerTexelRow;
}
std::size_t PanelLayout::panelBytes(std::size_t instances, std::size_t attributes) const {
    return panelWidth(attributes) * panelHeight(instances) * bytesPerTexel;
}
std::size_t PanelLayout::targetBytes(std::size_t side) const {
    constexpr std::size_t kBytesPerTargetTexel = 16;
    return targets * kBytesPerTargetTexel * side * (side / columnsPerTexel);
}

std::size_t bytesForSmallestPieces(const PanelLayout& layout) {
    // At least one byte must remain besides the targets.
    const std::size_t attributes = std::max(layout.attributesPerUnit, layout.leastAttributes);
    return layout.targetBytes(layout.leastSide) +
           std::max<std::size_t>(2 * layout.panelBytes(layout.leastSide, attributes), 1);
}

std::optional<PanelPlan> planPanels(const PanelLayout& layout, const glycine::gl::GlLimits& limits,
                                    std::size_t freeBytes, std::size_t wantedSide, std::size_t instances,
                                    std::size_t attributes) {
    constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max() / 2;
    const auto texels = static_cast<std::size_t>(limits.maxTextureSize);
    const std::size_t byWidth = texels / layout.texelsPerUnit * layout.attributesPerUnit;
    const std::size_t most =
        std::min({byWidth, layout.mostAttributes > 0 ? layout.mostAttributes : kUnlimited,
                  roundUp(attributes > 0 ? attributes : kUnlimited, layout.attributesPerUnit)});
    const std::size_t fewest = std::max(layout.attributesPerUnit, layout.leastAttributes);
    if (most < fewest) return std::nullopt;

    std::size_t side = std::min({wantedSide, texels * layout.instancesPerTexelRow,
                                 texels * layout.rowsPerTexel, texels * layout.columnsPerTexel});
    if (instances > 0) side = std::min(side, roundUp(instances, kSmallestSide));
    side = side / kSmallestSide * kSmallestSide;
    const auto half = [&](std::size_t whole) {
        const std::size_t less = whole / 2 / kSmallestSide * kSmallestSide;
        return whole > layout.leastSide ? std::max(less, layout.leastSide) : 0;
    };
    for (; side >= layout.leastSide; side = half(side)) {
        const std::size_t targetBytes = layout.targetBytes(side);
        // A panel with fewer attributes than rows takes longer to read than to use.
        const std::size_t enough = std::min(most, roundUp(side, layout.attributesPerUnit));
        const std::size_t wanted = half(side) == 0 ? fewest : std::max(fewest, enough);
        if (targetBytes / layout.targets > limits.maxTextureBytes || targetBytes >= freeBytes) continue;
        const std::size_t panelBytes = std::min(limits.maxTextureBytes, (freeBytes - targetBytes) / 2);
        const std::size_t unitBytes = layout.panelBytes(side, layout.attributesPerUnit);
        const std::size_t byMemory = panelBytes / unitBytes * layout.attributesPerUnit;
        if (byMemory >= wanted) {
            const std::size_t largest = std::min(most, byMemory);
            return PanelPlan{
                instances == 0 ? side : equalPieces(instances, side, kSmallestSide),
                attributes == 0 ? largest : equalPieces(attributes, largest, layout.attributesPerUnit)};
        }
    }
    return std::nullopt;
}

}  // namespace glycine::pairs::gl
