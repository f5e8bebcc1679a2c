#include "app/bounds/recount_bounds.hpp"

#include <fmt/format.h>

#include <string_view>

#include "engine/bounds/exact_row.hpp"

namespace glycine::bounds {

std::pair<std::optional<RecountReport>, std::optional<RecountReport>> recountBounds(
    const Backend& backend, const BackendRequest& request, const AnyBoundMatrices& input,
    const AnyBoundMatrices& smoothed, const SmoothingReport& report, double seconds) {
    const std::size_t atoms = atomCount(input);
    Recount recount(backend, request, "row", "by Dijkstra's algorithm");
    if (report.shared) recount.wantOnHost();
    const ExactRows exact(input, smoothed, report.step);
    const RecountTime time{secondsForExactRow(atoms, report.step), seconds};
    const auto comparison = [&report](Recount& by, std::size_t row) {
        return [&report, &by, row](std::string_view kind, std::size_t column, double found, double expected,
                                   double allowed) {
            by.compare(report.variant, found, expected, allowed, [&] {
                return fmt::format("{} bound of atoms {} and {} in Å", kind, row + 1, column + 1);
            });
        };
    };
    recount.countSome(atoms, Recount::kMax, time, [&](std::size_t row) {
        exact.compare(row, comparison(recount, row));
        return std::size_t{1};
    });
    const std::optional<RecountReport> rows = recount.report();
    if (!rows || rows->elements == atoms) return {rows, std::nullopt};
    Recount pairs(backend, request, "pair", "from the bounds next to it");
    if (report.shared) pairs.wantOnHost();
    pairs.countSome(atoms * (atoms - 1), Recount::kMax, {secondsForExactElement(atoms), time.run},
                    [&](std::size_t place) {
                        const std::size_t row = place / (atoms - 1);
                        const std::size_t other = place % (atoms - 1);
                        exact.compareElement(row, other + (other >= row ? 1 : 0), comparison(pairs, row));
                        return std::size_t{1};
                    });
    return {rows, pairs.report()};
}

}  // namespace glycine::bounds
