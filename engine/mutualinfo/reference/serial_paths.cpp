#include <algorithm>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"

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
        std::vector<double> x(n);
        std::vector<double> z(n);
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row) {
            request_.information->readRow(row, 0, n, x.data());
            for (std::size_t column = tile.columns.begin; column < std::min(tile.columns.end, row);
                 ++column) {
                request_.information->readRow(column, 0, n, z.data());
                double strongest = 0;
                for (std::size_t y = 0; y < n; ++y)
                    strongest = std::max(strongest, std::min(request_.pathWeight(row, y, x[y]),
                                                             request_.pathWeight(column, y, z[y])));
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
    std::size_t preferredTile(std::size_t) const override { return 1024; }
    std::unique_ptr<PathRun> start(const PathRequest& request) override {
        return std::make_unique<SerialPaths>(request);
    }
};

}  // namespace

Implementation<PathEngine> pathEngine() {
    return {"reference", {}, [](Backend&) -> std::unique_ptr<PathEngine> {
                return std::make_unique<ReferencePaths>();
            }};
}

}  // namespace glycine::mutualinfo::reference
