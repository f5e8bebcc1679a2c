#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/crossapen/membership_run.hpp"

namespace glycine::crossapen::gl {

namespace {

class GlMemberships final : public MembershipSummer {
  public:
    explicit GlMemberships(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const MembershipRequest& request) const override {
        if (Support any = supportsMemberships(request); !any) return any;
        if (request.format != NumberFormat::Float32)
            return Support::misuse("the backend 'gl' sums memberships in float32: textures hold no float64");
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no("memberships take loops and integers that OpenGL 2.1 lacks");
        if (!(distanceWithoutMembership(request.rule) <= kLargestDistance))
            return Support::no(fmt::format(
                "memberships with n = {} and r = {} reach beyond float32; the backend 'cpu' takes them",
                request.rule.power, request.rule.tolerance));
        if (plan(request)) return Support::yes();
        const std::string templates = fmt::format("memberships of a channel of {} samples with m = {}",
                                                  samplesOf(request), request.rule.m);
        constexpr std::size_t kAnyMemory = std::numeric_limits<std::size_t>::max();
        const unsigned m = request.rule.m;
        if (planMemberships(1, templatesOf(request), m, backend_.gl().limits, backend_.loopLimit(),
                            kAnyMemory))
            return Support::no(lackOfDeviceMemory(
                templates, static_cast<double>(bytesForOneChannel(templatesOf(request), m)),
                backend_.textures().bytesFree()));
        return Support::no(fmt::format("{0} do not fit into textures of {1} x {1} texels", templates,
                                       backend_.gl().limits.maxTextureSize));
    }

    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        MatchOutcome outcome;
        outcome.variant = Variant::Membership;
        if (epochs.empty()) return outcome;
        const auto& first = std::get<Epoch<float>>(epochs.front());
        if (first.channels() == 0) return outcome;
        MembershipRequest request;
        request.rule = rule;
        request.channels = first.channels();
        request.samples = first.samples();
        backend_.makeCurrent();
        const std::optional<MembershipPlan> planned = plan(request);
        if (!planned) throw UnavailableError(supports(request).reason());
        MembershipRun run(backend_, rule, *planned, first.samples(), progress);
        for (std::size_t e = 0; e < epochs.size(); ++e) run.sum(std::get<Epoch<float>>(epochs[e]), sums[e]);
        outcome.times = run.times();
        return outcome;
    }

  private:
    /// Any length is the shortest one.
    static std::size_t samplesOf(const MembershipRequest& request) {
        return request.samples != 0 ? request.samples : minimumSamples(request.rule.m, request.rule.delay);
    }
    static std::size_t templatesOf(const MembershipRequest& request) {
        return longTemplates(samplesOf(request), request.rule.m, request.rule.delay);
    }
    std::optional<MembershipPlan> plan(const MembershipRequest& request) const {
        return planMemberships(std::max<std::size_t>(request.channels, 1), templatesOf(request),
                               request.rule.m, backend_.gl().limits, backend_.loopLimit(),
                               backend_.textures().bytesFree());
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

MembershipEntry membershipSummer() {
    static const VariantTable<Variant> variants(
        "gl", {"float32"},
        {{Variant::Membership,
          "four templates by four a step, sums in groups; each pair of channels once",
          "Chen et al. 2007; Xie et al. 2010",
          {Dialect::Gl33, Dialect::Es300}}});
    return implementWith<MembershipSummer, GlMemberships, glycine::gl::GlBackend>(variants);
}

}  // namespace glycine::crossapen::gl
