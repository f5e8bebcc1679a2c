#include "engine/gl/crossapen/membership_plan.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen::gl {

namespace {

/// Templates of a partner that one fragment goes through, in texels: enough to hide what it takes to start
/// and to write, and few enough for pairs of short channels to keep a GPU busy.
constexpr std::size_t kTexelsPerBlock = 256;
constexpr std::size_t kBytesPerTexel = 16;
/// A texture of sums beyond which nothing is gained.
constexpr std::size_t kMostSumBytes = std::size_t{64} << 20;
/// Two of templates, and one of sums: each has its share of the memory.
constexpr std::size_t kTextures = 3;

}  // namespace

std::size_t bytesForOneChannel(std::size_t templates, unsigned m) {
    const std::size_t texels = roundUp(templates, kTemplatesPerTexel) / kTemplatesPerTexel;
    const std::size_t blocks = (texels + kTexelsPerBlock - 1) / kTexelsPerBlock;
    return kTextures * texels * kBytesPerTexel * std::max<std::size_t>(std::size_t{m} + 1, blocks);
}

std::optional<MembershipPlan> planMemberships(std::size_t channels, std::size_t templates, unsigned m,
                                              const glycine::gl::GlLimits& limits,
                                              const glycine::gl::LoopLimit& loops, std::size_t freeBytes) {
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    MembershipPlan plan;
    plan.texels = roundUp(templates, kTemplatesPerTexel) / kTemplatesPerTexel;
    if (plan.texels > side) return {};
    plan.texelsPerBlock = std::min(plan.texels, kTexelsPerBlock);
    // A round for each texel, one for each of its samples, and those of the groups.
    const std::size_t rounds = std::size_t{m} + 2;
    while (plan.texelsPerBlock > 0 && !loops.allows(plan.texelsPerBlock * rounds)) --plan.texelsPerBlock;
    if (plan.texelsPerBlock == 0) return {};
    plan.blocks = roundUp(plan.texels, plan.texelsPerBlock) / plan.texelsPerBlock;

    const std::size_t most = std::min(freeBytes / kTextures, limits.maxTextureBytes);
    const std::size_t lineBytes = plan.texels * kBytesPerTexel;
    const std::size_t templateLines = std::min(side, most / lineBytes);
    const std::size_t sumLines = std::min(side, std::min(most, kMostSumBytes) / lineBytes);
    plan.channels = std::min(
        {channels, templateLines / (std::size_t{m} + 1), std::min(side, most / lineBytes) / plan.blocks});
    if (plan.channels == 0) return {};
    plan.rows = std::clamp<std::size_t>(sumLines / (plan.channels * plan.blocks), 1, plan.channels);
    return plan;
}

}  // namespace glycine::crossapen::gl
