#pragma once

#include <cstddef>
#include <optional>

#include "engine/crossapen/entropy_engine.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"

namespace glycine::crossapen::gl {

/// Four templates are a texel.
inline constexpr std::size_t kTemplatesPerTexel = 4;

/// How templates and sums lie in textures; shaders/crossapen/sum_memberships.frag draws by it. Templates: a
/// line a sample of a template of a channel. Sums: a texel for four templates of a channel and a block of
/// those of a partner; a line a block, the blocks of a partner one after the other, the partners of a channel
/// one after the other.
struct MembershipPlan {
    std::size_t texels = 0;          ///< of the templates of a channel
    std::size_t texelsPerBlock = 0;  ///< of a partner
    std::size_t blocks = 0;          ///< of a partner
    std::size_t channels = 0;        ///< whose templates are in a texture
    std::size_t rows = 0;            ///< channels whose sums are in a texture
};

/// Bytes with which planMemberships finds room for `templates` of m + 1 samples of a channel and their sums,
/// if textures may be as large as that takes.
std::size_t bytesForOneChannel(std::size_t templates, unsigned m);

/// The largest useful textures for `templates` of m + 1 samples of each channel that fit into the limits and
/// into `freeBytes`; nothing when not even a single pair does.
std::optional<MembershipPlan> planMemberships(std::size_t channels, std::size_t templates, unsigned m,
                                              const glycine::gl::GlLimits& limits,
                                              const glycine::gl::LoopLimit& loops, std::size_t freeBytes);

}  // namespace glycine::crossapen::gl
