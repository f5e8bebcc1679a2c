#include "app/bounds/recount_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/bounds/exact_row.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::bounds {

namespace {

/// Whether all blocks were computed by processors of this host: by processes that share its memory.
bool isOfThisHost(const SmoothingReport& report) {
    const ProcessTeam* const team = processTeam();
    return report.shared && team != nullptr && team->processesOnHost() == team->processes();
}

}  // namespace

std::pair<std::optional<RecountReport>, std::optional<RecountReport>> recountBounds(
    const Backend& backend, const BackendRequest& request, RunInput& input, const AnyBoundMatrices& smoothed,
    const SmoothingReport& report, double seconds) {
    const std::size_t atoms = atomCount(smoothed);
    Recount recount(backend, request, "row", "by Dijkstra's algorithm");
    // Blocks that neither a device nor a network had are trusted more: they are checked for a short time,
    // whatever the run took.
    const bool isBrief = !recount.isWanted() && isOfThisHost(report);
    if (report.shared) recount.wantOnHost();
    const RecountTime time{secondsForExactRow(atoms, report.step), isBrief ? 0 : seconds};
    const auto comparison = [&report](Recount& by, std::size_t row) {
        return [&report, &by, row](std::string_view kind, std::size_t column, double found, double expected,
                                   double allowed) {
            by.compare(report.variant, found, expected, allowed, [&] {
                return fmt::format("{} bound of atoms {} and {} in Å", kind, row + 1, column + 1);
            });
        };
    };
    const bool hasNoRoom = recount.isWanted() && !input.canBeWhole();
    const bool hasNoTime = recount.isWanted() && isBrief && time.each > Recount::kStageSeconds;
    recount.countSome(atoms, hasNoRoom || hasNoTime ? 0 : Recount::kMax, time, [&](std::size_t row) {
        ExactRows(input.whole(), smoothed, report.step).compare(row, comparison(recount, row));
        return std::size_t{1};
    });
    std::optional<RecountReport> rows = recount.report();
    if (rows && hasNoRoom) rows->skipped = "the memory has no room for a copy of the input";
    if (rows && hasNoTime) rows->skipped = fmt::format("one row would take {}", formatSeconds(time.each));
    if (!rows || rows->elements == atoms) return {rows, std::nullopt};
    Recount pairs(backend, request, "pair", "from the bounds next to it");
    if (report.shared) pairs.wantOnHost();
    const ExactRows exact(input.half(), smoothed, report.step);
    pairs.countSomeTogether(atoms * (atoms - 1), Recount::kMax, {secondsForExactElement(atoms), time.run},
                            [&](std::size_t place) {
                                const std::size_t row = place / (atoms - 1);
                                const std::size_t other = place % (atoms - 1);
                                exact.compareElement(row, other + (other >= row ? 1 : 0),
                                                     comparison(pairs, row));
                                return std::size_t{1};
                            });
    return {rows, pairs.report()};
}

void recountTetrangles(Recount& recount, const TetrangleLimits& limits, const AnyBoundMatrices& matrices,
                       double seconds) {
    if (!recount.isWanted()) return;
    const TetrangleBounds bounds(matrices);
    const PairTetrangles exact(bounds, detectInstructionSet());
    const std::size_t atoms = bounds.atoms;
    const auto require = [&](std::string_view kind, std::size_t i, std::size_t j, double found,
                             double tightest, double loosest) {
        const auto place = [&] {
            return fmt::format("tetrangle limit of the {} bound of atoms {} and {} in Å", kind, i + 1, j + 1);
        };
        // The difference for the report, then the side on which it must lie.
        recount.compare("tetrangles", found, tightest, limits.slack, place);
        recount.requireWithin("tetrangles", found, std::min(tightest, loosest), std::max(tightest, loosest),
                              place);
    };
    recount.countSome(atoms * (atoms - 1) / 2, Recount::kMax, {secondsForPairTetrangles(atoms), seconds},
                      [&](std::size_t pair) {
                          const pairs::PairTile place = pairs::pairNumber(pair);
                          const std::size_t i = place.columns.begin, j = place.rows.begin;  // i < j
                          const TetrangleLimit limit = exact.ofAll(i, j);
                          const double upper = std::sqrt(limit.upper);
                          const double lower = std::sqrt(limit.lower);
                          require("upper", i, j, std::sqrt(limits.upper(i, j)), upper, upper + limits.slack);
                          require("lower", i, j, std::sqrt(limits.lower(i, j)), lower, lower - limits.slack);
                          return std::size_t{1};
                      });
}

}  // namespace glycine::bounds
