#include "app/align/pair_recount.hpp"

#include <fmt/format.h>

#include <vector>

#include "engine/algorithms/align/recount_pairs.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::align {

std::optional<RecountReport> recountPairs(const Backend& backend, const BackendRequest& request,
                                          const PairsToRecount& run, Progress& progress) {
    const Sequences& sequences = run.sequences;
    Recount recount(backend, request, "pair");
    const std::vector<std::size_t> numbers = recount.beginPairs(
        sequences.size(), {secondsForRecount(sequences, run.options.scoring.method), run.seconds});
    if (numbers.empty()) return recount.report();
    countAgain(
        recount.reference(), sequences, run.options, numbers, progress, [&](const RecountedPair& pair) {
            recount.compare(run.variant, run.store.value(pair.row, pair.column), pair.value,
                            pairs::roundingOf(pair.value, run.store.valueType()), [&] {
                                return fmt::format("{} of {} and {}", toString(run.options.measure),
                                                   sequences.names[pair.column], sequences.names[pair.row]);
                            });
            return recount.goesOnAfter(1);
        });
    return recount.report();
}

}  // namespace glycine::align
