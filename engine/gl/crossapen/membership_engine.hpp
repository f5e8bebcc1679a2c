#pragma once

#include <cstddef>
#include <optional>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"

/// Sums of memberships in textures, and their layout.
namespace glycine::crossapen::gl {

/// Four templates per texel.
inline constexpr std::size_t kTemplatesPerTexel = 4;

/// Layout of templates and sums in textures, which shaders/crossapen/sum_memberships.frag follows. Templates:
/// one line per sample of the templates of a channel. Sums: one texel per four templates of a channel and
/// block of templates of a partner. A line is a block; the blocks of a partner are consecutive, as are the
/// partners of a channel.
struct MembershipPlan {
    std::size_t texels = 0;          ///< of the templates of a channel
    std::size_t texelsPerBlock = 0;  ///< of a partner
    std::size_t blocks = 0;          ///< of a partner
    std::size_t channels = 0;        ///< channels whose templates fit into a texture
    std::size_t rows = 0;            ///< channels whose sums fit into a texture
};

/// Bytes that planMemberships requires for `templates` of m + 1 samples of a channel and their sums, if
/// textures may be large enough.
std::size_t bytesForOneChannel(std::size_t templates, unsigned m);

/// Plans the largest useful textures for `templates` of m + 1 samples per channel that fit the limits and
/// `freeBytes`. Returns nothing if not even a single pair fits.
std::optional<MembershipPlan> planMemberships(std::size_t channels, std::size_t templates, unsigned m,
                                              const glycine::gl::GlLimits& limits,
                                              const glycine::gl::LoopLimit& loops, std::size_t freeBytes);

/// A distance with zero membership: twice the smallest such distance.
double distanceWithoutMembership(const FuzzyRule& rule);
/// The largest distance that float32 leaves room for.
inline constexpr double kLargestDistance = 1e30;

/// Sums memberships over all pairs of channels of some epochs.
class MembershipRun {
  public:
    MembershipRun(glycine::gl::GlBackend& backend, const FuzzyRule& rule, const MembershipPlan& plan,
                  std::size_t samples, Progress& progress);
    void sum(const Epoch<float>& epoch, MatrixView<MembershipSums> sums);
    const MatchTimes& times() const { return times_; }

  private:
    /// Channels whose templates are on the device.
    struct Group {
        glycine::gl::PooledTexture texture;
        Range channels;
    };

    Group upload(const Epoch<float>& epoch, const Range& channels);
    void sumRows(const Range& rows, const Group& rowGroup, const Group& partners,
                 MatrixView<MembershipSums> sums);
    void draw(std::size_t row, std::size_t firstLine, const Group& rowGroup, const Group& partners,
              const Range& partnerRange, bool isSelf);
    void read(const Range& rows, const Range& partners, MatrixView<MembershipSums> sums);

    glycine::gl::GlBackend& backend_;
    FuzzyRule rule_;
    MembershipPlan plan_;
    std::size_t samples_;
    std::size_t templates_;
    Progress& progress_;
    glycine::gl::RenderTexture target_;
    MatchTimes times_;
    glycine::gl::StageClock clock_;
};

}  // namespace glycine::crossapen::gl
