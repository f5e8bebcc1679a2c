#include "app/pairwise/pair_recount.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/stored_value.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/recount_pairs.hpp"

namespace glycine::pairwise {

namespace {

/// Rows that are aligned at the same time.
constexpr std::size_t kRowsAtOnce = 16;

/// Requires identities and distances to lie in 0 … 1.
void requireShares(Recount& recount, const PairsToRecount& run) {
    const std::size_t n = run.sequences.size();
    std::vector<double> row(n);
    for (std::size_t j = 1; j < n; ++j) {
        run.store.readRow(j, 0, j, row.data());
        for (std::size_t i = 0; i < j; ++i) {
            if (run.has && !run.has(j, i)) continue;
            recount.requireWithin(run.variant, row[i], 0, 1, [&] {
                return fmt::format("{} of {} and {}", toString(run.options.measure), run.sequences.names[i],
                                   run.sequences.names[j]);
            });
        }
    }
}

}  // namespace

void recountPairs(Recount& recount, const PairsToRecount& run, Progress& progress) {
    if (!recount.isWanted()) return;
    const Sequences& sequences = run.sequences;
    const PairMethod method = run.options.scoring.method;
    const auto compare = [&](const RealignedPair& pair) {
        if (run.has && !run.has(pair.row, pair.column)) return std::size_t{0};
        recount.compare(run.variant, run.store.value(pair.row, pair.column), pair.value,
                        pairs::roundingOf(pair.value, run.store.valueType()), [&] {
                            return fmt::format("{} of {} and {}", toString(run.options.measure),
                                               sequences.names[pair.column], sequences.names[pair.row]);
                        });
        return std::size_t{1};
    };
    if (run.options.measure != PairMeasure::Score) requireShares(recount, run);
    const std::unique_ptr<Backend> host = createNamedBackend("cpu", {});
    const ThreadsOf threads(*host);
    const double each = secondsPerCellOnHost(method) / std::max(omp_get_max_threads(), 1);
    const std::vector<Range> parts = splitRange(sequences.size(), kRowsAtOnce);
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    progress.begin("re-counting", static_cast<double>(sequences.size() * (sequences.size() - 1) / 2));
    for (const std::size_t part : Recount::someOf(std::move(order), parts.size())) {
        const pairs::PairTile tile{parts[part], {0, parts[part].end}};
        const double cells = cellsOf(sequences, tile);
        if (recount.affordable(1, each * cells, run.seconds) == 0) continue;
        const Stopwatch watch;
        std::size_t count = 0;
        recountRows(*host, sequences, run.options, parts[part], progress,
                    [&](const RealignedPair& pair) { count += compare(pair); });
        recount.add(count, watch.seconds());
    }
    const std::vector<std::size_t> numbers =
        recount.beginPairs(sequences.size(), {secondsForRecount(sequences, method), run.seconds});
    if (!numbers.empty())
        recountByReference(recount.reference(), sequences, run.options, numbers, progress,
                           [&](const RealignedPair& pair) { return recount.continuesAfter(compare(pair)); });
}

}  // namespace glycine::pairwise
