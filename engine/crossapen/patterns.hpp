#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/compensated_sum.hpp"
#include "engine/crossapen/entropy_engine.hpp"

/// The parts of entropies of patterns that all backends except the reference share: what a channel is
/// replaced by before its patterns are counted, and the entropy of the counts.
namespace glycine::crossapen {

/// Adds up the entropy of the counts of a channel's or pair's patterns. Backends that add counts in the same
/// order, that of the patterns, agree to the bit.
class PatternSum {
  public:
    /// `templates`: how many there are, ≥ 1.
    explicit PatternSum(std::size_t templates) : templates_(templates) {}
    /// Takes the templates of one more pattern. 0 changes nothing.
    void add(std::size_t count) {
        if (count == 0) return;
        const double share = static_cast<double>(count) / static_cast<double>(templates_);
        sum_.add(share * std::log(share));
        added_ += count;
    }
    /// Whether every template was counted once. False proves that a device is wrong.
    bool isComplete() const { return added_ == templates_; }
    PatternEntropy entropy() const { return {std::abs(sum_.value())}; }  // no −0

  private:
    std::size_t templates_;
    std::size_t added_ = 0;
    CompensatedSum sum_;
};

/// The entropy of the counts that a device found, in the order of their patterns; zeros may be anywhere.
/// Throws WrongResultError unless they are counts of `templates` templates. Count: float or std::uint32_t.
template <class Count>
PatternEntropy entropyOfCounts(std::span<const Count> counts, std::size_t templates, std::string_view device);

/// PatternEngine::count on a device, for items of any number. `makeRun(channels, samples)` makes the device
/// current and returns its run, which has countChannels(), countPairs() and times(); it is not called where
/// there is nothing to count.
template <class MakeRun>
MatchOutcome countOnDevice(std::span<const AnyEpoch> items, const PatternRule& rule,
                           std::span<const MatrixView<PatternEntropy>> results, const MakeRun& makeRun) {
    MatchOutcome outcome;
    outcome.variant = Variant::Patterns;
    if (items.empty() || results.front().rows() == 0) return outcome;
    const std::size_t samples = std::visit([](const auto& epoch) { return epoch.samples(); }, items.front());
    auto run = makeRun(results.front().rows(), samples);
    rule.measure == Measure::CrossPermEn ? run.countPairs() : run.countChannels();
    outcome.times = run.times();
    return outcome;
}

/// The entropy of channels that have no patterns.
inline constexpr PatternEntropy kUndefinedPatterns{std::numeric_limits<double>::quiet_NaN()};

/// Numbers of Cross-PermEn's patterns: 0 … (m − 1)(m − 2) / 2.
constexpr std::size_t crossingPatterns(unsigned m) {
    return std::size_t{m - 1} * (m - 2) / 2 + 1;
}

/// Replaces each sample by the number of different smaller ones. Two ranks compare as the samples do. T:
/// float or double.
template <class T>
std::vector<std::uint32_t> denseRanks(std::span<const T> samples);

/// DispEn's class of each sample, 0 … rule.classes − 1. Empty for a constant channel, whose deviation is 0.
/// T: float or double.
template <class T>
std::vector<std::uint32_t> dispersionClasses(std::span<const T> samples, const PatternRule& rule);

}  // namespace glycine::crossapen
