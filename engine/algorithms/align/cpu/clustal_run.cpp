#include "engine/algorithms/align/cpu/clustal_run.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/algorithms/align/clustal_scoring.hpp"
#include "engine/algorithms/align/cpu/clustal_aligner.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::align::cpu {

namespace {

/// Some pairs of one row of a tile.
struct RowTask {
    std::size_t row = 0;  ///< within the tile
    Range columns{};
    double cells = 0;
};

std::vector<RowTask> tasksOf(const Sequences& sequences, const pairs::PairTile& tile) {
    constexpr double kCells = 8e6;  // of a task, where a single pair does not have more
    std::vector<RowTask> tasks;
    for (std::size_t i = 0; i < tile.rows.size(); ++i) {
        const auto letters = static_cast<double>(sequences.codes[tile.rows.begin + i].size());
        const std::size_t columns = tile.isDiagonal() ? i : tile.columns.size();
        RowTask open{.row = i};
        for (std::size_t j = 0; j < columns; ++j) {
            open.cells += letters * static_cast<double>(sequences.codes[tile.columns.begin + j].size());
            if (open.cells < kCells && j + 1 < columns) continue;
            open.columns.end = j + 1;
            tasks.push_back(open);
            open = {.row = i, .columns = {j + 1, j + 1}};
        }
    }
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const RowTask& x, const RowTask& y) { return x.cells > y.cells; });
    return tasks;
}

}  // namespace

void ClustalRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                         Progress& progress) {
    const Stopwatch watch;
    TileProgress work(sequences_, tile, progress);
    const ClustalKernel kernel = clustalKernel(instructions_);
    const SubstitutionMatrix& matrix = clustalMatrix(sequences_.alphabet);
    const std::vector<RowTask> tasks = tasksOf(sequences_, tile);
    std::vector<std::unique_ptr<ClustalAligner>> aligners(static_cast<std::size_t>(threads_));
    parallelFor(threads_, tasks.size(), [&](std::size_t index, std::size_t thread) {
        const RowTask& task = tasks[index];
        std::unique_ptr<ClustalAligner>& aligner = aligners[thread];
        if (aligner == nullptr) aligner = std::make_unique<ClustalAligner>(kernel, matrix);
        // Rows of the alignment are those that come first in the input: the tile's columns.
        const std::vector<std::uint8_t>& b = sequences_.codes[tile.rows.begin + task.row];
        aligner->prepare(b);
        for (std::size_t j = task.columns.begin; j < task.columns.end; ++j) {
            const std::vector<std::uint8_t>& a = sequences_.codes[tile.columns.begin + j];
            const PairResult found = aligner->align(
                a, clustalPenalties(sequences_.alphabet, a.size(), b.size()), [&work] { work.advance(0); });
            if (!results[0].empty()) results[0](task.row, j) = static_cast<std::int32_t>(found.score);
            if (!results[1].empty()) results[1](task.row, j) = static_cast<std::int32_t>(found.identities);
        }
        work.advance(task.cells);
    });
    times_.compute += watch.seconds();
}

}  // namespace glycine::align::cpu
