#include "engine/alignment/posterior/recount_stages.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/alignment/cpu/posterior_run.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::align {

// ---- comparisons

namespace {

/// For each column, the residue of each sequence, −1 for a gap.
std::vector<std::vector<std::int64_t>> residuesOf(const PosteriorAlignment& alignment) {
    std::vector<std::vector<std::int64_t>> residues(alignment.width,
                                                    std::vector<std::int64_t>(alignment.columns.size(), -1));
    for (std::size_t k = 0; k < alignment.columns.size(); ++k)
        for (std::size_t i = 0; i < alignment.columns[k].size(); ++i)
            residues[alignment.columns[k][i]][k] = static_cast<std::int64_t>(i);
    return residues;
}

/// Calls take(column, entry of one, entry of the other) for the columns of two rows, ascending; an entry is
/// null if the row lacks the column.
template <class Take>
void forBothRows(std::span<const PosteriorEntry> one, std::span<const PosteriorEntry> other,
                 const Take& take) {
    auto i = one.begin();
    auto j = other.begin();
    while (i != one.end() || j != other.end()) {
        const bool isOfOne = i != one.end() && (j == other.end() || i->column <= j->column);
        const bool isOfOther = j != other.end() && (i == one.end() || j->column <= i->column);
        take(isOfOne ? i->column : j->column, isOfOne ? &*i : nullptr, isOfOther ? &*j : nullptr);
        if (isOfOne) ++i;
        if (isOfOther) ++j;
    }
}

}  // namespace

void comparePair(const PosteriorView& expected, const PosteriorView& found, const std::string& name,
                 Comparison& comparison) {
    if (expected.rows() != found.rows()) {
        comparison.fail(fmt::format("{}: {} rows instead of {}", name, found.rows(), expected.rows()));
        return;
    }
    for (std::size_t row = 0; row < expected.rows(); ++row) {
        const auto least = static_cast<double>(kSmallestPosterior);
        forBothRows(expected.row(row), found.row(row),
                    [&](std::uint32_t column, const PosteriorEntry* one, const PosteriorEntry* other) {
                        comparison.compareElement(
                            one != nullptr ? static_cast<double>(one->value) : least,
                            other != nullptr ? static_cast<double>(other->value) : least,
                            [&] { return fmt::format("{}, ({}, {})", name, row, column); });
                    });
    }
}

double accuracyOf(const std::vector<std::vector<std::uint32_t>>& columns, const PosteriorSet& posteriors) {
    double sum = 0;
    for (std::size_t x = 1; x < columns.size(); ++x)
        for (std::size_t y = 0; y < x; ++y) {
            const PosteriorView pair = posteriors.pair(x, y);
            for (std::size_t row = 0; row < pair.rows(); ++row)
                for (const PosteriorEntry& entry : pair.row(row))
                    if (columns[x][row] == columns[y][entry.column]) sum += static_cast<double>(entry.value);
        }
    return sum;
}

double sharedColumns(const PosteriorAlignment& one, const PosteriorAlignment& other) {
    const auto a = residuesOf(one);
    auto b = residuesOf(other);
    std::ranges::sort(b);
    const auto shared = std::ranges::count_if(
        a, [&](const std::vector<std::int64_t>& column) { return std::ranges::binary_search(b, column); });
    return a.empty() ? 1 : static_cast<double>(shared) / static_cast<double>(a.size());
}

void compareAccuracies(double best, double reached, const PosteriorAlignment& expected,
                       const PosteriorAlignment& found, Comparison& comparison) {
    const double difference = best > 0 ? std::abs(best - reached) / best : 0;
    if (difference > kAccuracyTolerance)
        comparison.fail(
            fmt::format("the alignment has an expected accuracy of {} instead of {}", reached, best));
    comparison.also = fmt::format("{} of the columns the same, expected accuracy {} apart",
                                  formatShare(sharedColumns(expected, found), 1), formatShare(difference, 1));
}

// ---- posteriors

namespace {

constexpr std::uint64_t kSeed = 1;

/// One sequence with some that are not longer, as batched by the cpu backend.
struct Unit {
    std::size_t query = 0, begin = 0, end = 0;  ///< indices by length
};

/// A cautious estimate of one thread's seconds for a cell of both models.
double secondsPerCell(const Sequences& sequences) {
    const double ofProteins = detectInstructionSet() == InstructionSet::Generic ? 2.5e-8 : 6e-9;
    return isNucleotide(sequences.alphabet) ? 2 * ofProteins : ofProteins;
}

/// Units in random order, so that any number of the first ones samples all lengths.
std::vector<Unit> mixedUnits(std::size_t sequences) {
    std::vector<Unit> units;
    for (std::size_t query = 1; query < sequences; ++query)
        for (std::size_t begin = 0; begin < query; begin += cpu::kPosteriorsAtOnce)
            units.push_back({query, begin, std::min(begin + cpu::kPosteriorsAtOnce, query)});
    std::ranges::sort(
        units, {}, [](const Unit& unit) { return derivedSeed(derivedSeed(kSeed, unit.query), unit.begin); });
    return units;
}

/// The set of pairs that are computed again.
class ChosenPairs {
  public:
    explicit ChosenPairs(std::size_t sequences) : sequences_(sequences), bits_(sequences * sequences) {}
    void add(std::size_t first, std::size_t second) {
        bits_[first * sequences_ + second] = bits_[second * sequences_ + first] = true;
        ++count_;
    }
    bool has(std::size_t first, std::size_t second) const { return bits_[first * sequences_ + second]; }
    std::size_t count() const { return count_; }

  private:
    std::size_t sequences_;
    std::vector<bool> bits_;
    std::size_t count_ = 0;
};

ChosenPairs choose(StageRecount& recount, const Sequences& sequences, double seconds) {
    const std::vector<std::size_t> places = pairwise::placesByLength(sequences, {0, sequences.size()});
    const double each = secondsPerCell(sequences) / std::max(omp_get_max_threads(), 1);
    const auto letters = [&](std::size_t place) {
        return static_cast<double>(sequences.codes[places[place]].size());
    };
    // Lanes are as long as their longest sequence. Time is counted in elements of a microsecond.
    constexpr double kUnit = 1e-6;
    const auto units = mixedUnits(sequences.size());
    double all = 0;
    const auto secondsOf = [&](const Unit& unit) {
        return each * letters(unit.query) * letters(unit.end - 1) *
               static_cast<double>(unit.end - unit.begin);
    };
    for (const Unit& unit : units) all += secondsOf(unit);
    double left = kUnit * static_cast<double>(recount.affordable(
                              static_cast<std::size_t>(std::ceil(all / kUnit)), kUnit, seconds));
    ChosenPairs chosen(sequences.size());
    for (const Unit& unit : units) {
        const double taken = secondsOf(unit);
        // If there is no time for the first unit, a single pair of it is still computed.
        const bool isFirst = chosen.count() == 0;
        if (taken > left && !isFirst) continue;
        const std::size_t end = taken <= left ? unit.end : unit.begin + 1;
        if (taken > left &&
            recount.affordable(1, each * letters(unit.query) * letters(unit.begin), seconds) == 0)
            continue;
        for (std::size_t place = unit.begin; place < end; ++place)
            chosen.add(places[unit.query], places[place]);
        left -= taken;
    }
    return chosen;
}

/// Checks ranges that hold for all posteriors. A value is at least the kept minimum and at most 1. A row sums
/// to at most √2: each value is the root mean square of two models whose rows sum to at most 1.
void requireSums(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors) {
    const auto least = static_cast<double>(kSmallestPosterior) - kPosteriorTolerance;
    parallelFor(omp_get_max_threads(), sequences.size(), [&](std::size_t x, std::size_t) {
        for (std::size_t y = 0; y < sequences.size(); ++y) {
            const PosteriorView pair = posteriors.pair(x, y);
            for (std::size_t row = 0; row < pair.rows(); ++row) {
                double sum = 0;
                for (const PosteriorEntry& entry : pair.row(row)) {
                    recount.requireWithin(
                        static_cast<double>(entry.value), least, 1 + kPosteriorTolerance, [&] {
                            return fmt::format("posterior of letter {} of {} and letter {} of {}", row + 1,
                                               sequences.names[x], entry.column + 1, sequences.names[y]);
                        });
                    sum += static_cast<double>(entry.value);
                }
                recount.requireWithin(sum, 0, std::sqrt(2.0) * (1 + kPosteriorTolerance), [&] {
                    return fmt::format("sum of the posteriors of letter {} of {} with {}", row + 1,
                                       sequences.names[x], sequences.names[y]);
                });
            }
        }
    });
}

void comparePair(StageRecount& recount, const Sequences& sequences, std::size_t x, std::size_t y,
                 const PosteriorView& found, const PosteriorView& expected) {
    for (std::size_t row = 0; row < expected.rows(); ++row)
        forBothRows(found.row(row), expected.row(row),
                    [&](std::uint32_t column, const PosteriorEntry* here, const PosteriorEntry* there) {
                        // An entry that one side lacks is below the kept minimum there.
                        const float ofHere =
                            here != nullptr ? here->value : std::min(kSmallestPosterior, there->value);
                        const float ofThere =
                            there != nullptr ? there->value : std::min(kSmallestPosterior, here->value);
                        recount.compare(static_cast<double>(ofHere), static_cast<double>(ofThere),
                                        kPosteriorTolerance, [&] {
                                            return fmt::format(
                                                "posterior of letter {} of {} and letter {} of {}", row + 1,
                                                sequences.names[x], column + 1, sequences.names[y]);
                                        });
                    });
}

}  // namespace

void recountPosteriors(StageRecount& recount, const Sequences& sequences, const PosteriorSet& posteriors,
                       const std::string& variant, double seconds, Progress& progress) {
    if (!recount.isWanted()) return;
    recount.enter("posteriors", "pair", variant);
    Stopwatch watch;
    requireSums(recount, sequences, posteriors);
    const ChosenPairs chosen = choose(recount, sequences, seconds);
    if (chosen.count() == 0) return;
    PosteriorSet again(sequences.size());
    double cells = 0;
    const auto forChosen = [&](auto&& take) {
        for (std::size_t x = 1; x < sequences.size(); ++x)
            for (std::size_t y = 0; y < x; ++y)
                if (chosen.has(x, y)) take(x, y);
    };
    forChosen([&](std::size_t x, std::size_t y) {
        cells +=
            static_cast<double>(sequences.codes[x].size()) * static_cast<double>(sequences.codes[y].size());
    });
    progress.begin("re-counting", cells);
    cpu::completePosteriors(sequences, detectInstructionSet(), omp_get_max_threads(), again, progress,
                            [&](std::size_t x, std::size_t y) { return chosen.has(x, y); });
    forChosen([&](std::size_t x, std::size_t y) {
        comparePair(recount, sequences, x, y, posteriors.pair(x, y), again.pair(x, y));
        comparePair(recount, sequences, y, x, posteriors.pair(y, x), again.pair(y, x));
    });
    recount.add(chosen.count(), watch.seconds());
}

namespace {

/// Cautious estimates of one thread's seconds for a posterior that is added, a pair of columns that gains
/// something, an entry that a chain passes, and a residue that is looked up among the columns of the others.
constexpr double kSecondsOfSum = 2e-8, kSecondsOfColumn = 1e-6, kSecondsOfEntry = 5e-8,
                 kSecondsOfLookup = 5e-8;
/// The relative tolerance of chain sums: rounding of float32 sums.
constexpr double kSumTolerance = 1e-5;

/// 0 … `count` − 1 in random order, so that any number of the first ones samples the whole range.
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

/// The sum of the gains along a chain.
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

double RecountedJoins::sumAt(std::size_t x, std::size_t place, const PlacedResidues& residues) const {
    double sum = 0;
    for (std::size_t y = 0; y < residues.size(); ++y) {
        if (y == x) continue;
        for (const PosteriorEntry& entry : posteriors_.pair(x, y).row(place))
            if (residues[y][entry.column] == residues[x][place])
                sum += weights_[y] * static_cast<double>(entry.value);
    }
    return sum;
}

ResidueValues RecountedJoins::sumsWithin(const PlacedResidues& residues, Progress& progress) {
    Stopwatch watch;
    ResidueValues sums = joins_->sumsWithin(residues, progress);
    if (!areSumsOfDevice_) return sums;
    seconds_ += watch.restart();
    recount_.enter(stage_, "residue", variant_);
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t x = 0; x < residues.size(); ++x)
        for (std::size_t place = 0; place < residues[x].size(); ++place) all.emplace_back(x, place);
    std::vector<std::size_t> numbers = mixed(all.size());
    numbers.resize(recount_.affordable(numbers.size(),
                                       kSecondsOfLookup * static_cast<double>(residues.size()), seconds_));
    for (const std::size_t number : numbers) {
        const auto [x, place] = all[number];
        const double expected = sumAt(x, place, residues);
        recount_.compare(sums[x][place], expected, kSumTolerance * std::max(expected, 1.0),
                         [&, sequence = x, letter = place + 1] {
                             return fmt::format("sum of posteriors of letter {} of {} within its column",
                                                letter, sequences_.names[sequence]);
                         });
    }
    recount_.add(numbers.size(), watch.seconds());
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
    // A difference throws at once, so the result does not depend on threads.
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
