#include "engine/pairwise/cpu/clustal_run.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairwise/clustal_scoring.hpp"
#include "engine/pairwise/cpu/clustal_aligner.hpp"
#include "engine/pairwise/cpu/clustal_batch.hpp"

namespace glycine::pairwise::cpu {

namespace {

/// Some pairs of one sequence, which comes first in them: a column of a tile with rows by their lengths.
struct ColumnTask {
    std::size_t column = 0;  ///< within the tile
    Range places{};          ///< in the list of rows
    double cells = 0;
};

/// What a batch has left to be done of a pair: a part of it, or all.
struct OpenPart {
    std::size_t row = 0;  ///< within the tile
    std::size_t column = 0;
    bool isAll = false;
    ClustalPart part{};
};

class ClustalTile {
  public:
    ClustalTile(const Sequences& sequences, const pairs::PairTile& tile)
        : sequences_(sequences), tile_(tile), rows_(placesByLength(sequences, tile.rows)) {}

    /// Rows of the alignment are those that come first in the input: the tile's columns.
    const std::vector<std::uint8_t>& first(std::size_t column) const {
        return sequences_.codes[tile_.columns.begin + column];
    }
    const std::vector<std::uint8_t>& second(std::size_t row) const {
        return sequences_.codes[tile_.rows.begin + row];
    }
    double cells(std::size_t row, std::size_t column) const {
        return static_cast<double>(first(column).size()) * static_cast<double>(second(row).size());
    }
    /// Rows of these places that are asked for, the shortest first.
    std::vector<std::size_t> rows(std::size_t column, Range places) const {
        std::vector<std::size_t> found;
        for (std::size_t place = places.begin; place < places.end; ++place)
            if (const std::size_t row = rows_[place] - tile_.rows.begin; !tile_.isDiagonal() || row > column)
                found.push_back(row);
        return found;
    }

    /// All pairs, the largest tasks first. Of all but the last of a column, the pairs fill the lanes.
    std::vector<ColumnTask> tasks(std::size_t lanes) const {
        constexpr double kCells = 8e6;  // of a task, where a batch does not have more
        std::vector<ColumnTask> tasks;
        for (std::size_t column = 0; column < tile_.columns.size(); ++column) {
            ColumnTask open{.column = column};
            std::size_t pairs = 0;
            for (std::size_t place = 0; place < rows_.size(); ++place) {
                const std::size_t row = rows_[place] - tile_.rows.begin;
                open.places.end = place + 1;
                if (tile_.isDiagonal() && row <= column) continue;
                open.cells += cells(row, column);
                if (++pairs % lanes != 0 || open.cells < kCells) continue;
                tasks.push_back(open);
                open = {.column = column, .places = {place + 1, place + 1}};
            }
            if (open.cells > 0) tasks.push_back(open);
        }
        std::ranges::stable_sort(tasks,
                                 [](const ColumnTask& x, const ColumnTask& y) { return x.cells > y.cells; });
        return tasks;
    }

  private:
    const Sequences& sequences_;
    const pairs::PairTile& tile_;
    std::vector<std::size_t> rows_;
};

/// Whether a batch is to be aligned side by side: not where most lanes are empty, nor where marks of the
/// cells take more memory than a thread should.
bool goesInLanes(const ClustalKernel& kernel, std::size_t pairs, std::size_t rows, std::size_t columns) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    return 6 * pairs >= kernel.lanes && ClustalBatch::bytesOf(kernel, rows, columns) <= kMostBytes;
}

}  // namespace

void ClustalRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                         Progress& progress) {
    const Stopwatch watch;
    TileProgress work(sequences_, tile, progress);
    const ClustalKernel kernel = kernelFor<ClustalKernel>(instructions_);
    const SubstitutionMatrix& matrix = clustalMatrix(sequences_.alphabet);
    const ClustalTile pairs(sequences_, tile);
    const auto threads = static_cast<std::size_t>(threads_);
    const MatrixView<std::int32_t>& scores = results[0];
    const MatrixView<std::int32_t>& identities = results[1];

    const std::vector<ColumnTask> tasks = pairs.tasks(kernel.lanes);
    std::vector<std::unique_ptr<ClustalBatch>> batches(threads);
    std::vector<std::vector<OpenPart>> open(threads);
    parallelFor(threads_, tasks.size(), [&](std::size_t index, std::size_t thread) {
        const std::size_t column = tasks[index].column;
        std::unique_ptr<ClustalBatch>& batch = batches[thread];
        if (batch == nullptr) batch = std::make_unique<ClustalBatch>(kernel, matrix);
        const std::vector<std::uint8_t>& a = pairs.first(column);
        const std::vector<std::size_t> all = pairs.rows(column, tasks[index].places);
        std::vector<ClustalBatch::Codes> others;
        double done = 0;
        for (const Range& range : splitRange(all.size(), kernel.lanes)) {
            const std::span rows(all.data() + range.begin, range.size());
            if (!goesInLanes(kernel, rows.size(), a.size(), pairs.second(rows.back()).size())) {
                for (const std::size_t row : rows) open[thread].push_back({row, column, true, {}});
                continue;
            }
            others.clear();
            for (const std::size_t row : rows) others.emplace_back(pairs.second(row));
            batch->align(a, others, sequences_.alphabet);
            for (std::size_t lane = 0; lane < rows.size(); ++lane) {
                const std::size_t row = rows[lane];
                if (!scores.empty()) scores(row, column) = static_cast<std::int32_t>(batch->score(lane));
                if (!identities.empty()) {
                    identities(row, column) = static_cast<std::int32_t>(batch->identities(lane));
                    for (const ClustalPart& part : batch->parts())
                        open[thread].push_back({row, column, false, part});
                    if (!batch->parts().empty()) continue;
                }
                done += pairs.cells(row, column);
            }
        }
        work.advance(done);
    });

    // The others by rows, whose scores are laid out once for all of them.
    std::vector<std::vector<OpenPart>> ofRows(tile.rows.size());
    for (const std::vector<OpenPart>& parts : open)
        for (const OpenPart& part : parts) ofRows[part.row].push_back(part);
    std::vector<std::unique_ptr<ClustalAligner>> aligners(threads);
    parallelFor(threads_, ofRows.size(), [&](std::size_t row, std::size_t thread) {
        const std::vector<OpenPart>& parts = ofRows[row];
        if (parts.empty()) return;
        std::unique_ptr<ClustalAligner>& aligner = aligners[thread];
        if (aligner == nullptr) aligner = std::make_unique<ClustalAligner>(kernel, matrix);
        const std::vector<std::uint8_t>& b = pairs.second(row);
        aligner->prepare(b);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const std::size_t column = parts[k].column;
            const std::vector<std::uint8_t>& a = pairs.first(column);
            const GapPenalties gaps = clustalPenalties(sequences_.alphabet, a.size(), b.size());
            const std::function<void()> pause = [&work] { work.advance(0); };
            if (parts[k].isAll) {
                const PairResult found = aligner->align(a, gaps, pause);
                if (!scores.empty()) scores(row, column) = static_cast<std::int32_t>(found.score);
                if (!identities.empty())
                    identities(row, column) = static_cast<std::int32_t>(found.identities);
            } else {
                identities(row, column) +=
                    static_cast<std::int32_t>(aligner->alignPart(a, parts[k].part, gaps, pause));
            }
            // A pair's parts follow one another.
            if (k + 1 == parts.size() || parts[k + 1].column != column)
                work.advance(pairs.cells(row, column));
        }
    });
    times_.compute += watch.seconds();
}

}  // namespace glycine::pairwise::cpu
