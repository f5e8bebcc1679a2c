#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/mutualinfo/blocked_run.hpp"
#include "engine/gl/mutualinfo/stacked_run.hpp"

namespace glycine::mutualinfo::gl {

namespace {

/// Side of tiles; pieces may be larger or smaller.
constexpr std::size_t kLargestTile = 1024;

const VariantTable<Variant>& variants() {
    static const std::vector<Dialect> modern{Dialect::Gl33, Dialect::Es300};
    static const VariantTable<Variant> table(
        "gl", {"float32"},
        {{Variant::Scalar,
          "one entry of a joint table a fragment, a block of samples a pass, sums by ping-pong", "",
          allDialects()},
         {Variant::Packed,
          "four bins by up to eight a fragment through multiple render targets; the default for orders above "
          "8",
          "", allDialects()},
         {Variant::Blocked,
          "tables of four pairs a fragment, samples of one gene grouped by bin; tables are never stored", "",
          modern, true}},
        {Variant::Packed});
    return table;
}

class GlEngine final : public InformationEngine {
  public:
    explicit GlEngine(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const InformationRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.precision == WeightPrecision::Float64)
            return Support::no(
                "the backend 'gl' computes in float32: textures hold no float64; reference, cpu and cuda do");
        if (request.precision != WeightPrecision::Float32)
            return Support::no(fmt::format("the backend 'gl' computes in float32; {} needs cuda",
                                           toString(request.precision)));
        const glycine::gl::GlFeatures& features = backend_.gl().features;
        if (!features.redTargets || (backend_.dialect() != Dialect::Gl21 && !features.integerTargets))
            return Support::no(
                "mutualinfo needs R32F and R32I (gl21: R32F) textures, which this driver lacks");
        return resolve(request) == Variant::Blocked ? supportsBlocked(request) : supportsStacked(request);
    }

    std::size_t preferredTile(const InformationRequest& request) const override {
        const Variant variant = resolve(request);
        if (variant == Variant::Blocked) return planBlocked(request)->side;
        const std::optional<pairs::gl::PanelPlan> planned = planStacked(request, variant);
        const std::size_t side = planned ? planned->side / request.splines.bins : kLargestTile;
        // Tiles consist of whole pieces.
        return side < kLargestTile ? kLargestTile / side * side : side;
    }

    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        backend_.makeCurrent();
        if (const Support support = supports(request); !support) throw UnavailableError(support.reason());
        const Variant variant = resolve(request);
        if (variant == Variant::Blocked)
            return std::make_unique<BlockedRun>(backend_, expression, request.splines, *planBlocked(request),
                                                style());
        return std::make_unique<StackedRun>(backend_, expression, request.splines,
                                            *planStacked(request, variant),
                                            StackedRun::layout(backend_.gl(), variant));
    }

  private:
    BlockedRun::Style style() const { return BlockedRun::bestStyle(backend_.gl()); }

    /// Without a requested variant, packed runs what the default, blocked, refuses.
    Variant resolve(const InformationRequest& request) const {
        return variants().resolve(request.variant, [&](Variant one) {
            return bool(one == Variant::Blocked ? supportsBlocked(request) : Support::yes());
        });
    }

    std::optional<pairs::gl::PanelPlan> planBlocked(const InformationRequest& request) const {
        return BlockedRun::plan(style(), backend_.gl().limits, backend_.textures().bytesFree(), request);
    }
    std::optional<pairs::gl::PanelPlan> planStacked(const InformationRequest& request,
                                                    Variant variant) const {
        return StackedRun::plan(StackedRun::layout(backend_.gl(), variant), backend_.gl().limits,
                                backend_.textures().bytesFree(), request);
    }

    Support supportsBlocked(const InformationRequest& request) const {
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no("blocked needs integer textures, which OpenGL 2.1 lacks; packed does not");
        const glycine::gl::GlLimits& limits = backend_.gl().limits;
        if (request.splines.order > BlockedRun::kLargestOrder)
            return Support::no(fmt::format("blocked takes splines of order 1 to {}, not {}; packed takes all",
                                           BlockedRun::kLargestOrder, request.splines.order));
        if (const std::size_t texels = BlockedRun::texelsOfGene(request);
            texels > static_cast<std::size_t>(limits.maxTextureSize))
            return Support::no(
                fmt::format("blocked keeps all samples of a gene in a row of {} texels, and textures "
                            "have up to {}; packed takes more",
                            texels, limits.maxTextureSize));
        if (!backend_.loopLimit().allows(BlockedRun::rounds(request)))
            return Support::no(
                fmt::format("blocked goes through {} samples in one loop, and this driver ends loops "
                            "after {} rounds; packed takes more",
                            request.samples, backend_.loopLimit().rounds));
        if (planBlocked(request)) return Support::yes();
        return lackOfRoom(BlockedRun::leastBytes(style(), request), "8 genes at a time");
    }

    Support supportsStacked(const InformationRequest& request) const {
        if (request.samples > StackedRun::kMostSamples)
            return Support::no(
                fmt::format("sums over {} samples may exceed 2^24, up to which float32 counts; "
                            "reference and cpu, and cuda in float64, take them",
                            formatCount(request.samples)));
        const Variant variant = resolve(request);
        if (planStacked(request, variant)) return Support::yes();
        return lackOfRoom(StackedRun::leastBytes(StackedRun::layout(backend_.gl(), variant), request.splines),
                          fmt::format("one gene of {} bins at a time", request.splines.bins));
    }

    Support lackOfRoom(std::size_t needed, const std::string& what) const {
        if (const std::size_t free = backend_.textures().bytesFree(); needed > free)
            return Support::no(lackOfDeviceMemory(what, static_cast<double>(needed), free));
        return Support::no(fmt::format("not even {0} fits into textures of {1} x {1} texels", what,
                                       backend_.gl().limits.maxTextureSize));
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<InformationEngine> engine() {
    return implementWith<InformationEngine, GlEngine, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::mutualinfo::gl
