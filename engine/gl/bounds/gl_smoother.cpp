#include <fmt/format.h>

#include "engine/bounds/smoother.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/bounds/blocked_smoothing.hpp"
#include "engine/gl/bounds/per_k_passes.hpp"
#include "engine/layout/row1x4.hpp"

namespace glycine::bounds::gl {

namespace {

const VariantTable<Variant>& variants() {
    static const std::vector<Dialect> all = allDialects();
    static const std::vector<Dialect> modern{Dialect::Gl33, Dialect::Es300};
    static const VariantTable<Variant> table(
        "gl", {"float32", "fixed"},
        {{Variant::Scalar, "one bound a texel, coordinates from the rasterizer", "GPU Gems 2, 43.3.2", all},
         {Variant::ScalarShaderCoords, "one bound a texel, coordinates made in the shader",
          "GPU Gems 2, 43.3.2", all},
         {Variant::Copy, "copy to a texture after each pass instead of ping-pong", "GPU Gems 2, 43.3.1", all},
         {Variant::Triangle, "both bounds in one texture, three primitives a pass", "GPU Gems 2, 43.3.3",
          all},
         {Variant::TriangleSingle, "both bounds in one texture, one primitive whose shader finds the region",
          "GPU Gems 2, 43.3.3", all},
         {Variant::TrianglePacked, "both bounds in one texture, four bounds a texel", "GPU Gems 2, 43.3.4",
          all},
         {Variant::Packed, "four bounds a texel, four programs by k mod 4", "GPU Gems 2, 43.3.4", all},
         {Variant::PackedBranch, "four bounds a texel, one program that selects the component",
          "GPU Gems 2, 43.3.4", all},
         {Variant::Blocked, "64 k a pass, 8 rows a fragment through multiple render targets", "", modern,
          true}});
    return table;
}

class GlSmoother final : public Smoother {
  public:
    explicit GlSmoother(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const SmoothingRequest& request) const override {
        if (Support known = variants().supports(request.variant); !known) return known;
        const Variant variant = resolve(request.variant);
        const glycine::gl::GlCapabilities& gl = backend_.gl();
        const bool legacy = backend_.dialect() == Dialect::Gl21;
        if (request.format == NumberFormat::Float64)
            return Support::misuse(
                "fragment shaders compute in float32 and int32; float64 runs on cpu and cuda");
        // Differences of numbers from here on are multiples of the smallest number that is not denormal.
        constexpr double kSmallest = 0x1p-103;
        if (request.format == NumberFormat::Float32 && request.smallest > 0 && request.smallest < kSmallest)
            return Support::no(fmt::format(
                "devices may take numbers below 1.2e-38 for 0, and so lose what a bound of {:g} Å "
                "leaves; gl takes bounds from {:.2g} Å on, and 0",
                request.smallest, kSmallest));
        if (request.format == NumberFormat::Fixed && !gl.features.integerTargets)
            return Support::no(legacy
                                   ? "OpenGL 2.1 has no integer textures, which the fixed-point format needs"
                                   : "this driver cannot render to R32I and RGBA32I textures");
        if (request.rounding == Rounding::Outward && request.format == NumberFormat::Float32 &&
            !backend_.addsExactly())
            return Support::no("this device does not round sums correctly, which outward rounding needs");
        if (variant == Variant::Blocked) {
            if (!gl.features.multipleTargets)
                return Support::no(
                    legacy ? "blocked needs array textures and uniform blocks, which OpenGL 2.1 lacks"
                           : "blocked needs four render targets at once and uniform blocks");
            if (largestTile(backend_) > 0) return Support::yes();
            const std::size_t needed = bytesForSmallestTile();
            if (const std::size_t free = backend_.textures().bytesFree(); needed > free)
                return Support::no(
                    lackOfDeviceMemory("one block of 64 atoms", static_cast<double>(needed), free));
            return Support::no(
                fmt::format("the 64 atoms of one block do not fit into textures of {0} x {0} texels",
                            gl.limits.maxTextureSize));
        }
        const bool isPacked = variant == Variant::Packed || variant == Variant::PackedBranch ||
                              variant == Variant::TrianglePacked;
        if (!isPacked && !gl.features.redTargets && request.format == NumberFormat::Float32)
            return Support::no("one-channel float render targets (GL_ARB_texture_rg) are missing");
        if (request.atoms > static_cast<std::size_t>(gl.limits.maxTextureSize))
            return Support::no(
                fmt::format("{} atoms exceed the texture limit of {}; variant 'blocked' works in tiles",
                            request.atoms, gl.limits.maxTextureSize));
        // Source and target of both bounds; triangles keep both in one pair.
        const std::size_t columns = isPacked ? layout::row1x4Width(request.atoms) * 4 : request.atoms;
        const std::size_t rows = variant == Variant::TrianglePacked ? columns : request.atoms;
        const std::size_t bytes = rows * columns * 4;
        const std::size_t textures = isTriangles(variant) ? 2 : 4;
        const std::size_t free = backend_.textures().bytesFree();
        constexpr const char* kInstead = "variant 'blocked' works in tiles";
        if (bytes > gl.limits.maxTextureBytes)
            return Support::no(fmt::format("a texture for {} atoms takes {}, and one may have {}; {}",
                                           request.atoms, formatBytes(bytes),
                                           formatBytes(gl.limits.maxTextureBytes), kInstead));
        if (textures * bytes > free)
            return Support::no(
                fmt::format("{}; {}",
                            lackOfDeviceMemory(fmt::format("smoothing {} atoms", request.atoms),
                                               static_cast<double>(textures * bytes), free),
                            kInstead));
        return Support::yes();
    }

    SmootherOutcome smooth(const AnyBoundMatrices& matrices, Variant variant, Progress& progress) override {
        const Variant chosen = resolve(variant);
        backend_.makeCurrent();
        if (const auto* floats = std::get_if<BoundMatrices<float>>(&matrices))
            return run(*floats, chosen, progress);
        if (const auto* fixed = std::get_if<BoundMatrices<std::int32_t>>(&matrices))
            return run(*fixed, chosen, progress);
        throw UnavailableError("gl does not compute in float64");
    }

  private:
    template <class T>
    SmootherOutcome run(const BoundMatrices<T>& matrices, Variant variant, Progress& progress) {
        return variant == Variant::Blocked ? smoothBlocked(backend_, matrices, progress)
                                           : smoothByPassesPerK(backend_, matrices, variant, progress);
    }

    /// Blocked is the fastest everywhere; where the dialect has no multiple render targets, packed is.
    Variant resolve(Variant variant) const {
        const bool hasTargets = backend_.gl().features.multipleTargets;
        return variant == Variant::Default && !hasTargets ? Variant::Packed : variants().resolve(variant);
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

SmootherEntry smoother() {
    return implementWith<Smoother, GlSmoother, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::bounds::gl
