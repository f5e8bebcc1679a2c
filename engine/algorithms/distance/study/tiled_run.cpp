#include "engine/algorithms/distance/study/tiled_run.hpp"

#include <algorithm>

#include "engine/core/stopwatch.hpp"

namespace glycine::distance {

TiledRun::TiledRun(PairEngine& engine, const DataView& data, const PairQuestion& question, Variant variant)
    : engine_(engine), data_(data), question_(question), variant_(variant) {
    const std::size_t side =
        std::min(engine.preferredTile(requestFor(data, question, variant)), data.instances());
    tiles_ = tilesBelowDiagonal(data.instances(), side);
    // Filled, so that no run pays for the pages.
    if (data.isCoordinates()) {
        sums_ = Matrix<double>(side, side, 0.0);
    } else {
        differing_ = Matrix<std::uint32_t>(side, side, 0U);
        if (question.needs.opposite) opposite_ = Matrix<std::uint32_t>(side, side, 0U);
        if (question.needs.valid) valid_ = Matrix<std::uint32_t>(side, side, 0U);
    }
}

void TiledRun::start() {
    counting_.reset();
    summing_.reset();
    if (data_.isCoordinates())
        summing_ = engine_.startSumming(data_.coordinates, question_.term, variant_);
    else
        counting_ = engine_.startCounting(*data_.discrete, question_.needs, variant_);
}

TileResult TiledRun::resultOf(const PairTile& tile) {
    const auto part = [&tile]<class T>(Matrix<T>& matrix) {
        return matrix.empty() ? MatrixView<T>()
                              : matrix.view().block(0, 0, tile.rows.size(), tile.columns.size());
    };
    return {{part(differing_), part(opposite_), part(valid_)}, part(sums_)};
}

double TiledRun::compute(const Visitor& visit, Progress& progress) {
    progress.begin(data_.isCoordinates() ? "summing" : "counting", comparisons(tiles_, data_));
    double seconds = 0;
    for (const PairTile& tile : tiles_) {
        const TileResult result = resultOf(tile);
        const Stopwatch watch;
        if (counting_)
            counting_->count(tile, result.counts, progress);
        else
            summing_->sum(tile, result.sums, progress);
        seconds += watch.seconds();
        if (visit) visit(tile, result);
    }
    return seconds;
}

const PairRun& TiledRun::run() const {
    if (counting_) return *counting_;
    return *summing_;
}

}  // namespace glycine::distance
