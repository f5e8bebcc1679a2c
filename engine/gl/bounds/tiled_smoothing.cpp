#include <fmt/format.h>

#include <utility>

#include "engine/core/tiling.hpp"
#include "engine/gl/bounds/active_blocks.hpp"
#include "engine/gl/bounds/blocked_smoothing.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::bounds::gl {

namespace {

/// Blocked Floyd–Warshall and the two products once more, one level up: the matrix stays on the host, and a
/// tile of it takes the part of a block.
template <class T>
class TiledSmoothing {
  public:
    TiledSmoothing(glycine::gl::GlBackend& backend, StripProducts& products, const BoundMatrices<T>& matrices,
                   std::size_t tile, SmootherOutcome& outcome, Progress& progress)
        : products_(products), matrices_(matrices), outcome_(outcome), progress_(progress), clock_(backend) {
        // Tiles of about equal size, so that none is all padding.
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

        // First product, T = L ⊖ U; its transpose is kept on the host.
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
    /// max(B, B ⊖ U) tile by tile, B = `right`; hands each tile to `store`.
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
        StripMatrix result = products_.make(rows.size(), columns.size());
        const T padding = matrix.data() == matrices_.upper.data() ? kUnknownUpper<T> : T(0);
        uploadStrips(result, MatrixView<const T>(block(matrix, rows, columns)), padding);
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
    SmootherOutcome& outcome_;
    Progress& progress_;
    Progress silent_{{}, [this] {
                         progress_.throwIfCancelled();
                         return false;
                     }};
    std::vector<Range> tiles_;
    glycine::gl::StageClock clock_;
};

}  // namespace

template <class T>
void smoothInTiles(glycine::gl::GlBackend& backend, StripProducts& products, const BoundMatrices<T>& matrices,
                   std::size_t tile, SmootherOutcome& outcome, Progress& progress) {
    TiledSmoothing<T> smoothing(backend, products, matrices, tile, outcome, progress);
    outcome.note = fmt::format("worked in {0} x {0} tiles", smoothing.tileCount());
    smoothing.smoothUpper();
    if (matrices.hasLower()) smoothing.smoothLower();
}

template void smoothInTiles<float>(glycine::gl::GlBackend&, StripProducts&, const BoundMatrices<float>&,
                                   std::size_t, SmootherOutcome&, Progress&);
template void smoothInTiles<std::int32_t>(glycine::gl::GlBackend&, StripProducts&,
                                          const BoundMatrices<std::int32_t>&, std::size_t, SmootherOutcome&,
                                          Progress&);

}  // namespace glycine::bounds::gl
