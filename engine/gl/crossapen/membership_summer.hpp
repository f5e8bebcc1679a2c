#pragma once

#include <cstddef>
#include <optional>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"

/// Sums of memberships in textures, and how these are laid out.
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

/// A distance at which a membership is zero, twice as far as it needs to be.
double distanceWithoutMembership(const FuzzyRule& rule);
/// The largest for which there is room among float32's numbers.
inline constexpr double kLargestDistance = 1e30;

/// Sums of memberships of all pairs of channels of some epochs.
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
