#include "engine/gl/bounds/per_k_passes.hpp"

#include <optional>

#include "engine/gl/bounds/triangle_passes.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/layout/row1x4.hpp"

namespace glycine::bounds::gl {

namespace {

using glycine::gl::PassVertex;
using glycine::gl::PingPong;
using glycine::gl::Rectangle;

/// One matrix on its way through n passes.
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

    /// Pass k on `matrix`; `upper` is the same object for the upper bounds, the finished one for the lower.
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
            // 43.3.1: the result goes back into the texture that it was read from.
            matrix.source().texture().bind(0);
            matrix.target().framebuffer().bind();
            glCopyTexSubImage2D(matrix.source().texture().target(), 0, 0, 0, 0, 0, extent.size.x,
                                extent.size.y);
        } else {
            matrix.swap();
        }
    }

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
SmootherOutcome smoothSeparately(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                 Variant variant, Progress& progress) {
    SmootherOutcome outcome;
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
        backend.budget().restart();
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
    backend.canary().check("smoothing bounds");
    clock.restart();

    passes.download(upper, matrices.upper);
    if (lower) passes.download(*lower, matrices.lower);
    clock.finishStage(outcome.times.download);
    return outcome;
}

}  // namespace

template <class T>
SmootherOutcome smoothByPassesPerK(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                   Variant variant, Progress& progress) {
    if (variant == Variant::Triangle) return smoothInTriangles(backend, matrices, progress);
    return smoothSeparately(backend, matrices, variant, progress);
}

template SmootherOutcome smoothByPassesPerK<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                                   Variant, Progress&);
template SmootherOutcome smoothByPassesPerK<std::int32_t>(glycine::gl::GlBackend&,
                                                          const BoundMatrices<std::int32_t>&, Variant,
                                                          Progress&);

}  // namespace glycine::bounds::gl
