#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/bounds/shared_smoothing.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/bounds/blocked_smoothing.hpp"
#include "engine/gl/bounds/gl_blocks.hpp"
#include "engine/gl/bounds/tetrangle_search.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/program.hpp"
#include "engine/layout/row1x4.hpp"

namespace glycine::bounds::gl {

namespace {

// ---- The variants of GPU Gems 2, 43.3, with one pass per k and matrix: `scalar`,
// `scalar-shadercoords`, `copy`, `triangle`, `triangle-single`, `triangle-packed`, `packed`, `packed-branch`.

/// Whether a variant keeps both bounds in one texture.
constexpr bool isTriangles(Variant variant) {
    return variant == Variant::Triangle || variant == Variant::TriangleSingle ||
           variant == Variant::TrianglePacked;
}

using glycine::gl::PassVertex;
using glycine::gl::PingPong;
using glycine::gl::Rectangle;
using Coordinates = std::array<glm::vec2, 4>;

/// Checks the canary after the last pass, outside the time of any stage.
void checkPasses(glycine::gl::GlBackend& backend, glycine::gl::StageClock& clock) {
    backend.canary().check("smoothing bounds");
    clock.restart();
}

/// The three regions of pass k above the diagonal (x = j > y = i), Figure 43-2b. Edges along the diagonal are
/// offset by half a pixel, so that every pixel centre lies clearly on one side. The coordinates are those of
/// the target pixel, of u_ik and of u_kj, at their positions above the diagonal.
std::vector<PassVertex> upperRegions(float k, float n) {
    const float c = k + 0.5F;
    std::vector<PassVertex> vertices;
    // k <= i < j
    glycine::gl::addTriangle(vertices, {k + 0.5F, k}, {n, k}, {n, n - 0.5F}, [&](glm::vec2 p) {
        return Coordinates{p, glm::vec2(p.y, c), glm::vec2(p.x, c)};
    });
    // i < k <= j
    if (k > 0) {
        glycine::gl::addRectangle(vertices, {k, 0}, {n, k}, [&](glm::vec2 p) {
            return Coordinates{p, glm::vec2(c, p.y), glm::vec2(p.x, c)};
        });
        // i < j < k
        glycine::gl::addTriangle(vertices, {0.5F, 0}, {k, 0}, {k, k - 0.5F}, [&](glm::vec2 p) {
            return Coordinates{p, glm::vec2(c, p.y), glm::vec2(c, p.x)};
        });
    }
    return vertices;
}

/// The same below the diagonal (x = i < y = j), for the lower bounds.
std::vector<PassVertex> lowerRegions(float k, float n) {
    const float c = k + 0.5F;
    std::vector<PassVertex> vertices;
    glycine::gl::addTriangle(vertices, {k, k + 0.5F}, {n - 0.5F, n}, {k, n}, [&](glm::vec2 p) {
        return Coordinates{p, glm::vec2(p.x, c), glm::vec2(p.y, c)};
    });
    if (k > 0) {
        glycine::gl::addRectangle(vertices, {0, k}, {k, n}, [&](glm::vec2 p) {
            return Coordinates{p, glm::vec2(c, p.x), glm::vec2(p.y, c)};
        });
        glycine::gl::addTriangle(vertices, {0, 0.5F}, {k - 0.5F, k}, {0, k}, [&](glm::vec2 p) {
            return Coordinates{p, glm::vec2(c, p.x), glm::vec2(c, p.y)};
        });
    }
    return vertices;
}

/// The single primitive of `triangle-single` and `triangle-packed`: covers all texels with elements on one
/// side of the diagonal, and no other pixel's centre. `columns`: elements per texel; `side`: of the matrix.
/// The scissor cuts off what lies beyond the target.
std::vector<PassVertex> wholeSide(bool isLower, float columns, float side) {
    const float shift = (columns / 2 - 1) * (isLower ? -1.0F : 1.0F);  // y = columns · x + shift
    const float width = side / columns;
    std::vector<PassVertex> vertices;
    const auto own = [](glm::vec2 p) { return Coordinates{p, p, p, p}; };
    if (isLower)
        glycine::gl::addTriangle(vertices, {0, shift}, {(side - shift) / columns, side}, {0, side}, own);
    else
        glycine::gl::addTriangle(vertices, {-shift / columns, 0}, {width, 0}, {width, side + shift}, own);
    return vertices;
}

/// `triangle` (GPU Gems 2, 43.3.3): upper bounds above the diagonal of one texture, lower bounds below it,
/// three primitives per pass. `triangle-single`: one primitive. `triangle-packed` (43.3.4): four bounds per
/// texel.
template <class T>
SmoothingOutcome smoothInTriangles(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                   Variant variant, Progress& progress) {
    SmoothingOutcome outcome;
    outcome.variant = variant;
    const std::size_t n = matrices.atoms();
    const bool isPacked = variant == Variant::TrianglePacked;
    // Transposed, the padding columns of the last texel are rows, so the matrix is square with its padding.
    const std::size_t side = isPacked ? 4 * layout::row1x4Width(n) : n;
    glycine::gl::ShaderDefines defines;
    if constexpr (std::is_same_v<T, std::int32_t>) defines.push_back({"FIXED_POINT", ""});
    const auto program = [&](bool isLower, std::size_t k) -> glycine::gl::Program& {
        const char* const vertex = "common/texture_coordinates.vert";
        if (variant == Variant::Triangle)
            return backend.programs().get(
                vertex, isLower ? "bounds/smooth_lower_triangle.frag" : "bounds/smooth_upper_scalar.frag",
                defines);
        glycine::gl::ShaderDefines own = defines;
        if (isLower) own.push_back({"LOWER", ""});
        if (isPacked) own.push_back({"COMPONENT", std::string(1, "xyzw"[k % 4])});
        return backend.programs().get(
            vertex, isPacked ? "bounds/smooth_triangle_packed.frag" : "bounds/smooth_triangle_single.frag",
            own);
    };
    for (std::size_t k = 0; k < 4; ++k)
        for (const bool isLower : {false, true}) program(isLower, k);

    glycine::gl::StageClock clock(backend);
    PingPong bounds(backend.textures(),
                    {isPacked ? glycine::gl::kPackedFormat<T> : glycine::gl::kScalarFormat<T>,
                     {isPacked ? side / 4 : side, side}});
    {
        Matrix<T> both(side, side, T(0));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < side; ++j)
                if (j > i)
                    both(i, j) = j < n ? matrices.upper(i, j) : kUnknownUpper<T>;
                else if (j < i && matrices.hasLower())
                    both(i, j) = matrices.lower(i, j);
        // Each pass draws one of the triangles, so both textures must hold the other one.
        for (int half = 0; half < 2; ++half) bounds[half].texture().upload(both.data());
    }
    clock.finishStage(outcome.times.upload);

    const auto sweep = [&](bool isLower) {
        progress.begin(isLower ? "lower bounds" : "upper bounds", static_cast<double>(n));
        backend.budget().restart(glycine::gl::nameOf(program(isLower, 0).name(), defines));
        const std::vector<PassVertex> whole = wholeSide(isLower, isPacked ? 4 : 1, static_cast<float>(side));
        for (std::size_t k = 0; k < n; ++k) {
            const bool hasRegions = variant == Variant::Triangle;
            glycine::gl::FragmentPass pass(backend.geometry(), program(isLower, k));
            pass.input(hasRegions && !isLower ? "upper" : "bounds", bounds.source().texture())
                .output(bounds.target().framebuffer());
            if (!hasRegions) pass.uniform("k", static_cast<float>(k) + (isPacked ? 0.0F : 0.5F));
            const std::vector<PassVertex> vertices =
                !hasRegions ? whole
                : isLower   ? lowerRegions(static_cast<float>(k), static_cast<float>(n))
                            : upperRegions(static_cast<float>(k), static_cast<float>(n));
            glycine::gl::drawInBands(backend.budget(), pass.extent(), pass.extent().size.x,
                                     [&](const Rectangle& band) { pass.draw(vertices, band); });
            bounds.swap();
            progress.advance(1);
        }
        // Only the source holds the finished triangle; copy it to the target, because the other sweep reads
        // it from both.
        if (!isLower && matrices.hasLower()) {
            bounds.target().texture().bind(0);
            bounds.source().framebuffer().bind();
            glCopyTexSubImage2D(bounds.target().texture().target(), 0, 0, 0, 0, 0,
                                static_cast<GLsizei>(isPacked ? side / 4 : side), static_cast<GLsizei>(side));
        }
    };
    sweep(false);
    clock.finishStage(outcome.times.upper);
    if (matrices.hasLower()) {
        sweep(true);
        clock.finishStage(outcome.times.lower);
    }
    checkPasses(backend, clock);

    glycine::gl::readInBands<T>(bounds.source(), 0, [&](int firstRow, int rows, const T* elements) {
        for (std::size_t i = static_cast<std::size_t>(firstRow),
                         last = std::min(n, i + static_cast<std::size_t>(rows));
             i < last; ++i, elements += side) {
            for (std::size_t j = i + 1; j < n; ++j) matrices.upper(i, j) = matrices.upper(j, i) = elements[j];
            for (std::size_t j = 0; j < i && matrices.hasLower(); ++j)
                matrices.lower(i, j) = matrices.lower(j, i) = elements[j];
        }
    });
    clock.finishStage(outcome.times.download);
    return outcome;
}

/// One matrix that n passes update.
template <class T>
class PerKPasses {
  public:
    PerKPasses(glycine::gl::GlBackend& backend, Variant variant, std::size_t atoms)
        : backend_(backend),
          variant_(variant),
          atoms_(static_cast<int>(atoms)),
          packed_(variant == Variant::Packed || variant == Variant::PackedBranch),
          shape_{packed_ ? glycine::gl::kPackedFormat<T> : glycine::gl::kScalarFormat<T>,
                 {packed_ ? layout::row1x4Width(atoms) : atoms, atoms}} {
        if constexpr (std::is_same_v<T, std::int32_t>) defines_.push_back({"FIXED_POINT", ""});
    }

    PingPong upload(MatrixView<const T> matrix, T padding) {
        PingPong textures(backend_.textures(), shape_);
        if (packed_) {
            const std::vector<T> texels = layout::packRow1x4(matrix, padding);
            textures.source().texture().upload(texels.data());
        } else {
            textures.source().texture().upload(matrix.data(), textures.source().texture().extent(),
                                               static_cast<int>(matrix.rowStride()));
        }
        return textures;
    }

    void download(PingPong& textures, MatrixView<T> matrix) {
        glycine::gl::readInBands<T>(textures.source(), 0, [&](int firstRow, int rows, const T* elements) {
            const auto band = matrix.block(static_cast<std::size_t>(firstRow), 0,
                                           static_cast<std::size_t>(rows), matrix.columns());
            if (packed_) {
                layout::unpackRow1x4(elements, band);
            } else {
                for (std::size_t i = 0; i < band.rows(); ++i)
                    std::copy_n(elements + i * band.columns(), band.columns(), band.row(i));
            }
        });
    }

    /// Draws pass k on `matrix`. `upper` is the same object for upper bounds, and the finished one for lower
    /// bounds.
    void run(int k, PingPong& matrix, PingPong& upper, bool isLower) {
        glycine::gl::FragmentPass pass(backend_.geometry(), program(k, isLower));
        if (isLower) pass.input("lower", matrix.source().texture());
        pass.input("upper", upper.source().texture()).output(matrix.target().framebuffer());
        if (variant_ == Variant::PackedBranch) pass.uniform("component", static_cast<float>(k % 4));
        const float centre = static_cast<float>(packed_ ? k / 4 : k) + 0.5F;
        const float rowCentre = static_cast<float>(k) + 0.5F;
        const Rectangle extent = pass.extent();
        if (variant_ == Variant::ScalarShaderCoords) {
            pass.uniform("k", centre);
            glycine::gl::drawInBands(backend_.budget(), extent, extent.size.x,
                                     [&](const Rectangle& band) { pass.draw(band); });
        } else {
            // Figure 43-2: each fragment (i, j) receives the coordinates of (i, j), (i, k) and (k, j).
            std::vector<PassVertex> vertices;
            glycine::gl::addRectangle(vertices, {0, 0}, glm::vec2(extent.size), [&](glm::vec2 p) {
                return std::array<glm::vec2, 4>{p, glm::vec2(centre, p.y), glm::vec2(p.x, rowCentre),
                                                glm::vec2(0)};
            });
            glycine::gl::drawInBands(backend_.budget(), extent, extent.size.x,
                                     [&](const Rectangle& band) { pass.draw(vertices, band); });
        }
        if (variant_ == Variant::Copy) {
            // 43.3.1: copy the result back into the texture that was read.
            matrix.source().texture().bind(0);
            matrix.target().framebuffer().bind();
            glCopyTexSubImage2D(matrix.source().texture().target(), 0, 0, 0, 0, 0, extent.size.x,
                                extent.size.y);
        } else {
            matrix.swap();
        }
    }

    /// Name of the work of all its passes.
    std::string workName(bool isLower) { return glycine::gl::nameOf(program(0, isLower).name(), defines_); }

  private:
    glycine::gl::Program& program(int k, bool isLower) {
        if (variant_ == Variant::ScalarShaderCoords)
            return backend_.programs().get("common/rectangle.vert",
                                           isLower ? "bounds/smooth_lower_scalar_shadercoords.frag"
                                                   : "bounds/smooth_upper_scalar_shadercoords.frag",
                                           defines_);
        if (!packed_)
            return backend_.programs().get(
                "common/texture_coordinates.vert",
                isLower ? "bounds/smooth_lower_scalar.frag" : "bounds/smooth_upper_scalar.frag", defines_);
        const std::size_t component = static_cast<std::size_t>(k % 4);
        if (packedPrograms_[isLower][component] == nullptr) {
            glycine::gl::ShaderDefines defines = defines_;
            if (variant_ == Variant::Packed)
                defines.push_back({"COMPONENT", std::string(1, "xyzw"[component])});
            packedPrograms_[isLower][component] = &backend_.programs().get(
                "common/texture_coordinates.vert",
                isLower ? "bounds/smooth_lower_packed.frag" : "bounds/smooth_upper_packed.frag", defines);
        }
        return *packedPrograms_[isLower][component];
    }

    glycine::gl::GlBackend& backend_;
    Variant variant_;
    int atoms_;
    bool packed_;
    glycine::gl::TextureShape shape_;
    glycine::gl::ShaderDefines defines_;
    glycine::gl::Program* packedPrograms_[2][4] = {};
};

template <class T>
SmoothingOutcome smoothSeparately(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                  Variant variant, Progress& progress) {
    SmoothingOutcome outcome;
    outcome.variant = variant;
    const int n = static_cast<int>(matrices.atoms());
    PerKPasses<T> passes(backend, variant, matrices.atoms());

    glycine::gl::StageClock clock(backend);
    PingPong upper = passes.upload(matrices.upper, kUnknownUpper<T>);
    std::optional<PingPong> lower;
    if (matrices.hasLower()) lower.emplace(passes.upload(matrices.lower, T(0)));
    clock.finishStage(outcome.times.upload);

    const auto sweep = [&](PingPong& matrix, bool isLower) {
        progress.begin(isLower ? "lower bounds" : "upper bounds", n);
        backend.budget().restart(passes.workName(isLower));
        for (int k = 0; k < n; ++k) {
            passes.run(k, matrix, upper, isLower);
            progress.advance(1);
        }
    };
    sweep(upper, false);
    clock.finishStage(outcome.times.upper);
    if (lower) {
        sweep(*lower, true);
        clock.finishStage(outcome.times.lower);
    }
    checkPasses(backend, clock);

    passes.download(upper, matrices.upper);
    if (lower) passes.download(*lower, matrices.lower);
    clock.finishStage(outcome.times.download);
    return outcome;
}

/// Smooths by 2n passes, upper bounds first. The whole matrix must fit into one texture.
template <class T>
SmoothingOutcome smoothByPassesPerK(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                    Variant variant, Progress& progress) {
    if (isTriangles(variant)) return smoothInTriangles(backend, matrices, variant, progress);
    return smoothSeparately(backend, matrices, variant, progress);
}

// ---- All variants

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
          true}},
        {Variant::Packed});
    return table;
}

class GlSmoothingEngine final : public SmoothingEngine {
  public:
    explicit GlSmoothingEngine(glycine::gl::GlBackend& backend) : backend_(backend) {}

    std::map<std::string, double> facts(Variant variant) const override {
        if (variant != Variant::Packed) return {};
        const auto fetchesOf = [](const char* shader) {
            const std::string_view source = glycine::gl::embeddedShaders().at(shader);
            double count = 0;
            for (std::size_t at = 0; (at = source.find("FETCH(", at)) != std::string_view::npos; ++at)
                ++count;
            return count;
        };
        return {{"side of the largest texture of gl", backend_.gl().limits.maxTextureSize},
                {"fetches of packed upper bounds", fetchesOf("bounds/smooth_upper_packed.frag")},
                {"fetches of packed lower bounds", fetchesOf("bounds/smooth_lower_packed.frag")}};
    }

    Support supports(const SmoothingRequest& request) const override {
        if (Support known = variants().supports(request.variant); !known) return known;
        const Variant variant = resolve(request.variant);
        const glycine::gl::GlCapabilities& gl = backend_.gl();
        const bool legacy = backend_.dialect() == Dialect::Gl21;
        if (request.format == NumberFormat::Float64)
            return Support::misuse(
                "fragment shaders compute in float32 and int32; float64 runs on cpu and cuda");
        // Differences of floats of at least this size are multiples of the smallest normal float.
        constexpr double kSmallest = 0x1p-103;
        if (request.format == NumberFormat::Float32 && request.smallest)
            if (const double smallest = request.smallest(); smallest > 0 && smallest < kSmallest)
                return Support::no(fmt::format(
                    "devices may take numbers below 1.2e-38 for 0, and so lose what a bound of {:g} Å "
                    "leaves; gl takes bounds from {:.2g} Å on, and 0",
                    smallest, kSmallest));
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
        const std::string_view instead =
            legacy ? "OpenGL 2.1 has no variant that works in tiles; gl33 and es300 have 'blocked'"
                   : "variant 'blocked' works in tiles";
        if (request.atoms > static_cast<std::size_t>(gl.limits.maxTextureSize))
            return Support::no(fmt::format("{} atoms exceed the texture limit of {}; {}", request.atoms,
                                           gl.limits.maxTextureSize, instead));
        // Source and target for both bounds; triangle variants keep both bounds in one pair.
        const std::size_t columns = isPacked ? layout::row1x4Width(request.atoms) * 4 : request.atoms;
        const std::size_t rows = variant == Variant::TrianglePacked ? columns : request.atoms;
        const std::size_t bytes = rows * columns * 4;
        const std::size_t textures = isTriangles(variant) ? 2 : 4;
        const std::size_t free = backend_.textures().bytesFree();
        if (bytes > gl.limits.maxTextureBytes)
            return Support::no(fmt::format("a texture for {} atoms takes {}, and one may have {}; {}",
                                           request.atoms, formatBytes(bytes),
                                           formatBytes(gl.limits.maxTextureBytes), instead));
        if (textures * bytes > free)
            return Support::no(
                fmt::format("{}; {}",
                            lackOfDeviceMemory(fmt::format("smoothing {} atoms", request.atoms),
                                               static_cast<double>(textures * bytes), free),
                            instead));
        return Support::yes();
    }

    SmoothingOutcome smooth(const AnyBoundMatrices& matrices, Variant variant, Progress& progress) override {
        const Variant chosen = resolve(variant);
        backend_.makeCurrent();
        if (const auto* floats = std::get_if<BoundMatrices<float>>(&matrices))
            return run(*floats, chosen, progress);
        if (const auto* fixed = std::get_if<BoundMatrices<std::int32_t>>(&matrices))
            return run(*fixed, chosen, progress);
        throw UnavailableError("gl does not compute in float64");
    }

    SmoothingOutcome beginShared(const AnyBoundMatrices& /*matrices*/, Variant variant,
                                 Progress& /*progress*/, SharedTask& task) override {
        SmoothingOutcome outcome;
        outcome.variant = resolve(variant);
        if (outcome.variant != Variant::Blocked)
            throw UnavailableError(fmt::format("variant '{}' is of one device; 'blocked' shares its blocks",
                                               toString(outcome.variant)));
        task.side = layout::kStripBlock;
        return outcome;
    }
    std::unique_ptr<BlockWorker> worker(const WorkerPart& part) override {
        return makeBlockWorker(part, backend_);
    }

    Support supportsTetrangles(std::size_t atoms) const override {
        return supportsTetrangleSearch(backend_, atoms);
    }
    TetrangleLimits tetrangleLimits(const AnyBoundMatrices& matrices, Progress& progress) override {
        return searchTetrangles(backend_, matrices, progress);
    }

  private:
    template <class T>
    SmoothingOutcome run(const BoundMatrices<T>& matrices, Variant variant, Progress& progress) {
        return variant == Variant::Blocked ? smoothBlocked(backend_, matrices, progress)
                                           : smoothByPassesPerK(backend_, matrices, variant, progress);
    }

    /// Blocked is fastest everywhere; packed is fastest in dialects without multiple render targets.
    Variant resolve(Variant variant) const {
        return variants().resolve(variant,
                                  [this](Variant) { return backend_.gl().features.multipleTargets; });
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<SmoothingEngine> smoothingEngine() {
    return implementWith<SmoothingEngine, GlSmoothingEngine, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::bounds::gl
