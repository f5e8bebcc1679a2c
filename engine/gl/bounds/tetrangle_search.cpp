#include "engine/gl/bounds/tetrangle_search.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/program.hpp"

namespace glycine::bounds::gl {

namespace {

using glycine::gl::GlBackend;
using glycine::gl::PingPong;
using glycine::gl::PooledTexture;
using glycine::gl::Rectangle;
using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

constexpr const char* kShader = "bounds/search_tetrangles.frag";
constexpr double kLargestBound = 1 << 20;  // Å: products of four bounds fit float32
constexpr float kNone = 1e30F;             // of limits
constexpr std::size_t kFourthAtoms = 128;  // of a pass
/// The triangle of pairs i < j is drawn as so many bands.
constexpr std::size_t kBands = 8;
constexpr std::size_t kLeastBand = 16;
/// Å; where a quadruple gives this much less than the device promised, rounding may have hidden another one.
constexpr double kLeastLoss = kLeastTetrangleGain / 4;

TextureShape shapeOf(std::size_t atoms) {
    return {TextureFormat::RGBA32F, {toInt(atoms), toInt(atoms)}};
}

double largestBound(const TetrangleBounds& bounds) {
    double square = 0;
    for (const std::vector<double>* kind : {&bounds.upper, &bounds.lower})
        for (const double one : *kind)
            if (one > square) square = one;
    return std::sqrt(square);
}

/// Bounds as pairs of a whole part and its rest.
std::vector<float> boundTexels(const AnyBoundMatrices& matrices, double largest) {
    // Sums of three whole parts have at most 24 bits.
    const double step = std::ldexp(1.0, std::ilogb(std::max(largest, 1.0)) + 1 - 21);
    const std::size_t n = atomCount(matrices);
    std::vector<float> texels(4 * n * n);
    const auto write = [step](double bound, float* target) {
        target[0] = static_cast<float>(std::round(bound / step) * step);
        target[1] = static_cast<float>(bound - double(target[0]));
    };
    std::visit(
        [&](const auto& typed) {
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    float* const texel = &texels[4 * (i * n + j)];
                    write(isUnknownUpper(typed.upper(i, j)) ? -1.0 : toAngstrom(typed.upper(i, j)), texel);
                    write(toAngstrom(typed.lower(i, j)), texel + 2);
                }
        },
        matrices);
    return texels;
}

struct Quadruple {
    std::size_t k, l;
};

/// The quadruple that a device found for a pair; nothing if none tightens it. Throws ImpossibleResultError.
std::optional<Quadruple> quadrupleOf(float number, std::size_t atoms, std::size_t i, std::size_t j) {
    if (number == -1) return std::nullopt;
    const auto name = [&] { return fmt::format("quadruple of atoms {} and {}", i + 1, j + 1); };
    const double end = static_cast<double>(atoms * atoms);
    if (!(number >= 0 && number < end && std::floor(number) == number))
        throw ImpossibleResultError(fmt::format("{} is {}; expected a number below {}", name(), number, end));
    const auto whole = static_cast<std::size_t>(number);
    const Quadruple found{whole / atoms, whole % atoms};
    if (found.k >= found.l || found.k == i || found.k == j || found.l == i || found.l == j)
        throw ImpossibleResultError(
            fmt::format("{} has atoms {} and {}; expected two others in ascending order", name(), found.k + 1,
                        found.l + 1));
    return found;
}

/// Draws all passes; the source has the result.
void drawPasses(GlBackend& backend, const glycine::gl::Texture& bounds, PingPong& limits, std::size_t n,
                Progress& progress) {
    backend.budget().restart(glycine::gl::nameOf(kShader, {}));
    const std::size_t band = std::max(kLeastBand, (n + kBands - 1) / kBands);
    progress.begin("tetrangles", static_cast<double>(n * (n - 1) / 2));
    for (std::size_t k = 0; k + 1 < n; ++k)
        for (std::size_t first = k + 1; first < n; first += kFourthAtoms) {
            const std::size_t end = std::min(first + kFourthAtoms, n);
            glycine::gl::FragmentPass pass = backend.pass(kShader);
            pass.input("bounds", bounds)
                .input("limits", limits.source().texture())
                .output(limits.target().framebuffer())
                .uniform("atoms", toInt(n))
                .uniform("k", toInt(k))
                .uniform("firstL", toInt(first))
                .uniform("endL", toInt(end))
                .uniform("leastHeight", static_cast<float>(0.99 * kLeastTetrangleHeight));
            for (std::size_t row = 0; row < n; row += band) {
                const Rectangle region{{toInt(row), toInt(row)},
                                       {toInt(n - row), toInt(std::min(band, n - row))}};
                glycine::gl::drawInPieces(backend.budget(), region, static_cast<double>(end - first),
                                          [&](const Rectangle& piece) { pass.draw(piece); });
            }
            limits.swap();
            progress.advance(static_cast<double>(end - first));
        }
    backend.canary().check("searching tetrangles");
}

}  // namespace

Support supportsTetrangleSearch(GlBackend& backend, std::size_t atoms) {
    const auto& limits = backend.gl().limits;
    if (atoms > static_cast<std::size_t>(limits.maxTextureSize))
        return Support::no(fmt::format("tetrangles of {} atoms exceed the texture limit of {}", atoms,
                                       limits.maxTextureSize));
    const std::size_t bytes = shapeOf(atoms).bytes();
    if (bytes > limits.maxTextureBytes)
        return Support::no(fmt::format("a texture for tetrangles of {} atoms takes {}, and one may have {}",
                                       atoms, formatBytes(bytes), formatBytes(limits.maxTextureBytes)));
    constexpr std::size_t kTextures = 3;  // bounds, and source and target of limits
    if (const std::size_t free = backend.textures().bytesFree(); kTextures * bytes > free)
        return Support::no(lackOfDeviceMemory(fmt::format("tetrangles of {} atoms", atoms),
                                              static_cast<double>(kTextures * bytes), free));
    return Support::yes();
}

TetrangleLimits searchTetrangles(GlBackend& backend, const AnyBoundMatrices& matrices, Progress& progress) {
    backend.makeCurrent();
    const TetrangleBounds bounds(matrices);
    const PairTetrangles pairs(bounds, detectInstructionSet());
    const std::size_t n = bounds.atoms;
    const double largest = largestBound(bounds);
    if (largest > kLargestBound)
        throw UnavailableError(fmt::format("tetrangles on gl: a bound of {:g} Å; expected at most {:g} Å",
                                           largest, kLargestBound));

    PooledTexture texture(backend.textures(), shapeOf(n));
    texture->upload(boundTexels(matrices, largest).data());
    PingPong search(backend.textures(), shapeOf(n));
    {
        std::vector<float> start(4 * n * n);
        for (std::size_t pair = 0; pair < n * n; ++pair) {
            const double upper = bounds.upper[pair];
            start[4 * pair] = std::isnan(upper) ? kNone : static_cast<float>(upper);
            start[4 * pair + 2] = static_cast<float>(bounds.lower[pair]);
            start[4 * pair + 1] = start[4 * pair + 3] = -1;
        }
        search.source().texture().upload(start.data());
    }
    drawPasses(backend, *texture, search, n, progress);

    TetrangleLimits limits(n);
    // Distances of float32 points, and the squares of these.
    const double rounding = std::ldexp(largest, -20);
    limits.slack = 2 * rounding + kLeastLoss;
    std::atomic<std::size_t> decidedHere = 0;
    const auto take = [&](std::size_t i, std::size_t j, const float* texel) {
        TetrangleLimit limit = pairs.start(i, j);
        const auto upper = quadrupleOf(texel[1], n, i, j);
        const auto lower = quadrupleOf(texel[3], n, i, j);
        for (const auto& quadruple : {upper, lower})
            if (quadruple) pairs.tighten(i, j, quadruple->k, quadruple->l, limit);
        const double loss = rounding + kLeastLoss;
        if ((upper && !(std::sqrt(limit.upper) <= std::sqrt(double(texel[0])) + loss)) ||
            (lower && !(std::sqrt(limit.lower) >= std::sqrt(double(texel[2])) - loss))) {
            limit = pairs.ofAll(i, j);
            ++decidedHere;
        }
        limits.upper(i, j) = limit.upper;
        limits.lower(i, j) = limit.lower;
    };
    namingDevice(backend, [&] {
        glycine::gl::readInBands<float>(search.source(), 0, [&](int firstRow, int rows, const float* texels) {
            const auto row = static_cast<std::size_t>(firstRow);
            parallelFor(omp_get_max_threads(), static_cast<std::size_t>(rows),
                        [&](std::size_t r, std::size_t) {
                            for (std::size_t j = row + r + 1; j < n; ++j)
                                take(row + r, j, texels + 4 * (r * n + j));
                        });
        });
    });
    if (decidedHere > 0)
        limits.note = fmt::format("{} decided on the host", formatCount(std::size_t(decidedHere), "pair"));
    return limits;
}

}  // namespace glycine::bounds::gl
