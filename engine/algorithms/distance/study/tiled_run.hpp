#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/algorithms/distance/study/pair_question.hpp"
#include "engine/core/matrix.hpp"

namespace glycine::distance {

/// What an engine wrote for one tile: counts, or sums.
struct TileResult {
    PairCounts counts{};
    MatrixView<double> sums{};
};

/// Work on all pairs of a data set as measurements need it: over and over, one tile of results in memory at a
/// time.
class TiledRun {
  public:
    using Visitor = std::function<void(const PairTile&, const TileResult&)>;

    /// `engine` and `data` outlive the run.
    TiledRun(PairEngine& engine, const DataView& data, const PairQuestion& question, Variant variant);

    /// Begins anew: nothing is on the device.
    void start();
    /// Computes all tiles after `start`; returns seconds on the clock, without those in `visit`, which may be
    /// empty.
    double compute(const Visitor& visit, Progress& progress);
    /// The run since `start`.
    const PairRun& run() const;

  private:
    TileResult resultOf(const PairTile& tile);

    PairEngine& engine_;
    DataView data_;
    PairQuestion question_;
    Variant variant_;
    std::vector<PairTile> tiles_;
    Matrix<std::uint32_t> differing_, opposite_, valid_;
    Matrix<double> sums_;
    std::unique_ptr<CountingRun> counting_;
    std::unique_ptr<SummingRun> summing_;
};

}  // namespace glycine::distance
