#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/crossapen/entropy_engine.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/table_texture.hpp"

namespace glycine::crossapen::gl {

/// One table of one channel in a texture.
struct TableShape {
    glycine::gl::TextureFormat format = glycine::gl::TextureFormat::RGBA32F;
    std::size_t texels = 0;
    std::size_t bytes() const { return texels * glycine::gl::info(format).bytesPerTexel; }
};

/// How a variant works: what one fragment does, and what lies in textures.
struct MatchLayout {
    std::size_t templatesPerFragment = 1;
    std::size_t sampleLead = 0;       ///< numbers in front of the first sample of a channel
    TableShape signal;                ///< samples of the templates
    std::vector<TableShape> partner;  ///< of a partner
    std::size_t loopRounds = 0;       ///< of all loops of a fragment together, at most (GlLimits)

    std::size_t partnerBytes() const;
    std::size_t fragments(std::size_t templates) const {
        return (templates + templatesPerFragment - 1) / templatesPerFragment;
    }
};
/// Consecutive templates that a fragment of `dominance` takes.
inline constexpr std::size_t kTemplatesPerSearch = 32;
/// Consecutive templates that a fragment of `bitset` takes. Rows are shared by neighbouring templates, so
/// more templates mean fewer lookups each; but 16 are slower than 8 on an NVIDIA H200 (m = 1, 2, 3: by 35, 45
/// and 57 %).
inline constexpr std::size_t kTemplatesPerSets = 8;

/// `variant`: not Default.
MatchLayout matchLayout(Variant variant, std::size_t samples, unsigned m);

/// Sizes of the pieces in which pairs are worked on.
struct MatchPlan {
    glycine::gl::TableWidth width;
    std::size_t partners = 0;   ///< channels whose tables are on the device at a time
    std::size_t templates = 0;  ///< channels whose samples are
    std::size_t rows = 0;       ///< pairs of a tile
    std::size_t columns = 0;    ///< fragments a pair of a tile
};

/// Bytes with which planMatching finds room for a pair, if textures may be as large as that takes.
std::size_t bytesForOnePair(const MatchLayout& layout, std::size_t samples, unsigned m,
                            const glycine::gl::GlLimits& limits);

/// The largest useful pieces whose textures, all together, fit into the limits and into `freeBytes`; nothing
/// when not even a single pair does.
std::optional<MatchPlan> planMatching(const MatchLayout& layout, std::size_t samples, unsigned m,
                                      const glycine::gl::GlLimits& limits, std::size_t freeBytes);

}  // namespace glycine::crossapen::gl
