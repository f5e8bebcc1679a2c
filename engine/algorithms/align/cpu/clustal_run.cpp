#include "engine/algorithms/align/cpu/clustal_run.hpp"

#include "engine/algorithms/align/clustal_pair.hpp"
#include "engine/algorithms/align/clustal_scoring.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::align::cpu {

void ClustalRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                         Progress& progress) {
    const Stopwatch watch;
    TileProgress work(sequences_, tile, progress);
    const SubstitutionMatrix& matrix = clustalMatrix(sequences_.alphabet);
    const std::size_t columns = tile.columns.size();
    // The largest rows last would leave threads idle: a pair at a time, from the last row back.
    parallelFor(threads_, tile.rows.size() * columns, [&](std::size_t index, std::size_t) {
        const std::size_t row = tile.rows.size() - 1 - index / columns, column = index % columns;
        if (tile.isDiagonal() && column >= row) return;
        const auto& a = sequences_.codes[tile.columns.begin + column];
        const auto& b = sequences_.codes[tile.rows.begin + row];
        double open = 0;
        const CellProgress advance = [&](double cells) {
            constexpr double kAtOnce = 2e6;
            open += cells;
            if (open < kAtOnce) return;
            work.advance(open);
            open = 0;
        };
        const PairResult found =
            alignAsClustalW(a, b, matrix, clustalPenalties(sequences_.alphabet, a.size(), b.size()), advance);
        work.advance(open);
        if (!results[0].empty()) results[0](row, column) = static_cast<std::int32_t>(found.score);
        if (!results[1].empty()) results[1](row, column) = static_cast<std::int32_t>(found.identities);
    });
    times_.compute += watch.seconds();
}

}  // namespace glycine::align::cpu
