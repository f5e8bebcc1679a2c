#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/cpu/clustal_aligner.hpp"
#include "engine/pairwise/cpu/lane_kernel.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise::cpu {

namespace {

// ---- as ClustalW

/// Aligns pairs as ClustalW 2.1 does, by registers of columns (ClustalAligner), on several threads.
class ClustalRun final : public PairwiseRun {
  public:
    ClustalRun(const Sequences& sequences, InstructionSet instructions, int threads)
        : sequences_(sequences), instructions_(instructions), threads_(threads) {}
    std::string_view variantName() const override { return toString(Variant::InterPair); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    const Sequences& sequences_;
    InstructionSet instructions_;
    int threads_;
    pairs::PairTimes times_;
};

/// Some pairs that share their first sequence: a column of a tile with rows ordered by length.
struct ColumnTask {
    std::size_t column = 0;  ///< within the tile
    Range places{};          ///< in the list of rows
    double cells = 0;
};

/// Remaining work of a pair after a batch: a part of it, or all.
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

    /// Alignment rows belong to the sequences that come first in the input: the tile's columns.
    const std::vector<std::uint8_t>& first(std::size_t column) const {
        return sequences_.codes[tile_.columns.begin + column];
    }
    const std::vector<std::uint8_t>& second(std::size_t row) const {
        return sequences_.codes[tile_.rows.begin + row];
    }
    double cells(std::size_t row, std::size_t column) const {
        return static_cast<double>(first(column).size()) * static_cast<double>(second(row).size());
    }
    /// The requested rows at these places, shortest first.
    std::vector<std::size_t> rows(std::size_t column, Range places) const {
        std::vector<std::size_t> found;
        for (std::size_t place = places.begin; place < places.end; ++place)
            if (const std::size_t row = rows_[place] - tile_.rows.begin; !tile_.isDiagonal() || row > column)
                found.push_back(row);
        return found;
    }

    /// All pairs, the largest tasks first. In all but the last task of a column, the pairs fill the lanes.
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

/// Whether a batch is aligned in lanes. Not if most lanes would be empty, or if the marks of its cells need
/// more memory than a thread should use.
bool goesInLanes(const ClustalKernel& kernel, std::size_t pairs, std::size_t rows, std::size_t columns) {
    constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
    return 6 * pairs >= kernel.lanes && ClustalBatch::bytesOf(kernel, rows, columns) <= kMaxBytes;
}

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

    // The rest is done by rows, whose score profile is then built once.
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
                putResult(results, row, column, aligner->align(a, gaps, pause));
            } else {
                identities(row, column) +=
                    static_cast<std::int32_t>(aligner->alignPart(a, parts[k].part, gaps, pause));
            }
            // The parts of a pair are adjacent.
            if (k + 1 == parts.size() || parts[k + 1].column != column)
                work.advance(pairs.cells(row, column));
        }
    });
    times_.compute += watch.seconds();
}

// ---- sequences with many others

/// `cpu interpair`: the sequences of a tile are sorted by length, and each is aligned with batches of others,
/// one pair per register lane. Score and identities share one 32-bit number, or a 64-bit one if the bounds of
/// the scores (scoreBounds) leave too few bits. Without identities, 16 bits are used if they suffice.
class InterPairRun final : public PairwiseRun {
  public:
    InterPairRun(const Sequences& sequences, const PairScoring& scoring, InstructionSet instructions,
                 int threads)
        : sequences_(sequences), scoring_(scoring), instructions_(instructions), threads_(threads) {}
    std::string_view variantName() const override { return toString(Variant::InterPair); }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    const Sequences& sequences_;
    PairScoring scoring_;
    InstructionSet instructions_;
    int threads_;
    pairs::PairTimes times_;
    double wideCells_ = 0;  ///< computed with 64-bit numbers
};

using pairs::PairTile;

/// Some sequences of a tile, given by places in a list sorted by length.
struct BatchTask {
    Range queries{};  ///< places in the list of rows
    Range columns{};  ///< places in the list of columns
    double cells = 0;
};

/// Rows and columns of a tile, sorted by length. For a tile on the diagonal both are the same list, and a
/// query is aligned with those before it.
class SortedTile {
  public:
    SortedTile(const Sequences& sequences, const PairTile& tile)
        : sequences_(sequences),
          tile_(tile),
          rows_(placesByLength(sequences, tile.rows)),
          columns_(placesByLength(sequences, tile.columns)) {}

    std::size_t query(std::size_t place) const { return rows_[place]; }
    std::size_t column(std::size_t place) const { return columns_[place]; }
    std::size_t letters(std::size_t sequence) const { return sequences_.codes[sequence].size(); }
    /// Whether the pair of these two places is requested.
    bool has(std::size_t query, std::size_t column) const { return !tile_.isDiagonal() || column < query; }

    /// All pairs, the largest tasks first.
    std::vector<BatchTask> tasks(std::size_t lanes) const {
        constexpr double kCells = 8e6;  // of a task, where a single query does not have more
        std::vector<BatchTask> tasks;
        for (const Range& columns : splitRange(columns_.size(), lanes)) {
            double width = 0;
            for (std::size_t k = columns.begin; k < columns.end; ++k)
                width += static_cast<double>(letters(columns_[k]));
            BatchTask open{.columns = columns};
            for (std::size_t q = tile_.isDiagonal() ? columns.begin + 1 : 0; q < rows_.size(); ++q) {
                if (open.cells == 0) open.queries.begin = q;
                open.queries.end = q + 1;
                open.cells += width * static_cast<double>(letters(rows_[q]));
                if (open.cells < kCells) continue;
                tasks.push_back(open);
                open.cells = 0;
            }
            if (open.cells > 0) tasks.push_back(open);
        }
        std::stable_sort(tasks.begin(), tasks.end(),
                         [](const BatchTask& a, const BatchTask& b) { return a.cells > b.cells; });
        return tasks;
    }

    /// Stores the result of a pair.
    void store(std::span<const MatrixView<std::int32_t>> results, std::size_t query, std::size_t column,
               const PairResult& found) const {
        std::size_t row = rows_[query], other = columns_[column];
        if (row < other) std::swap(row, other);
        putResult(results, row - tile_.rows.begin, other - tile_.columns.begin, found);
    }

    const Sequences& sequences() const { return sequences_; }

  private:
    const Sequences& sequences_;
    const PairTile& tile_;
    std::vector<std::size_t> rows_, columns_;
};

/// Memory that a thread reuses from batch to batch.
template <class Number>
struct LaneMemory {
    Matrix<Number> state, profile, bottom, highest, table;
    std::vector<std::uint8_t> codes;

    static Number* atLeast(Matrix<Number>& memory, std::size_t elements) {
        if (memory.size() < elements) memory = Matrix<Number>(1, elements);
        return memory.data();
    }
};

/// The work of one thread: tasks of a tile, in numbers of one width.
template <class Number>
class LaneWorker {
  public:
    LaneWorker(const LaneKernel<Number>& kernel, const PairScoring& scoring,
               std::span<const MatrixView<std::int32_t>> results)
        : kernel_(kernel), scoring_(scoring), results_(results) {}

    void work(const SortedTile& tile, const BatchTask& task, const LaneNumbers& numbers,
              TileProgress& progress) {
        numbers.fill(memory_.atLeast(memory_.table, kTableSide * kTableSide));
        for (std::size_t begin = task.columns.begin; begin < task.columns.end; begin += kernel_.lanes) {
            const Range lanes{begin, std::min(begin + kernel_.lanes, task.columns.end)};
            const std::size_t columns = interleave(tile, lanes);
            for (std::size_t query = task.queries.begin; query < task.queries.end; ++query)
                if (tile.has(query, lanes.begin)) align(tile, query, lanes, columns, numbers, progress);
        }
        progress.advance(std::exchange(open_, 0));
    }

  private:
    /// Interleaves the sequences of the columns; returns the number of columns.
    std::size_t interleave(const SortedTile& tile, Range lanes) {
        std::size_t longest = 0;
        for (std::size_t k = lanes.begin; k < lanes.end; ++k)
            longest = std::max(longest, tile.letters(tile.column(k)));
        const std::size_t columns = roundUp(longest, kernel_.columnsAtOnce);
        memory_.codes.assign(columns * kernel_.lanes, kPaddingCode);
        for (std::size_t k = lanes.begin; k < lanes.end; ++k) {
            const std::vector<std::uint8_t>& codes = tile.sequences().codes[tile.column(k)];
            for (std::size_t j = 0; j < codes.size(); ++j)
                memory_.codes[j * kernel_.lanes + k - lanes.begin] = codes[j];
        }
        return columns;
    }

    void align(const SortedTile& tile, std::size_t query, Range lanes, std::size_t columns,
               const LaneNumbers& numbers, TileProgress& progress) {
        const std::vector<std::uint8_t>& codes = tile.sequences().codes[tile.query(query)];
        const bool isLocal = scoring_.method == PairMethod::Local;
        LaneBlock<Number> block;
        block.query = codes.data();
        block.rows = codes.size();
        block.columns = memory_.codes.data();
        block.letters = scoring_.matrix.size;
        block.table = memory_.table.data();
        block.open = static_cast<Number>(numbers.open());
        block.extend = static_cast<Number>(numbers.extend());
        block.state = memory_.atLeast(memory_.state, 2 * codes.size() * kernel_.lanes);
        block.profile = memory_.atLeast(memory_.profile, kTableSide * kernel_.columnsAtOnce * kernel_.lanes);
        block.highest = memory_.atLeast(memory_.highest, kernel_.lanes);
        if (!isLocal) block.bottom = memory_.atLeast(memory_.bottom, columns * kernel_.lanes);
        const LaneFunction<Number> compute =
            kernel_.compute[static_cast<std::size_t>(recurrenceOf(scoring_))];
        // Long pairs are computed in portions, so that the user can cancel between them.
        constexpr std::size_t kPortion = 100'000'000;
        const std::size_t width = std::max<std::size_t>(
            roundUp(kPortion / (codes.size() * kernel_.lanes) + 1, kernel_.columnsAtOnce),
            kernel_.columnsAtOnce);
        for (block.first = 0; block.first < columns; block.first = block.last) {
            block.last = std::min(block.first + width, columns);
            compute(block);
            count(tile, query, lanes, block.first, block.last, progress);
        }
        for (std::size_t k = lanes.begin; k < lanes.end; ++k) {
            if (!tile.has(query, k)) continue;
            const std::size_t lane = k - lanes.begin, length = tile.letters(tile.column(k));
            const Number number =
                isLocal ? block.highest[lane] : block.bottom[(length - 1) * kernel_.lanes + lane];
            tile.store(results_, query, k, numbers.resultOf(number, codes.size(), length));
        }
    }

    void count(const SortedTile& tile, std::size_t query, Range lanes, std::size_t first, std::size_t last,
               TileProgress& progress) {
        constexpr double kAtOnce = 2e6;
        const auto rows = static_cast<double>(tile.letters(tile.query(query)));
        for (std::size_t k = lanes.begin; k < lanes.end; ++k) {
            if (!tile.has(query, k)) continue;
            const std::size_t length = tile.letters(tile.column(k));
            open_ += rows * static_cast<double>(std::min(last, length) - std::min(first, length));
        }
        if (open_ >= kAtOnce) progress.advance(std::exchange(open_, 0));
    }

    const LaneKernel<Number>& kernel_;
    const PairScoring& scoring_;
    std::span<const MatrixView<std::int32_t>> results_;
    LaneMemory<Number> memory_;
    double open_ = 0;  ///< cells not yet reported to the progress
};

/// One worker per thread.
template <class Number>
class Workers {
  public:
    Workers(InstructionSet instructions, int threads, const PairScoring& scoring,
            std::span<const MatrixView<std::int32_t>> results)
        : kernel_(kernelFor<LaneKernel<Number>>(instructions)) {
        for (int k = 0; k < threads; ++k) workers_.emplace_back(kernel_, scoring, results);
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    std::size_t lanes() const { return kernel_.lanes; }
    LaneWorker<Number>& operator[](std::size_t thread) { return workers_[thread]; }

  private:
    LaneKernel<Number> kernel_;
    std::vector<LaneWorker<Number>> workers_;
};

std::string InterPairRun::note() const {
    if (wideCells_ == 0) return {};
    return "numbers of 64 bits for the longest sequences";
}

void InterPairRun::compute(const PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                           Progress& progress) {
    const Stopwatch watch;
    const SortedTile sorted(sequences_, tile);
    const bool hasIdentities = !results[1].empty();
    TileProgress work(sequences_, tile, progress);
    Workers<std::int16_t> narrow(instructions_, threads_, scoring_, results);
    Workers<std::int32_t> usual(instructions_, threads_, scoring_, results);
    Workers<std::int64_t> wide(instructions_, threads_, scoring_, results);
    const std::vector<BatchTask> tasks = sorted.tasks(hasIdentities ? usual.lanes() : narrow.lanes());
    std::vector<char> isWide(tasks.size());
    parallelFor(threads_, tasks.size(), [&](std::size_t index, std::size_t thread) {
        const BatchTask& task = tasks[index];
        // The last sequence of each list is the longest.
        const LaneNumbers numbers(scoring_, sorted.letters(sorted.query(task.queries.end - 1)),
                                  sorted.letters(sorted.column(task.columns.end - 1)), hasIdentities);
        if (!hasIdentities && numbers.fit<std::int16_t>())
            narrow[thread].work(sorted, task, numbers, work);
        else if (numbers.fit<std::int32_t>())
            usual[thread].work(sorted, task, numbers, work);
        else {
            wide[thread].work(sorted, task, numbers, work);
            isWide[index] = 1;
        }
    });
    for (std::size_t k = 0; k < tasks.size(); ++k) wideCells_ += isWide[k] != 0 ? tasks[k].cells : 0;
    times_.compute += watch.seconds();
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {"integers"},
        {{Variant::InterPair,
          "one sequence with many others of about its length, a pair in each lane of a register",
          "after T. Rognes, Faster Smith-Waterman database searches with inter-sequence SIMD "
          "parallelisation, BMC Bioinformatics 12:221 (2011)",
          {},
          true}});
    return table;
}

class CpuEngine final : public PairwiseEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const PairwiseRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        return scoresFit(request);
    }

    /// Equal tiles. Longer sides fill the lanes better, but a stop loses more work.
    std::size_t preferredTile(const PairwiseRequest& request) const override {
        return evenTile(request.sequences, 1024);
    }

    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        if (request.scoring.method == PairMethod::ClustalW)
            return std::make_unique<ClustalRun>(sequences, instructions_, threads_);
        return std::make_unique<InterPairRun>(sequences, request.scoring, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

Implementation<PairwiseEngine> pairwiseEngine() {
    return implementWith<PairwiseEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::pairwise::cpu
