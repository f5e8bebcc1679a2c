#include "engine/gl/bounds/blocked_smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/core/host_memory.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::bounds::gl {

namespace {

/// Blocked Floyd–Warshall and the two products, one level up: the matrix stays on the host, and its tiles
/// take the role of blocks.
template <class T>
class TiledSmoothing {
  public:
    TiledSmoothing(glycine::gl::GlBackend& backend, StripProducts& products, const BoundMatrices<T>& matrices,
                   std::size_t tile, SmoothingOutcome& outcome, Progress& progress)
        : products_(products), matrices_(matrices), outcome_(outcome), progress_(progress), clock_(backend) {
        // Tiles of about equal size, so that none is mostly padding.
        const std::size_t count = (matrices.atoms() + tile - 1) / tile;
        const std::size_t step = roundUp((matrices.atoms() + count - 1) / count, layout::kStripBlock);
        tiles_ = splitRange(matrices.atoms(), step);
    }

    void smoothUpper() {
        const auto count = static_cast<double>(tiles_.size());
        begin("upper bounds", count * (1 + (count - 1) + count * (count - 1) / 2));
        const MatrixView<T> u = matrices_.upper;
        for (const Range& k : tiles_) {
            const StripMatrix diagonal = products_.close(upload(u, k, k), silent_);
            clock_.finishStage(outcome_.times.upper);
            download(diagonal, u, k, k);
            step();
            for (const Range& j : tiles_) {
                if (j == k) continue;
                const StripMatrix right = upload(u, k, j);
                const StripMatrix closed = products_.multiply(products_.copy(right), diagonal, right,
                                                              Relaxation::Upper, nullptr, false, silent_);
                clock_.finishStage(outcome_.times.upper);
                download(closed, u, k, j);
                mirror(u, k, j);
                step();
            }
            for (const Range& i : tiles_) {
                if (i == k) continue;
                const StripMatrix left = upload(u, k, i);
                for (const Range& j : tiles_) {
                    if (j == k || j.begin < i.begin) continue;
                    const StripMatrix right = upload(u, k, j);
                    StripMatrix result = products_.multiply(upload(u, i, j), left, right, Relaxation::Upper,
                                                            nullptr, i == j, silent_);
                    if (i == j) result = products_.complete(result);
                    clock_.finishStage(outcome_.times.upper);
                    download(result, u, i, j);
                    if (i != j) mirror(u, i, j);
                    step();
                }
            }
        }
    }

    void smoothLower() {
        const auto count = static_cast<double>(tiles_.size());
        begin("lower bounds", count * count * count * 1.5 + count * count / 2);
        const MatrixView<T> u = matrices_.upper;
        const MatrixView<T> l = matrices_.lower;
        const std::vector<T> thresholds = pruningThresholds(MatrixView<const T>(l));
        std::vector<ActiveBlocks> active;  // by tile row and k
        double needed = 0;
        for (const Range& i : tiles_)
            for (const Range& k : tiles_) {
                active.push_back(findActiveBlocks(MatrixView<const T>(block(u, i, k)),
                                                  thresholds.data() + k.begin, products_.rowsPerStrip()));
                needed += active.back().share();
            }
        outcome_.note +=
            fmt::format("; lower pass: {:.1f} % of the blocks needed", 100 * needed / (count * count));
        clock_.finishStage(outcome_.times.lower);

        // First product, T = L ⊖ U; the host keeps its transpose.
        Matrix<T> transposedOwner(l.rows(), l.rows());
        const MatrixView<T> transposed = transposedOwner.view();
        product(l, active, false, [&](StripMatrix result, const Range& i, const Range& j) {
            download(products_.transpose(result), transposed, j, i);
        });
        // Second product, L* = T ⊖ U.
        product(transposed, active, true, [&](StripMatrix result, const Range& i, const Range& j) {
            if (i == j) result = products_.complete(result);
            download(result, l, i, j);
            if (i != j) mirror(l, i, j);
        });
    }

    std::size_t tileCount() const { return tiles_.size(); }

  private:
    /// Computes max(B, B ⊖ U) tile by tile, B = `right`, and passes each tile to `store`.
    template <class Store>
    void product(MatrixView<T> right, const std::vector<ActiveBlocks>& active, bool symmetric,
                 Store&& store) {
        for (std::size_t i = 0; i < tiles_.size(); ++i)
            for (std::size_t j = symmetric ? i : 0; j < tiles_.size(); ++j) {
                StripMatrix accumulator = upload(right, tiles_[i], tiles_[j]);
                for (std::size_t k = 0; k < tiles_.size(); ++k) {
                    const ActiveBlocks& needed = active[i * tiles_.size() + k];
                    if (needed.share() > 0) {
                        const StripMatrix left = upload(matrices_.upper, tiles_[k], tiles_[i]);
                        const StripMatrix factor = upload(right, tiles_[k], tiles_[j]);
                        accumulator =
                            products_.multiply(std::move(accumulator), left, factor, Relaxation::Lower,
                                               &needed, symmetric && i == j, silent_);
                        clock_.finishStage(outcome_.times.lower);
                    }
                    step();
                }
                store(std::move(accumulator), tiles_[i], tiles_[j]);
            }
    }

    static MatrixView<T> block(MatrixView<T> matrix, const Range& rows, const Range& columns) {
        return matrix.block(rows.begin, columns.begin, rows.size(), columns.size());
    }

    StripMatrix upload(MatrixView<T> matrix, const Range& rows, const Range& columns) {
        const T padding = matrix.data() == matrices_.upper.data() ? kUnknownUpper<T> : T(0);
        StripMatrix result = products_.upload(MatrixView<const T>(block(matrix, rows, columns)), padding);
        clock_.finishStage(outcome_.times.upload);
        return result;
    }

    void download(const StripMatrix& source, MatrixView<T> matrix, const Range& rows, const Range& columns) {
        clock_.finishStage(outcome_.times.lower);
        downloadStrips(source, block(matrix, rows, columns));
        clock_.finishStage(outcome_.times.download);
    }

    /// Copies tile (rows, columns) to its mirror image.
    void mirror(MatrixView<T> matrix, const Range& rows, const Range& columns) {
        const MatrixView<T> source = block(matrix, rows, columns);
        const MatrixView<T> target = block(matrix, columns, rows);
        constexpr std::size_t kCacheBlock = 64;
#pragma omp parallel for schedule(static)
        for (std::size_t first = 0; first < target.rows(); first += kCacheBlock)
            for (std::size_t i = 0; i < source.rows(); ++i)
                for (std::size_t j = first; j < std::min(first + kCacheBlock, target.rows()); ++j)
                    target(j, i) = source(i, j);
        clock_.finishStage(outcome_.times.download);
    }

    void begin(const char* stage, double steps) {
        progress_.begin(stage, steps);
    }
    void step() {
        progress_.advance(1);
    }

    StripProducts& products_;
    BoundMatrices<T> matrices_;
    SmoothingOutcome& outcome_;
    Progress& progress_;
    Progress silent_{{}, [this] {
                         progress_.throwIfCancelled();
                         return false;
                     }};
    std::vector<Range> tiles_;
    glycine::gl::StageClock clock_;
};

/// Tile-sized textures alive at once: two of the accumulator, both factors, one result.
constexpr std::size_t kTexturesAtOnce = 5;

/// Peak bytes of work on a tile of `atoms` × `atoms`: a product, or closing with its panels of 64 rows, an
/// operand as large as a panel, and two blocks.
std::size_t bytesForTile(std::size_t atoms) {
    const std::size_t tile = atoms * atoms * 4;
    const std::size_t panel = layout::kStripBlock * atoms * 4;
    const std::size_t block = layout::kStripBlock * layout::kStripBlock * 4;
    return std::max(4 * tile + panel, 3 * tile + 3 * panel + 2 * block);
}

template <class T>
void smoothInOnePiece(glycine::gl::GlBackend& backend, StripProducts& products,
                      const BoundMatrices<T>& matrices, SmoothingOutcome& outcome, Progress& progress) {
    const std::size_t n = matrices.atoms();
    const double paddedAtoms = static_cast<double>(roundUp(n, layout::kStripBlock));
    glycine::gl::StageClock clock(backend);
    StripMatrix raw = products.upload(MatrixView<const T>(matrices.upper), kUnknownUpper<T>);
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
    StripMatrix lower = products.upload(MatrixView<const T>(matrices.lower), T(0));
    clock.finishStage(outcome.times.upload);

    progress.begin("lower bounds", 2 * paddedAtoms);
    lower = smoothLowerStrips(products, upper, std::move(lower), &active, progress);
    clock.finishStage(outcome.times.lower);
    downloadStrips(lower, matrices.lower);
    clock.finishStage(outcome.times.download);
}

/// Smooths matrices that do not fit, in tiles of at most `tile` atoms (see largestTile).
template <class T>
void smoothInTiles(glycine::gl::GlBackend& backend, StripProducts& products, const BoundMatrices<T>& matrices,
                   std::size_t tile, SmoothingOutcome& outcome, Progress& progress) {
    TiledSmoothing<T> smoothing(backend, products, matrices, tile, outcome, progress);
    outcome.note = fmt::format("worked in {0} x {0} tiles", smoothing.tileCount());
    smoothing.smoothUpper();
    if (matrices.hasLower()) smoothing.smoothLower();
}

}  // namespace

template <class T>
std::vector<T> pruningThresholds(MatrixView<const T> lower) {
    const std::size_t n = lower.rows();
    std::vector<T> thresholds(n, T(0));
    if (n < 2) return thresholds;
    T smallest = std::numeric_limits<T>::max();
#pragma omp parallel for schedule(static) reduction(min \
                                                    : smallest) if (n * n >= layout::kElementsWorthThreads)
    for (std::size_t p = 0; p < n; ++p) {
        T largest = 0;
        for (std::size_t q = 0; q < n; ++q) {
            if (q == p) continue;
            largest = std::max(largest, lower(p, q));
            smallest = std::min(smallest, lower(p, q));
        }
        thresholds[p] = largest;
    }
    for (T& threshold : thresholds) {
        threshold -= smallest;
        if constexpr (std::is_floating_point_v<T>)
            if (threshold > 0) threshold = std::nextafter(threshold, std::numeric_limits<T>::infinity());
    }
    return thresholds;
}

template <class T>
ActiveBlocks findActiveBlocks(MatrixView<const T> upper, const T* thresholds, std::size_t rowsPerStrip) {
    constexpr std::size_t kBlock = layout::kStripBlock;
    const layout::StripShape shape{upper.rows(), upper.columns(), rowsPerStrip};
    ActiveBlocks active(shape.strips(), shape.paddedColumns() / kBlock, false);
#pragma omp parallel for schedule(dynamic, \
                                  16) if (upper.rows() * upper.columns() >= layout::kElementsWorthThreads)
    for (std::size_t strip = 0; strip < shape.strips(); ++strip) {
        const std::size_t firstRow = strip * rowsPerStrip;
        const std::size_t lastRow = std::min(firstRow + rowsPerStrip, upper.rows());
        for (std::size_t begin = 0; begin < upper.columns(); begin += kBlock) {
            const std::size_t end = std::min(begin + kBlock, upper.columns());
            bool needed = false;
            for (std::size_t i = firstRow; i < lastRow && !needed; ++i) {
                const T* const row = upper.row(i);
                for (std::size_t p = begin; p < end; ++p) needed |= row[p] < thresholds[p];
            }
            if (needed) active.activate(strip, begin / kBlock);
        }
    }
    return active;
}

template std::vector<float> pruningThresholds<float>(MatrixView<const float>);
template std::vector<std::int32_t> pruningThresholds<std::int32_t>(MatrixView<const std::int32_t>);
template ActiveBlocks findActiveBlocks<float>(MatrixView<const float>, const float*, std::size_t);
template ActiveBlocks findActiveBlocks<std::int32_t>(MatrixView<const std::int32_t>, const std::int32_t*,
                                                     std::size_t);

StripMatrix smoothLowerStrips(StripProducts& products, const StripMatrix& upper, StripMatrix lower,
                              const ActiveBlocks* active, Progress& progress) {
    // T = L ⊖ U. Its transpose replaces L in the second product, whose result is symmetric.
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
SmoothingOutcome smoothBlocked(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                               Progress& progress) {
    SmoothingOutcome outcome;
    outcome.variant = Variant::Blocked;
    StripProducts products(backend, std::is_same_v<T, std::int32_t>);
    products.beginCompiling(matrices.hasLower());
    const std::size_t tile = largestTile(backend);
    if (matrices.atoms() <= tile)
        smoothInOnePiece(backend, products, matrices, outcome, progress);
    else
        smoothInTiles(backend, products, matrices, tile, outcome, progress);
    backend.canary().check("smoothing bounds");
    return outcome;
}

template SmoothingOutcome smoothBlocked<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                               Progress&);
template SmoothingOutcome smoothBlocked<std::int32_t>(glycine::gl::GlBackend&,
                                                      const BoundMatrices<std::int32_t>&, Progress&);

}  // namespace glycine::bounds::gl
