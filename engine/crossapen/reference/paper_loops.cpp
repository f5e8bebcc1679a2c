#include "engine/crossapen/reference/paper_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace glycine::crossapen::reference {

namespace {

float distance(const float* x, const float* y, std::size_t length) {
    float largest = 0;
    for (std::size_t k = 0; k < length; ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
    return largest;
}

/// Templates of `v` that match x, `count` of them.
std::uint32_t countRow(const float* x, const float* v, std::size_t count, std::size_t length, float r) {
    std::uint32_t matches = 0;
    for (std::size_t j = 0; j < count; ++j) matches += distance(x, v + j, length) <= r;
    return matches;
}

/// Numbers of matches of each x(i).
struct LoopCounts {
    LoopCounts(std::size_t samples, unsigned m)
        : shortMatches(shortTemplates(samples, m)), longMatches(longTemplates(samples, m)) {}

    /// `lastColumn`: short matches of y(N − m + 1), those of x(N − m + 1) left out.
    MatchStatistics statistics(std::uint32_t lastColumn, const LogTable& logs) const {
        return summarise({shortMatches, longMatches, shortMatches.back() + lastColumn}, logs);
    }
    std::vector<std::uint32_t> shortMatches;
    std::vector<std::uint32_t> longMatches;
};

}  // namespace

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

MatchStatistics matchInOneSweep(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                                const LogTable& logs) {
    LoopCounts counts(u.size(), m);
    const std::size_t last = counts.longMatches.size();  // of the short templates
    std::uint32_t lastColumn = 0;
    for (std::size_t i = 0; i < last; ++i) {
        std::uint32_t shortCount = 0;
        std::uint32_t longCount = 0;
        for (std::size_t j = 0; j < last; ++j) {
            // No branches: what matches is hard to predict, and C(1) has none.
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

}  // namespace glycine::crossapen::reference
