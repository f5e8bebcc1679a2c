#include "engine/alignment/recount_joins.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/alignment/posterior/compare_posteriors.hpp"
#include "engine/alignment/reference/serial_posterior.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::align {

namespace {

/// Seconds of one thread, rather more than less: for a posterior that is added up, a pair of columns that
/// gains something, an entry that a chain passes, and a residue that is looked for among the columns of
/// others.
constexpr double kSecondsOfSum = 2e-8, kSecondsOfColumn = 1e-6, kSecondsOfEntry = 5e-8,
                 kSecondsOfLookup = 5e-8;
/// Of sums of float32, by which sums of chains may differ.
constexpr double kSumTolerance = 1e-5;

/// 0 … `count` − 1 mixed, so that as many of the first as there is time for leave no stretch out.
std::vector<std::size_t> mixed(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::ranges::sort(numbers, {}, [](std::size_t number) { return derivedSeed(1, number); });
    return numbers;
}

std::string nameOf(const GroupJoin& join, const Sequences& sequences) {
    const auto side = [&](std::span<const std::size_t> group) {
        return group.size() == 1 ? sequences.names[group.front()]
                                 : fmt::format("{} and {} more", sequences.names[group.front()],
                                               formatCount(group.size() - 1, "sequence"));
    };
    return fmt::format("join of {} with {}", side(join.first), side(join.second));
}

/// What a chain gains.
double sumOf(const ColumnChain& chain, const JoinGains& gains) {
    double sum = 0;
    auto next = chain.begin();
    for (const std::vector<JoinGain>& part : gains)
        for (const JoinGain& gain : part) {
            const std::pair place(gain.row, gain.column);
            while (next != chain.end() && *next < place) ++next;
            if (next != chain.end() && *next == place) sum += static_cast<double>(gain.sum);
        }
    return sum;
}

}  // namespace

RecountedJoins::RecountedJoins(std::unique_ptr<GroupJoins> joins, StageRecount& recount,
                               const Sequences& sequences, const PosteriorSet& posteriors,
                               std::span<const double> weights, std::string variant, bool areSumsOfDevice)
    : joins_(std::move(joins)),
      recount_(recount),
      sequences_(sequences),
      posteriors_(posteriors),
      weights_(weights),
      variant_(std::move(variant)),
      areSumsOfDevice_(areSumsOfDevice),
      sums_(posteriors, weights) {}

void RecountedJoins::enter(std::string stage) {
    stage_ = std::move(stage);
    seconds_ = 0;
}

std::vector<ColumnChain> RecountedJoins::heaviestChains(std::span<const GroupJoin> joins,
                                                        const PlacedResidues& residues, Progress& progress) {
    Stopwatch watch;
    std::vector<ColumnChain> chains = joins_->heaviestChains(joins, residues, progress);
    seconds_ += watch.restart();
    recount_.enter(stage_, "join", variant_);
    std::vector<std::size_t> chosen;
    std::vector<GroupJoin> again;
    for (const std::size_t k : mixed(joins.size())) {
        const GroupJoin& join = joins[k];
        const auto width = static_cast<double>(join.firstWidth);
        const double each =
            kSecondsOfColumn * width +
            kSecondsOfSum * width * static_cast<double>(join.first.size() * join.second.size());
        if (recount_.affordable(1, each, seconds_) == 0) continue;
        chosen.push_back(k);
        again.push_back(join);
    }
    struct Sums {
        double found = 0, best = 0;
    };
    std::vector<Sums> sums(chosen.size());
    sums_.find(again, residues, progress, [&](std::size_t k, const JoinGains& gains) {
        sums[k] = {sumOf(chains[chosen[k]], gains),
                   sumOf(heaviestChainOf(gains, again[k].secondWidth), gains)};
    });
    for (std::size_t k = 0; k < chosen.size(); ++k)
        recount_.compare(sums[k].found, sums[k].best, kSumTolerance * sums[k].best,
                         [&] { return "sum of posteriors of the " + nameOf(again[k], sequences_); });
    recount_.add(chosen.size(), watch.seconds());
    return chains;
}

double RecountedJoins::sumOfColumn(const PlacedResidues& residues, std::size_t column) const {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> places;
    for (const std::vector<std::uint32_t>& one : residues) {
        const auto place = std::ranges::lower_bound(one, column);
        places.push_back(
            place != one.end() && *place == column ? static_cast<std::size_t>(place - one.begin()) : kNone);
    }
    double sum = 0;
    for (std::size_t x = 0; x < places.size(); ++x)
        for (std::size_t y = 0; y < x && places[x] != kNone; ++y) {
            if (places[y] == kNone) continue;
            const auto row = posteriors_.pair(x, y).row(places[x]);
            const auto entry = std::ranges::lower_bound(row, places[y], {}, &PosteriorEntry::column);
            if (entry != row.end() && entry->column == places[y])
                sum += weights_[x] * weights_[y] * static_cast<double>(entry->value);
        }
    return sum;
}

std::vector<double> RecountedJoins::sumsWithin(const PlacedResidues& residues, std::size_t width,
                                               Progress& progress) {
    Stopwatch watch;
    std::vector<double> sums = joins_->sumsWithin(residues, width, progress);
    if (!areSumsOfDevice_) return sums;
    seconds_ += watch.restart();
    recount_.enter(stage_, "column", variant_);
    const auto n = static_cast<double>(residues.size());
    std::vector<std::size_t> columns = mixed(width);
    columns.resize(recount_.affordable(width, kSecondsOfLookup * n * n, seconds_));
    for (const std::size_t column : columns) {
        const double expected = sumOfColumn(residues, column);
        recount_.compare(sums[column], expected, kSumTolerance * std::max(expected, 1.0), [&] {
            return fmt::format("sum of posteriors within column {} of the alignment", column + 1);
        });
    }
    recount_.add(columns.size(), watch.seconds());
    return sums;
}

void recountAccuracies(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       std::span<const double> found, const std::string& variant, double seconds) {
    if (!recount.isWanted() || found.empty()) return;
    const Stopwatch watch;
    recount.enter("the guide tree", "distance", variant);
    const double entries = static_cast<double>(posteriors.entries()) / 2 / static_cast<double>(found.size());
    std::vector<std::size_t> numbers = mixed(found.size());
    numbers.resize(recount.affordable(numbers.size(), kSecondsOfEntry * std::max(entries, 1.0), seconds));
    for (const std::size_t number : numbers) {
        const pairs::PairTile pair = pairs::pairNumber(number);
        const std::size_t a = pair.rows.begin, b = pair.columns.begin;
        const double expected = expectedAccuracy(posteriors.pair(a, b), posteriors.pair(b, a).rows());
        recount.compare(found[number], expected, kSumTolerance * std::max(expected, 1.0), [&] {
            return fmt::format("expected accuracy of {} and {}", sequences.names[a], sequences.names[b]);
        });
    }
    recount.add(numbers.size(), watch.seconds());
}

void recountConsistency(StageRecount& recount, const Sequences& sequences, const PosteriorSet& before,
                        const ConsistencyRound& round, const PosteriorSet& found, const std::string& variant,
                        double seconds) {
    if (!recount.isWanted()) return;
    Stopwatch watch;
    recount.enter("consistency", "pair", variant);
    const std::size_t n = sequences.size();
    const auto nameOfEntry = [&](std::size_t x, std::size_t y, std::size_t row, std::size_t column) {
        return fmt::format("posterior after consistency of letter {} of {} and letter {} of {}", row + 1,
                           sequences.names[x], column + 1, sequences.names[y]);
    };
    // Numbers that differ are refused at once, so that threads change nothing.
    parallelFor(omp_get_max_threads(), n, [&](std::size_t x, std::size_t) {
        for (std::size_t y = 0; y < n; ++y) {
            const PosteriorView here = found.pair(x, y), there = before.pair(x, y);
            recount.compare(static_cast<double>(here.size()), static_cast<double>(there.size()), 0, [&] {
                return fmt::format("number of posteriors after consistency of {} and {}", sequences.names[x],
                                   sequences.names[y]);
            });
            for (std::size_t row = 0; row < there.rows(); ++row) {
                const auto now = here.row(row), then = there.row(row);
                for (std::size_t k = 0; k < std::min(now.size(), then.size()); ++k) {
                    recount.compare(now[k].column + 1.0, then[k].column + 1.0, 0, [&] {
                        return fmt::format("letter of {} in entry {} of letter {} of {} after consistency",
                                           sequences.names[y], k + 1, row + 1, sequences.names[x]);
                    });
                    recount.requireWithin(static_cast<double>(now[k].value), 0, 1 + kPosteriorTolerance,
                                          [&] { return nameOfEntry(x, y, row, now[k].column); });
                }
            }
        }
    });
    std::size_t counted = 0;
    std::vector<std::size_t> thirds;
    for (const std::size_t number : mixed(n * (n - 1) / 2)) {
        const pairs::PairTile pair = pairs::pairNumber(number);
        const std::size_t x = pair.rows.begin, y = pair.columns.begin;
        round.thirds.find(x, y, thirds);
        const double each =
            kSecondsOfEntry * static_cast<double>(before.pair(x, y).size() * (thirds.size() + 1));
        if (recount.affordable(1, each, seconds) == 0) break;
        const SparsePosterior expected = reference::consistentPosterior(before, round, x, y);
        const SparsePosterior other = SparsePosterior(expected).transposed(before.pair(y, x).rows());
        const auto comparePair = [&](std::size_t first, std::size_t second, const SparsePosterior& right) {
            for (std::size_t row = 0; row < right.rows(); ++row) {
                const auto now = found.pair(first, second).row(row);
                const auto then = right.row(row);
                for (std::size_t k = 0; k < then.size(); ++k)
                    recount.compare(static_cast<double>(now[k].value), static_cast<double>(then[k].value),
                                    kPosteriorTolerance / 10,
                                    [&] { return nameOfEntry(first, second, row, then[k].column); });
            }
        };
        comparePair(x, y, expected);
        comparePair(y, x, other);
        ++counted;
    }
    recount.add(counted, watch.seconds());
}

}  // namespace glycine::align
