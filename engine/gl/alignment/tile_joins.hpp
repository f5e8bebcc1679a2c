#pragma once

#include <memory>
#include <span>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::align::gl {

/// Joins of groups whose chains passes find (shaders/align/join_tiles.frag), several joins side by side.
/// Posteriors are added up on the host (JoinSums), as sums of float32 numbers that any device must choose
/// among alike; what a device would add up itself would depend on its rounding. Of a join's columns a few
/// gain something beside each other, so that tiles without gains, most of them, bring nothing to the device.
/// Joins that textures have no room for are done on the host, and sums within columns are. The backend,
/// posteriors and weights outlive it.
std::unique_ptr<GroupJoins> joinsByTiles(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors,
                                         std::span<const double> weights);

}  // namespace glycine::align::gl
