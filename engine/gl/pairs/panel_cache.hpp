#pragma once

#include <list>

#include "engine/core/tiling.hpp"
#include "engine/gl/framework/texture_pool.hpp"

namespace glycine::pairs::gl {

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
