#include "app/mutualinfo/pair_recount.hpp"

#include <fmt/format.h>

#include "engine/mutualinfo/recount_information.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::mutualinfo {

std::optional<RecountReport> recountPairs(const Backend& backend, const BackendRequest& request,
                                          const FoundInformation& found, Progress& progress) {
    Recount recount(backend, request, "pair");
    const io::ExpressionTable& table = found.table;
    const std::vector<std::size_t> numbers =
        recount.beginPairs(table.values.rows(),
                           {secondsForRecount(table.values.columns(), found.options.splines), found.seconds});
    if (numbers.empty()) return recount.report();
    countAgain(
        recount.reference(), table.values.view(), found.options, numbers, progress,
        [&](const RecountedPair& pair) {
            const double value = found.correction.corrected(pair.row, pair.column, pair.value);
            const double allowed = found.correction.errorOf(pair.row, pair.column, pair.value, pair.allowed);
            recount.compare(found.variant, found.store.value(pair.row, pair.column), value,
                            allowed + pairs::roundingOf(value, found.type), [&] {
                                return fmt::format("mutual information of {} and {}",
                                                   table.genes.at(pair.column), table.genes.at(pair.row));
                            });
            return recount.goesOnAfter(1);
        });
    return recount.report();
}

}  // namespace glycine::mutualinfo
