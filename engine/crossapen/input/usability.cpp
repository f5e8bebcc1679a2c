#include "engine/crossapen/input/usability.hpp"

#include <algorithm>
#include <cmath>

namespace glycine::crossapen {

namespace {

constexpr std::size_t kShortestStretch = 16;
constexpr double kStretchSeconds = 0.1;
constexpr std::size_t kStretchesPerEpoch = 32;
constexpr std::size_t kFewestInPile = 8;
constexpr std::size_t kPileFactor = 4;
/// A channel with fewer distinct values is a sequence of symbols or counts, which has no range to clip.
constexpr std::size_t kFewestValues = 16;
/// Relative to the larger value: how much equal samples differ in double precision after some arithmetic.
constexpr double kRounding = 0x1p-40;
/// Relative to the range: how much a periodic signal's values differ when they recur. Phase errors grow with
/// time.
constexpr double kReturn = 0x1p-30;

double shareOf(std::size_t count, std::size_t all) {
    return static_cast<double>(count) / static_cast<double>(all);
}

std::size_t overlap(const Range& a, const Range& b) {
    const std::size_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
    return begin < end ? end - begin : 0;
}

}  // namespace

void ChannelUsability::End::add(double sample, double direction, double tolerance) {
    if (count > 0 && std::abs(sample - value) <= tolerance) {
        ++count;
    } else if (count == 0 || direction * sample > direction * value) {
        next = value;
        nextCount = count;
        value = sample;
        count = 1;
    } else if (nextCount > 0 && std::abs(sample - next) <= tolerance) {
        ++nextCount;
    } else if (nextCount == 0 || direction * sample > direction * next) {
        next = sample;
        nextCount = 1;
    }
}

bool ChannelUsability::End::isPile() const {
    return count >= kFewestInPile && count >= kPileFactor * nextCount;
}

ChannelUsability::ChannelUsability(double samplingRate, std::size_t epochSamples)
    : shortestStretch_(std::max(kShortestStretch, samplingRate > 0 ? static_cast<std::size_t>(std::ceil(
                                                                         samplingRate * kStretchSeconds))
                                                                   : epochSamples / kStretchesPerEpoch)) {}

void ChannelUsability::add(std::span<const double> samples, std::span<const Place> places, bool isLast) {
    for (const double sample : samples) {
        if (!std::isfinite(sample)) continue;
        if (lowest_ > sample) lowest_ = sample;
        if (highest_ < sample) highest_ = sample;
    }
    for (const double sample : samples) {
        if (!std::isfinite(sample)) continue;
        upper_.add(sample, 1, tolerance());
        lower_.add(sample, -1, tolerance());
        if (values_.size() < kFewestValues &&
            std::find(values_.begin(), values_.end(), sample) == values_.end())
            values_.push_back(sample);
    }
    std::vector<EpochFacts> facts;
    for (const Place& place : places) facts.push_back(factsOf(place, samples));
    findStretches(samples, places, facts, isLast);
    epochs_.insert(epochs_.end(), facts.begin(), facts.end());
}

double ChannelUsability::tolerance() const {
    return (highest_ - lowest_) * kReturn;
}

ChannelUsability::EpochFacts ChannelUsability::factsOf(const Place& place,
                                                       std::span<const double> samples) const {
    EpochFacts facts;
    facts.epoch = place.epoch;
    facts.samples = place.samples.size();
    const std::span<const double> own = samples.subspan(place.samples.begin, place.samples.size());
    facts.isFinite = std::all_of(own.begin(), own.end(), [](double value) { return std::isfinite(value); });
    if (!facts.isFinite || own.empty()) return facts;
    const auto [lowest, highest] = std::minmax_element(own.begin(), own.end());
    facts.lowest = *lowest;
    facts.highest = *highest;
    const auto countOf = [&](double extreme) {
        return static_cast<std::size_t>(std::count_if(
            own.begin(), own.end(), [&](double value) { return std::abs(value - extreme) <= tolerance(); }));
    };
    facts.atLowest = countOf(facts.lowest);
    facts.atHighest = countOf(facts.highest);
    return facts;
}

void ChannelUsability::findStretches(std::span<const double> samples, std::span<const Place> places,
                                     std::span<EpochFacts> facts, bool isLast) const {
    std::size_t first = 0;  // first place that a run can still overlap
    for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
        end = begin + 1;
        while (end < samples.size() && samples[end] == samples[begin]) ++end;
        if (end - begin < shortestStretch_) continue;
        while (first < places.size() && places[first].samples.end <= begin) ++first;
        for (std::size_t k = first; k < places.size() && places[k].samples.begin < end; ++k) {
            const std::size_t common = overlap({begin, end}, places[k].samples);
            facts[k].flat += common;
            if (isLast && end == samples.size()) facts[k].padding = common;
        }
    }
}

std::optional<UnusableEpoch> ChannelUsability::judge(const EpochFacts& facts,
                                                     const UsabilityLimits& limits) const {
    if (!facts.isFinite || facts.samples == 0) return std::nullopt;
    if (facts.highest - facts.lowest <= kRounding * std::max(std::abs(facts.highest), std::abs(facts.lowest)))
        return UnusableEpoch{facts.epoch, "constant", 1};
    if (facts.padding > 0)
        return UnusableEpoch{facts.epoch, "padding at the end of the file",
                             shareOf(facts.padding, facts.samples)};
    if (const double flat = shareOf(facts.flat, facts.samples); flat > limits.flat)
        return UnusableEpoch{facts.epoch, "flat", flat};
    if (values_.size() < kFewestValues) return std::nullopt;
    std::size_t atEnds = 0;
    if (upper_.isPile() && std::abs(facts.highest - upper_.value) <= tolerance()) atEnds += facts.atHighest;
    if (lower_.isPile() && std::abs(facts.lowest - lower_.value) <= tolerance()) atEnds += facts.atLowest;
    if (const double clipped = shareOf(atEnds, facts.samples); clipped > limits.clipped)
        return UnusableEpoch{facts.epoch, "clipped", clipped};
    return std::nullopt;
}

std::vector<UnusableEpoch> ChannelUsability::judge(const UsabilityLimits& limits) const {
    std::vector<UnusableEpoch> unusable;
    for (const EpochFacts& facts : epochs_)
        if (std::optional<UnusableEpoch> found = judge(facts, limits)) unusable.push_back(std::move(*found));
    return unusable;
}

}  // namespace glycine::crossapen
