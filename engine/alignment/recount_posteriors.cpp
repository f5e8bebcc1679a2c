#include "engine/alignment/recount_posteriors.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/alignment/cpu/posterior_run.hpp"
#include "engine/alignment/posterior/compare_posteriors.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::align {

namespace {

constexpr std::uint64_t kSeed = 1;

/// One sequence with some that are not longer, as the cpu backend takes them at once.
struct Unit {
    std::size_t query = 0, begin = 0, end = 0;  ///< places by length
};

/// Seconds of a thread for a cell of both models, rather more than less.
double secondsPerCell(const Sequences& sequences) {
    const double ofProteins = detectInstructionSet() == InstructionSet::Generic ? 2.5e-8 : 6e-9;
    return isNucleotide(sequences.alphabet) ? 2 * ofProteins : ofProteins;
}

/// Not in order, so that as many of the first as there is time for leave no stretch out.
std::vector<Unit> mixedUnits(std::size_t sequences) {
    std::vector<Unit> units;
    for (std::size_t query = 1; query < sequences; ++query)
        for (std::size_t begin = 0; begin < query; begin += cpu::kPosteriorsAtOnce)
            units.push_back({query, begin, std::min(begin + cpu::kPosteriorsAtOnce, query)});
    std::ranges::sort(
        units, {}, [](const Unit& unit) { return derivedSeed(derivedSeed(kSeed, unit.query), unit.begin); });
    return units;
}

/// Which pairs are computed again.
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
    const std::vector<std::size_t> places = cpu::sequencesByLength(sequences);
    const double each = secondsPerCell(sequences) / std::max(omp_get_max_threads(), 1);
    const auto letters = [&](std::size_t place) {
        return static_cast<double>(sequences.codes[places[place]].size());
    };
    // Lanes are as long as the longest of them; a millionth of a second is what elements are told by.
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
        // Of the first one, a single pair where there is no more time.
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

/// What all posteriors are: neither less than those that are kept nor more than 1; and a row's, each the root
/// of a mean square of two models whose rows sum to at most 1, at most √2.
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
    for (std::size_t row = 0; row < expected.rows(); ++row) {
        const auto a = found.row(row), b = expected.row(row);
        auto i = a.begin();
        auto j = b.begin();
        while (i != a.end() || j != b.end()) {
            const bool isFound = i != a.end() && (j == b.end() || i->column <= j->column);
            const bool isExpected = j != b.end() && (i == a.end() || j->column <= i->column);
            const std::uint32_t column = isFound ? i->column : j->column;
            // What one side has left out is less than what is kept.
            const float here = isFound ? i->value : std::min(kSmallestPosterior, j->value);
            const float there = isExpected ? j->value : std::min(kSmallestPosterior, i->value);
            recount.compare(static_cast<double>(here), static_cast<double>(there), kPosteriorTolerance, [&] {
                return fmt::format("posterior of letter {} of {} and letter {} of {}", row + 1,
                                   sequences.names[x], column + 1, sequences.names[y]);
            });
            if (isFound) ++i;
            if (isExpected) ++j;
        }
    }
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

}  // namespace glycine::align
