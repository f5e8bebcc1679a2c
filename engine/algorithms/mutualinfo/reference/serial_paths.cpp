#include <algorithm>

#include "engine/algorithms/mutualinfo/network/path_engine.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::mutualinfo::reference {

namespace {

/// Pair by pair, mediator by mediator.
class SerialPaths final : public PathRun {
  public:
    explicit SerialPaths(const PathRequest& request) : request_(request) {}
    std::string_view variantName() const override { return "serial"; }
    pairs::PairTimes times() const override { return times_; }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        const Stopwatch watch;
        const std::size_t n = request_.information->instances();
        Matrix<double> x(1, n);
        Matrix<double> z(1, n);
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row) {
            readPathOperand(request_, {row, row + 1}, {0, n}, x.view());
            for (std::size_t column = tile.columns.begin; column < std::min(tile.columns.end, row);
                 ++column) {
                readPathOperand(request_, {column, column + 1}, {0, n}, z.view());
                double strongest = 0;
                for (std::size_t y = 0; y < n; ++y)
                    strongest = std::max(strongest, std::min(x(0, y), z(0, y)));
                results.front()(row - tile.rows.begin, column - tile.columns.begin) = strongest;
                progress.advance(static_cast<double>(n));
            }
        }
        times_.compute += watch.seconds();
    }

  private:
    PathRequest request_;
    pairs::PairTimes times_;
};

class ReferencePaths : public PathEngine {
  public:
    std::size_t preferredTile() const override { return 1024; }
    std::unique_ptr<PathRun> start(const PathRequest& request) override {
        return std::make_unique<SerialPaths>(request);
    }
};

}  // namespace

PathEngineEntry pathEngine() {
    return {"reference", {}, [](Backend&) -> std::unique_ptr<PathEngine> {
                return std::make_unique<ReferencePaths>();
            }};
}

}  // namespace glycine::mutualinfo::reference
