#pragma once

#include <span>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/gl/crossapen/membership_plan.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::crossapen::gl {

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
