#include "engine/gl/bounds/blocked_smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/host_memory.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/bounds/active_blocks.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::bounds::gl {

namespace {

/// Textures of a tile's size that are alive at once: two of the accumulator, both factors, one result.
constexpr std::size_t kTexturesAtOnce = 5;

/// What work on a tile of `atoms` × `atoms` takes at most: products, or closing with its panels of 64 rows,
/// an operand as large as one of these, and two blocks.
std::size_t bytesForTile(std::size_t atoms) {
    const std::size_t tile = atoms * atoms * 4;
    const std::size_t panel = layout::kStripBlock * atoms * 4;
    const std::size_t block = layout::kStripBlock * layout::kStripBlock * 4;
    return std::max(4 * tile + panel, 3 * tile + 3 * panel + 2 * block);
}

template <class T>
void smoothInOnePiece(glycine::gl::GlBackend& backend, StripProducts& products,
                      const BoundMatrices<T>& matrices, SmootherOutcome& outcome, Progress& progress) {
    const std::size_t n = matrices.atoms();
    const double paddedAtoms = static_cast<double>(roundUp(n, layout::kStripBlock));
    glycine::gl::StageClock clock(backend);
    StripMatrix raw = products.make(n, n);
    uploadStrips(raw, MatrixView<const T>(matrices.upper), kUnknownUpper<T>);
    clock.finishStage(outcome.times.upload);

    progress.begin("upper bounds", paddedAtoms);
    const StripMatrix upper = products.close(std::move(raw), progress);
    clock.finishStage(outcome.times.upper);
    downloadStrips(upper, matrices.upper);
    clock.finishStage(outcome.times.download);
    if (!matrices.hasLower()) return;

    const std::vector<T> thresholds = pruningThresholds(MatrixView<const T>(matrices.lower));
    const ActiveBlocks active =
        findActiveBlocks(MatrixView<const T>(matrices.upper), thresholds.data(), products.rowsPerStrip());
    outcome.note = fmt::format("lower pass: {:.1f} % of the blocks needed", 100 * active.share());
    clock.finishStage(outcome.times.lower);
    StripMatrix lower = products.make(n, n);
    uploadStrips(lower, MatrixView<const T>(matrices.lower), T(0));
    clock.finishStage(outcome.times.upload);

    progress.begin("lower bounds", 2 * paddedAtoms);
    lower = smoothLowerStrips(products, upper, std::move(lower), &active, progress);
    clock.finishStage(outcome.times.lower);
    downloadStrips(lower, matrices.lower);
    clock.finishStage(outcome.times.download);
}

}  // namespace

StripMatrix smoothLowerStrips(StripProducts& products, const StripMatrix& upper, StripMatrix lower,
                              const ActiveBlocks* active, Progress& progress) {
    // T = L ⊖ U; its transpose takes the part of L in the second product, whose result is symmetric.
    StripMatrix result =
        products.multiply(products.copy(lower), upper, lower, Relaxation::Lower, active, false, progress);
    lower = products.transpose(result);
    result = products.multiply(products.copy(lower), upper, lower, Relaxation::Lower, active, true, progress);
    return products.complete(result);
}

std::size_t largestTile(glycine::gl::GlBackend& backend) {
    const glycine::gl::GlLimits& limits = backend.gl().limits;
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    const std::size_t bytes = std::min(limits.maxTextureBytes, limits.deviceBytes / kTexturesAtOnce);
    const auto byMemory = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / 4.0));
    const std::size_t byHeight = side * rowsPerStrip(backend.gl()) / layout::kTexelRowsPerStrip;
    const std::size_t free = backend.textures().bytesFree();
    return layout::kStripBlock *
           largestFitting(
               std::min({16 * side, byHeight, byMemory}) / layout::kStripBlock,
               [&](std::size_t blocks) { return bytesForTile(blocks * layout::kStripBlock) <= free; });
}

std::size_t bytesForSmallestTile() {
    constexpr std::size_t kTextureBytes = layout::kStripBlock * layout::kStripBlock * 4;
    return std::max(bytesForTile(layout::kStripBlock), kTexturesAtOnce * kTextureBytes);
}

template <class T>
SmootherOutcome smoothBlocked(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                              Progress& progress) {
    SmootherOutcome outcome;
    outcome.variant = Variant::Blocked;
    StripProducts products(backend, std::is_same_v<T, std::int32_t>);
    const std::size_t tile = largestTile(backend);
    if (matrices.atoms() <= tile)
        smoothInOnePiece(backend, products, matrices, outcome, progress);
    else
        smoothInTiles(backend, products, matrices, tile, outcome, progress);
    backend.canary().check("smoothing bounds");
    return outcome;
}

template SmootherOutcome smoothBlocked<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                              Progress&);
template SmootherOutcome smoothBlocked<std::int32_t>(glycine::gl::GlBackend&,
                                                     const BoundMatrices<std::int32_t>&, Progress&);

}  // namespace glycine::bounds::gl
