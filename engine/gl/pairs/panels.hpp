#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include "engine/core/tiling.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::pairs::gl {

/// How a variant lies in textures: its operands ("panels": some instances over some attributes) and its
/// target.
struct PanelLayout {
    std::size_t attributesPerUnit = 1;  ///< attributes that share texels
    std::size_t texelsPerUnit = 1;      ///< along x, for all instances of a texel row
    std::size_t instancesPerTexelRow = 1;
    std::size_t bytesPerTexel = 4;
    std::size_t mostAttributes = 0;   ///< of a panel; 0: any number
    std::size_t rowsPerTexel = 1;     ///< rows that a fragment computes: render targets
    std::size_t columnsPerTexel = 1;  ///< columns that a texel of a target holds
    std::size_t targets = 1;          ///< textures of the size of the result, RGBA of 4 bytes each
    std::size_t leastSide = 8;        ///< of pieces; a multiple of 8
    std::size_t leastAttributes = 0;  ///< of panels; 0: one unit

    std::size_t panelWidth(std::size_t attributes) const;  ///< texels
    std::size_t panelHeight(std::size_t instances) const;  ///< texels
    std::size_t panelBytes(std::size_t instances, std::size_t attributes) const;
    std::size_t targetBytes(std::size_t side) const;  ///< all of them
};

/// Bytes that the smallest pieces take: a panel of rows, one of columns, and the targets.
std::size_t bytesForSmallestPieces(const PanelLayout& layout);

/// Sizes of the pieces in which tiles are worked on.
struct PanelPlan {
    std::size_t side = 0;        ///< instances of a panel, a multiple of 8
    std::size_t attributes = 0;  ///< of a panel, a multiple of the layout's unit
};

/// The largest pieces, with sides of at most `wantedSide`, for which two panels and the targets fit into the
/// texture limits and into `freeBytes`. `instances` and `attributes` are those of the data; 0: unknown, and
/// taken as large. Nothing when not even the smallest piece fits.
std::optional<PanelPlan> planPanels(const PanelLayout& layout, const glycine::gl::GlLimits& limits,
                                    std::size_t freeBytes, std::size_t wantedSide, std::size_t instances,
                                    std::size_t attributes);

/// Panels that were used last and may be used again by the next tiles, as long as the device's memory lets
/// them stay.
class PanelCache {
  public:
    explicit PanelCache(glycine::gl::TexturePool& pool) : pool_(pool) {}

    /// The panel of these instances and attributes; where it is not there, `fill(texture)` fills a new one of
    /// this shape. The two panels asked for last are always there.
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
    std::list<Panel> panels_;  ///< the one used last comes first
};

}  // namespace glycine::pairs::gl
