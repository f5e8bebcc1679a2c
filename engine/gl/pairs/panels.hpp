#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include "engine/core/tiling.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::pairs::gl {

/// Texture layout of a variant: its operands ("panels": some instances over some attributes) and its target.
struct PanelLayout {
    std::size_t attributesPerUnit = 1;  ///< attributes per group of texels
    std::size_t texelsPerUnit = 1;      ///< texels per such group, along x, for all instances of a texel row
    std::size_t instancesPerTexelRow = 1;
    std::size_t bytesPerTexel = 4;
    std::size_t mostAttributes = 0;   ///< per panel; 0: any number
    std::size_t rowsPerTexel = 1;     ///< rows that a fragment computes, one per render target
    std::size_t columnsPerTexel = 1;  ///< columns per texel of a target
    std::size_t targets = 1;          ///< textures of the result's size, RGBA of 4 bytes each
    std::size_t leastSide = 8;        ///< smallest side of pieces; a multiple of 8
    std::size_t leastAttributes = 0;  ///< smallest number per panel; 0: one unit

    std::size_t panelWidth(std::size_t attributes) const;  ///< texels
    std::size_t panelHeight(std::size_t instances) const;  ///< texels
    std::size_t panelBytes(std::size_t instances, std::size_t attributes) const;
    std::size_t targetBytes(std::size_t side) const;  ///< all targets together
};

/// Bytes of the smallest pieces: a panel of rows, one of columns, and the targets.
std::size_t bytesForSmallestPieces(const PanelLayout& layout);

/// Sizes of the pieces that tiles are cut into.
struct PanelPlan {
    std::size_t side = 0;        ///< instances per panel, a multiple of 8
    std::size_t attributes = 0;  ///< per panel, a multiple of the layout's unit
};

/// Plans the largest pieces, with sides of at most `wantedSide`, for which two panels and the targets fit the
/// texture limits and `freeBytes`. `instances` and `attributes` are those of the data; 0 means unknown and
/// counts as large. Returns nothing if not even the smallest piece fits.
std::optional<PanelPlan> planPanels(const PanelLayout& layout, const glycine::gl::GlLimits& limits,
                                    std::size_t freeBytes, std::size_t wantedSide, std::size_t instances,
                                    std::size_t attributes);

/// Keeps recently used panels for the next tiles, as long as they fit the device's memory.
class PanelCache {
  public:
    explicit PanelCache(glycine::gl::TexturePool& pool) : pool_(pool) {}

    /// Returns the panel of these instances and attributes. If it is missing, `fill(texture)` fills a new one
    /// of this shape. The two panels requested last are always kept.
    template <class Fill>
    const glycine::gl::Texture& get(const Range& instances, const Range& attributes,
                                    const glycine::gl::TextureShape& shape, Fill&& fill) {
        for (auto panel = panels_.begin(); panel != panels_.end(); ++panel) {
            if (panel->instances == instances && panel->attributes == attributes) {
                panels_.splice(panels_.begin(), panels_, panel);
                return *panel->texture;
            }
        }
        while (panels_.size() > 1 && pool_.bytesLent() + shape.bytes() > pool_.maxBytes()) panels_.pop_back();
        glycine::gl::PooledTexture texture(pool_, shape);
        fill(*texture);
        panels_.push_front({instances, attributes, std::move(texture)});
        return *panels_.front().texture;
    }

  private:
    struct Panel {
        Range instances;
        Range attributes;
        glycine::gl::PooledTexture texture;
    };
    glycine::gl::TexturePool& pool_;
    std::list<Panel> panels_;  ///< most recently used first
};

}  // namespace glycine::pairs::gl
