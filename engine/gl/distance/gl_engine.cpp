#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/distance/bit_counting.hpp"
#include "engine/gl/distance/float_runs.hpp"

namespace glycine::distance::gl {

namespace {

/// Side of tiles beyond which nothing is gained.
constexpr std::size_t kLargestSide = 4096;
/// The same for counts in float textures, which take 32 bytes per pair.
constexpr std::size_t kLargestSideOfFloatCounts = 2048;

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "gl", {"counts", "float32"},
        {{Variant::Scalar, "one attribute a texel, a block of attributes a pass, sums by ping-pong", "",
          allDialects()},
         {Variant::Packed, "four attributes a texel; the default for coordinates", "", allDialects()},
         {Variant::Bits,
          "bit planes, 128 attributes a texel; 8 rows by 8 columns a fragment through multiple "
          "render targets",
          "",
          {Dialect::Gl33, Dialect::Es300},
          true,
          {"counts"}}},
        {Variant::Packed});
    return table;
}

class GlDistanceEngine final : public DistanceEngine {
  public:
    explicit GlDistanceEngine(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PairRequest& request) const override {
        const Variant variant = resolve(request.variant, request.isCoordinates);
        if (request.isCoordinates && request.precision == Precision::Float64)
            return Support::misuse(
                "the backend 'gl' sums in float32: textures hold no float64; reference, cpu and cuda do");
        if (Support counts = supportsCounts(request); !counts) return counts;
        if (Support features = supportsFeatures(variant, request.isCoordinates); !features) return features;
        if (plan(request)) return Support::yes();
        const std::size_t needed = pairs::gl::bytesForSmallestPieces(panelLayout(variant, request));
        if (const std::size_t free = backend_.textures().bytesFree(); needed > free)
            return Support::no(
                lackOfDeviceMemory("8 instances at a time", static_cast<double>(needed), free));
        return Support::no(fmt::format("not even 8 instances at a time fit into textures of {0} x {0} texels",
                                       backend_.gl().limits.maxTextureSize));
    }

    std::size_t preferredTile(const PairRequest& request) const override {
        const std::optional<pairs::gl::PanelPlan> planned = plan(request);
        return planned ? planned->side : kLargestSideOfFloatCounts;
    }

    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant variant) override {
        backend_.makeCurrent();
        const PairRequest request = requestFor({&source}, needs, resolve(variant, false));
        const pairs::gl::PanelPlan planned = planOrThrow(request);
        if (request.variant == Variant::Bits)
            return std::make_unique<BitCounting>(backend_, source, needs, planned,
                                                 BitCounting::bestStyle(backend_.gl()));
        return std::make_unique<SymbolCounting>(backend_, source, needs, planned, request.variant);
    }

    std::unique_ptr<SummingRun> startSumming(CoordinateView all, SumTerm term, Variant variant) override {
        backend_.makeCurrent();
        const auto coordinates = all.as<float>();
        const PairRequest request = requestFor({nullptr, coordinates}, {}, resolve(variant, true));
        return std::make_unique<CoordinateSumming>(backend_, coordinates, term, planOrThrow(request),
                                                   CoordinateSumming::layout(backend_.gl(), request.variant));
    }

  private:
    /// The default variant counts. Packed is the fastest for coordinates, and if the default cannot run.
    Variant resolve(Variant variant, bool isCoordinates) const {
        return variants().resolve(variant,
                                  [&](Variant one) { return bool(supportsFeatures(one, isCoordinates)); });
    }

    Support supportsFeatures(Variant variant, bool isCoordinates) const {
        const glycine::gl::GlFeatures& features = backend_.gl().features;
        const bool isLegacy = backend_.dialect() == Dialect::Gl21;
        switch (variant) {
            case Variant::Packed:
                return Support::yes();
            case Variant::Scalar:
                if (!features.redTargets)
                    return Support::no("one-channel float textures (GL_ARB_texture_rg) are missing");
                return Support::yes();
            case Variant::Bits:
                if (isCoordinates)
                    return Support::misuse("bits counts symbols; coordinates run as 'packed' or 'scalar'");
                if (isLegacy) return Support::no("bits needs integer textures, which OpenGL 2.1 lacks");
                if (!features.unsignedTargets)
                    return Support::no("bits needs RGBA32UI render targets, which this driver lacks");
                if (!features.multipleTargets) return Support::no("bits needs four render targets at once");
                return Support::yes();
            default:
                return variants().supports(variant);
        }
    }

    pairs::gl::PanelLayout panelLayout(Variant variant, const PairRequest& request) const {
        if (variant == Variant::Bits)
            return BitCounting::layout(BitCounting::bestStyle(backend_.gl()), request.shape);
        return request.isCoordinates ? CoordinateSumming::layout(backend_.gl(), variant).panels()
                                     : SymbolCounting::layout(variant).panels();
    }

    std::optional<pairs::gl::PanelPlan> plan(const PairRequest& request) const {
        const Variant variant = resolve(request.variant, request.isCoordinates);
        const bool isFloatCount = variant != Variant::Bits && !request.isCoordinates;
        return pairs::gl::planPanels(panelLayout(variant, request), backend_.gl().limits,
                                     backend_.textures().bytesFree(),
                                     isFloatCount ? kLargestSideOfFloatCounts : kLargestSide,
                                     request.shape.instances, request.shape.attributes);
    }
    pairs::gl::PanelPlan planOrThrow(const PairRequest& request) const {
        if (const std::optional<pairs::gl::PanelPlan> planned = plan(request)) return *planned;
        throw UnavailableError(supports(request).reason());
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<DistanceEngine> engine() {
    return implementWith<DistanceEngine, GlDistanceEngine, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::distance::gl
