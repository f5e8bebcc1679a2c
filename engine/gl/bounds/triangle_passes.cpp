#include "engine/gl/bounds/triangle_passes.hpp"

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::bounds::gl {

namespace {

using Coordinates = std::array<glm::vec2, 4>;

/// The three regions of pass k above the diagonal (x = j > y = i), Figure 43-2b. Edges along the diagonal run
/// half a pixel beside it, so that every pixel centre lies clearly on one side. Coordinates are those of the
/// target pixel, of u_ik and of u_kj, wherever above the diagonal these are stored.
std::vector<glycine::gl::PassVertex> upperRegions(float k, float n) {
    const float c = k + 0.5F;
    std::vector<glycine::gl::PassVertex> vertices;
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
std::vector<glycine::gl::PassVertex> lowerRegions(float k, float n) {
    const float c = k + 0.5F;
    std::vector<glycine::gl::PassVertex> vertices;
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

}  // namespace

template <class T>
SmootherOutcome smoothInTriangles(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                  Progress& progress) {
    SmootherOutcome outcome;
    outcome.variant = Variant::Triangle;
    const std::size_t n = matrices.atoms();
    glycine::gl::ShaderDefines defines;
    if constexpr (std::is_same_v<T, std::int32_t>) defines.push_back({"FIXED_POINT", ""});
    glycine::gl::Program& upperProgram =
        backend.programs().get("common/texture_coordinates.vert", "bounds/smooth_upper_scalar.frag", defines);
    glycine::gl::Program& lowerProgram = backend.programs().get("common/texture_coordinates.vert",
                                                                "bounds/smooth_lower_triangle.frag", defines);

    glycine::gl::StageClock clock(backend);
    glycine::gl::PingPong bounds(backend.textures(), {glycine::gl::kScalarFormat<T>, {n, n}});
    {
        Matrix<T> both(n, n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                both(i, j) = j > i                          ? matrices.upper(i, j)
                             : j < i && matrices.hasLower() ? matrices.lower(i, j)
                                                            : T(0);
        // Each pass draws one of the triangles: what it leaves alone must stand in both textures.
        for (int side = 0; side < 2; ++side) bounds[side].texture().upload(both.data());
    }
    clock.finishStage(outcome.times.upload);

    const auto sweep = [&](bool isLower) {
        progress.begin(isLower ? "lower bounds" : "upper bounds", static_cast<double>(n));
        backend.budget().restart();
        for (std::size_t k = 0; k < n; ++k) {
            glycine::gl::FragmentPass pass(backend.geometry(), isLower ? lowerProgram : upperProgram);
            pass.input(isLower ? "bounds" : "upper", bounds.source().texture())
                .output(bounds.target().framebuffer());
            const auto vertices = isLower ? lowerRegions(static_cast<float>(k), static_cast<float>(n))
                                          : upperRegions(static_cast<float>(k), static_cast<float>(n));
            glycine::gl::drawInBands(backend.budget(), pass.extent(), static_cast<double>(n),
                                     [&](const glycine::gl::Rectangle& band) { pass.draw(vertices, band); });
            bounds.swap();
            progress.advance(1);
        }
        // The finished triangle stands in the source only; the other sweep reads it from both.
        if (!isLower && matrices.hasLower()) {
            bounds.target().texture().bind(0);
            bounds.source().framebuffer().bind();
            glCopyTexSubImage2D(bounds.target().texture().target(), 0, 0, 0, 0, 0, static_cast<GLsizei>(n),
                                static_cast<GLsizei>(n));
        }
    };
    sweep(false);
    clock.finishStage(outcome.times.upper);
    if (matrices.hasLower()) {
        sweep(true);
        clock.finishStage(outcome.times.lower);
    }
    backend.canary().check("smoothing bounds");
    clock.restart();

    glycine::gl::readInBands<T>(bounds.source(), 0, [&](int firstRow, int rows, const T* elements) {
        for (std::size_t i = static_cast<std::size_t>(firstRow), last = i + static_cast<std::size_t>(rows);
             i < last; ++i, elements += n) {
            for (std::size_t j = i + 1; j < n; ++j) matrices.upper(i, j) = matrices.upper(j, i) = elements[j];
            for (std::size_t j = 0; j < i && matrices.hasLower(); ++j)
                matrices.lower(i, j) = matrices.lower(j, i) = elements[j];
        }
    });
    clock.finishStage(outcome.times.download);
    return outcome;
}

template SmootherOutcome smoothInTriangles<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                                  Progress&);
template SmootherOutcome smoothInTriangles<std::int32_t>(glycine::gl::GlBackend&,
                                                         const BoundMatrices<std::int32_t>&, Progress&);

}  // namespace glycine::bounds::gl
