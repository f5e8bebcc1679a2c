#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/pair_entropies.hpp"

namespace glycine::crossapen::reference {

namespace {

/// Equation 3: d[x(i), y(j)], the largest absolute difference of components, which are `delay` samples apart.
template <class T>
T distance(const T* x, const T* y, std::size_t length, std::size_t delay) {
    T largest = 0;
    for (std::size_t k = 0; k < length; ++k)
        largest = std::max(largest, std::abs(x[k * delay] - y[k * delay]));
    return largest;
}

/// Step 2 for one pair: for each x(i) of u, the number of y(j) of v within r, at both lengths, and the
/// statistics of these numbers that the entropies need.
template <class T>
MatchStatistics matchPair(const T* u, const T* v, std::size_t samples, const MatchRule& rule, T r,
                          const LogTable& logs) {
    const std::size_t m = rule.m;
    const auto isMatch = [&](std::size_t i, std::size_t j, std::size_t length) {
        const T d = distance(u + i, v + j, length, rule.delay);
        return rule.isStrict ? d < r : d <= r;
    };
    const std::size_t shortCount = shortTemplates(samples, rule.m, rule.delay);
    const std::size_t longCount = longTemplates(samples, rule.m, rule.delay);
    MatchStatistics statistics;
    for (std::size_t i = 0; i < shortCount; ++i) {
        const bool isLong = i < longCount;  // the last templates have no sample m + 1
        std::size_t shortMatches = 0;
        std::size_t longMatches = 0;
        for (std::size_t j = 0; j < shortCount; ++j) {
            if (!isMatch(i, j, m)) continue;
            shortMatches += 1;
            if (!isLong || j >= longCount) continue;
            statistics.matchesWithin += 1;
            longMatches += isMatch(i, j, m + 1);
        }
        statistics.matchesShort += shortMatches;
        if (shortMatches > 0)
            statistics.logShort += logs[shortMatches];
        else
            statistics.noShort += 1;
        if (!isLong) continue;
        statistics.matchesLong += longMatches;
        if (longMatches > 0) {
            statistics.logLong += logs[longMatches];
        } else {
            statistics.noLong += 1;
            statistics.noLongOnly += shortMatches > 0;
        }
    }
    return statistics;
}

// The sequential programs that the paper times in its Fig. 4, single-threaded, for timing only. The
// specification is Variant::Serial. Source: Martínez-Zarzuela et al. 2013, sections 2.1 and 3.1.

float distance(const float* x, const float* y, std::size_t length) {
    float largest = 0;
    for (std::size_t k = 0; k < length; ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
    return largest;
}

/// Number of the first `count` templates of `v` that match x.
std::uint32_t countRow(const float* x, const float* v, std::size_t count, std::size_t length, float r) {
    std::uint32_t matches = 0;
    for (std::size_t j = 0; j < count; ++j) matches += distance(x, v + j, length) <= r;
    return matches;
}

/// Numbers of matches of each x(i).
struct LoopCounts {
    LoopCounts(std::size_t samples, unsigned m)
        : shortMatches(shortTemplates(samples, m)), longMatches(longTemplates(samples, m)) {}

    /// `lastColumn`: short matches of y(N − m + 1), except with x(N − m + 1).
    MatchStatistics statistics(std::uint32_t lastColumn, const LogTable& logs) const {
        return summarise({shortMatches, longMatches, shortMatches.back() + lastColumn}, logs);
    }
    std::vector<std::uint32_t> shortMatches;
    std::vector<std::uint32_t> longMatches;
};

/// C(1): the steps of the definition, one sweep over all pairs of templates for each of the two lengths.
/// `u`, `v`: N samples each, N ≥ m + 2; a match is a distance ≤ r.
MatchStatistics matchInTwoSweeps(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                                 const LogTable& logs) {
    LoopCounts counts(u.size(), m);
    const auto sweep = [&](std::vector<std::uint32_t>& matches, std::size_t length) {
        for (std::size_t i = 0; i < matches.size(); ++i)
            matches[i] = countRow(&u[i], v.data(), matches.size(), length, r);
    };
    sweep(counts.shortMatches, m);
    sweep(counts.longMatches, m + 1);
    const std::size_t last = counts.longMatches.size();
    return counts.statistics(countRow(&v[last], u.data(), last, m, r), logs);
}

/// C(2): both lengths in one sweep. A long match is a short match whose next samples also match.
MatchStatistics matchInOneSweep(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                                const LogTable& logs) {
    LoopCounts counts(u.size(), m);
    const std::size_t last = counts.longMatches.size();  // index of the last short template
    std::uint32_t lastColumn = 0;
    for (std::size_t i = 0; i < last; ++i) {
        std::uint32_t shortCount = 0;
        std::uint32_t longCount = 0;
        for (std::size_t j = 0; j < last; ++j) {
            // No branches: matches are hard to predict, and C(1) has none either.
            const bool isShort = distance(&u[i], &v[j], m) <= r;
            const bool isNext = std::abs(u[i + m] - v[j + m]) <= r;
            shortCount += isShort;
            longCount += isShort & isNext;
        }
        const std::uint32_t beside = countRow(&u[i], &v[last], 1, m, r);
        lastColumn += beside;
        counts.shortMatches[i] = shortCount + beside;
        counts.longMatches[i] = longCount;
    }
    counts.shortMatches[last] = countRow(&u[last], v.data(), last + 1, m, r);
    return counts.statistics(lastColumn, logs);
}

template <class T>
MatchStatistics matchAs(Variant variant, const T* u, const T* v, std::size_t samples, const MatchRule& rule,
                        T r, const LogTable& logs) {
    if constexpr (std::is_same_v<T, float>) {
        if (variant == Variant::PaperTwoSweeps)
            return matchInTwoSweeps({u, samples}, {v, samples}, rule.m, r, logs);
        if (variant == Variant::PaperOneSweep)
            return matchInOneSweep({u, samples}, {v, samples}, rule.m, r, logs);
    }
    return matchPair(u, v, samples, rule, r, logs);
}

bool isPaperLoop(Variant variant) {
    return variant == Variant::PaperTwoSweeps || variant == Variant::PaperOneSweep;
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "reference", {"float32", "float64"},
        {{Variant::Serial,
          "the paper's steps: every template of one channel against every one of the other",
          "Martínez-Zarzuela et al. 2013, section 2.1",
          {},
          true}});
    return table;
}

class ReferenceMatchEngine : public MatchEngine {
  public:
    Support supports(const MatchRequest& request) const override {
        if (isPaperLoop(request.variant) && request.format == NumberFormat::Float32 &&
            !request.rule.isStrict && request.rule.delay == 1)
            return supportsShape(request);
        if (Support known = variants().supports(request.variant); !known) return known;
        return supportsShape(request);
    }

    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override {
        const Stopwatch watch;
        for (std::size_t e = 0; e < epochs.size(); ++e)
            std::visit([&](const auto& epoch) { matchEpoch(epoch, rule, variant, statistics[e], progress); },
                       epochs[e]);
        MatchOutcome outcome;
        outcome.variant = isPaperLoop(variant) ? variant : Variant::Serial;
        outcome.times.compute = watch.seconds();
        return outcome;
    }

  private:
    template <class T>
    static void matchEpoch(const Epoch<T>& epoch, const MatchRule& rule, Variant variant,
                           MatrixView<MatchStatistics> statistics, Progress& progress) {
        const std::size_t samples = epoch.samples();
        const LogTable logs(samples);
        for (std::size_t a = 0; a < epoch.channels(); ++a)
            for (std::size_t b = 0; b < epoch.channels(); ++b) {
                statistics(a, b) = matchAs(variant, epoch.signals.row(a), epoch.signals.row(b), samples, rule,
                                           epoch.toleranceOf(a, b), logs);
                progress.advance(static_cast<double>(samples) * static_cast<double>(samples));
            }
    }
};

}  // namespace

Implementation<MatchEngine> matchEngine() {
    return implementWith<MatchEngine, ReferenceMatchEngine, Backend>(variants());
}

}  // namespace glycine::crossapen::reference
