#include "engine/crossapen/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/core/stage_recount.hpp"
#include "engine/crossapen/prepared_signals.hpp"

namespace glycine::crossapen {

template <class Count>
PatternEntropy entropyOfCounts(std::span<const Count> counts, std::size_t templates,
                               std::string_view device) {
    PatternSum sum(templates);
    bool areCounts = true;
    for (const Count count : counts) {
        const auto number = static_cast<double>(count);
        areCounts = areCounts && number >= 0 && number <= static_cast<double>(templates);
        if (areCounts) sum.add(static_cast<std::size_t>(count));
    }
    if (!areCounts || !sum.isComplete())
        throw WrongResultError(
            fmt::format("{} counted other patterns than those of {} templates", device, templates));
    return sum.entropy();
}

template PatternEntropy entropyOfCounts(std::span<const float>, std::size_t, std::string_view);
template PatternEntropy entropyOfCounts(std::span<const std::uint32_t>, std::size_t, std::string_view);

template <class T>
std::vector<std::uint32_t> denseRanks(std::span<const T> samples) {
    const SortedSignal<T> sorted(samples);
    std::vector<std::uint32_t> ranks(samples.size());
    std::uint32_t rank = 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
        if (k > 0 && sorted.values[k] != sorted.values[k - 1]) ++rank;
        ranks[sorted.order[k]] = rank;
    }
    return ranks;
}

template std::vector<std::uint32_t> denseRanks(std::span<const float>);
template std::vector<std::uint32_t> denseRanks(std::span<const double>);

template <class T>
std::vector<std::uint32_t> dispersionClasses(std::span<const T> samples, const PatternRule& rule) {
    // The mean of a constant may be rounded.
    if (std::all_of(samples.begin(), samples.end(), [&](T x) { return x == samples.front(); })) return {};
    const auto n = static_cast<double>(samples.size());
    const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
    const double squares = std::accumulate(samples.begin(), samples.end(), 0.0, [&](double sum, T x) {
        const double off = static_cast<double>(x) - mean;
        return sum + off * off;
    });
    const double deviation = std::sqrt(squares / (rule.deviation == Deviation::Sample ? n - 1 : n));
    std::vector<std::uint32_t> classes(samples.size());
    std::transform(samples.begin(), samples.end(), classes.begin(), [&](T x) {
        const double share = std::erfc((mean - static_cast<double>(x)) / deviation / std::sqrt(2.0)) / 2;
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(static_cast<std::uint64_t>(share * rule.classes), rule.classes - 1));
    });
    return classes;
}

template std::vector<std::uint32_t> dispersionClasses(std::span<const float>, const PatternRule&);
template std::vector<std::uint32_t> dispersionClasses(std::span<const double>, const PatternRule&);

}  // namespace glycine::crossapen
