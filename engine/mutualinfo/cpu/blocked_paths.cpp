#include <algorithm>

#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/cpu/path_kernel.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

/// Mediators per block. A panel of columns fits in the first-level cache, the rows of a tile in the second.
constexpr std::size_t kDepth = 128;

/// Panels of `width` genes each, mediator by mediator. Padding after the last gene is 0, which carries
/// nothing.
struct PathPanels {
    Matrix<double> values;
    std::size_t width = 0;
    const double* panel(std::size_t index, std::size_t depth) const {
        return values.data() + index * width * depth;
    }
};

class BlockedPaths final : public PathRun {
  public:
    BlockedPaths(const PathRequest& request, int threads, const PathKernel& kernel)
        : request_(request), threads_(threads), kernel_(kernel) {}
    std::string_view variantName() const override { return "blocked"; }
    pairs::PairTimes times() const override { return times_; }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        const std::size_t n = request_.information->instances();
        const MatrixView<double> result = results.front();
        for (std::size_t r = 0; r < result.rows(); ++r) std::fill_n(result.row(r), result.columns(), 0.0);
        PathPanels rows{.values = {}, .width = kernel_.rows};
        PathPanels columns{.values = {}, .width = kernel_.columns};
        for (const Range& mediators : splitRange(n, kDepth)) {
            const Stopwatch packing;
            pack(tile.rows, mediators, rows);
            pack(tile.columns, mediators, columns);
            times_.pack += packing.seconds();
            const Stopwatch watch;
            raiseAll(tile, rows, columns, mediators.size(), result);
            times_.compute += watch.seconds();
            progress.advance(static_cast<double>(tile.pairs()) * static_cast<double>(mediators.size()));
        }
    }

  private:
    void pack(Range genes, Range mediators, PathPanels& panels) {
        const std::size_t count = (genes.size() + panels.width - 1) / panels.width;
        const std::size_t size = count * panels.width * mediators.size();
        if (panels.values.size() < size) panels.values = Matrix<double>(1, size);
        if (operand_.size() < genes.size() * mediators.size())
            operand_ = Matrix<double>(genes.size(), mediators.size());
        const MatrixView<double> operand(operand_.data(), genes.size(), mediators.size());
        request_.information->readBlock(genes, mediators, operand);
        parallelFor(threads_, count, [&](std::size_t index, std::size_t) {
            double* out = panels.values.data() + index * panels.width * mediators.size();
            for (std::size_t k = 0; k < mediators.size(); ++k)
                for (std::size_t i = 0; i < panels.width; ++i) {
                    const std::size_t gene = index * panels.width + i;
                    *out++ = gene < genes.size() ? request_.pathWeight(genes.begin + gene,
                                                                       mediators.begin + k, operand(gene, k))
                                                 : 0;
                }
        });
    }

    void raiseAll(const pairs::PairTile& tile, const PathPanels& rows, const PathPanels& columns,
                  std::size_t depth, MatrixView<double> result) const {
        const std::size_t columnPanels = (result.columns() + columns.width - 1) / columns.width;
        parallelFor(threads_, columnPanels, [&](std::size_t index, std::size_t) {
            const std::size_t column = index * columns.width;
            const std::size_t width = std::min(columns.width, result.columns() - column);
            alignas(64) double block[kMaxElements];
            for (std::size_t row = 0; row < result.rows(); row += rows.width) {
                const std::size_t height = std::min(rows.width, result.rows() - row);
                // Of a tile on the diagonal, only the part below the diagonal is needed.
                if (tile.isDiagonal() && row + height <= column) continue;
                std::fill_n(block, rows.width * columns.width, 0.0);
                for (std::size_t i = 0; i < height; ++i)
                    std::copy_n(result.row(row + i) + column, width, block + i * columns.width);
                kernel_.raise(
                    {rows.panel(row / rows.width, depth), columns.panel(index, depth), depth, block});
                for (std::size_t i = 0; i < height; ++i)
                    std::copy_n(block + i * columns.width, width, result.row(row + i) + column);
            }
        });
    }

    static constexpr std::size_t kMaxElements = 8 * 24;  ///< of a kernel's block

    PathRequest request_;
    int threads_;
    PathKernel kernel_;
    Matrix<double> operand_;
    pairs::PairTimes times_;
};

class CpuPaths : public PathEngine {
  public:
    explicit CpuPaths(const HostBackend& backend)
        : threads_(backend.threads()), kernel_(kernelFor<PathKernel>(backend.instructions())) {}
    std::size_t preferredTile(std::size_t) const override { return 1024; }
    std::unique_ptr<PathRun> start(const PathRequest& request) override {
        return std::make_unique<BlockedPaths>(request, threads_, kernel_);
    }

  private:
    int threads_;
    PathKernel kernel_;
};

}  // namespace

Implementation<PathEngine> pathEngine() {
    return {"cpu", {}, [](Backend& backend) -> std::unique_ptr<PathEngine> {
                return std::make_unique<CpuPaths>(backendAs<HostBackend>(backend));
            }};
}

}  // namespace glycine::mutualinfo::cpu
