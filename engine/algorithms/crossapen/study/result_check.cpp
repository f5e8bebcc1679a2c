#include "engine/algorithms/crossapen/study/result_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/algorithms/crossapen/study/result_agreement.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"

namespace glycine::crossapen {

namespace {

/// `wanted` distinct numbers below `count`, ascending; the first and the last one among them.
std::vector<std::size_t> draw(std::size_t wanted, std::size_t count, RandomSequence& random) {
    if (wanted >= count) {
        std::vector<std::size_t> all(count);
        std::iota(all.begin(), all.end(), std::size_t{0});
        return all;
    }
    std::vector<std::size_t> drawn{0};
    if (wanted > 1) drawn.push_back(count - 1);
    while (drawn.size() < wanted) {
        const std::size_t next = random.below(count);
        if (std::find(drawn.begin(), drawn.end(), next) == drawn.end()) drawn.push_back(next);
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

/// Some epochs rather than many channels of one: both kinds of differences would show.
constexpr std::size_t kWantedEpochs = 4;

std::string describe(const Comparison& comparison) {
    return comparison.isEqual ? "exact" : fmt::format("within {:.1g}", comparison.largestDifference);
}

}  // namespace

template <class Engine>
ResultCheck<Engine>::ResultCheck(const EpochBatch& batch, const RuleOf<Engine>& rule, std::uint64_t seed,
                                 double budget, Progress& progress)
    : batch_(batch), rule_(rule) {
    const double perPair = static_cast<double>(batch.samples()) * static_cast<double>(batch.samples());
    const double pairs = budget / perPair;
    isWhole_ = batch.comparisons() <= budget;
    std::size_t channels = batch.channels();
    std::size_t epochs = batch.count();
    if (!isWhole_) {
        const double perEpoch = pairs / static_cast<double>(std::min(epochs, kWantedEpochs));
        const auto side = static_cast<std::size_t>(std::sqrt(std::max(perEpoch, 0.0)));
        channels = std::min(channels, std::max<std::size_t>(side, 2));
        const auto affordable = static_cast<std::size_t>(pairs / static_cast<double>(channels * channels));
        epochs = std::clamp<std::size_t>(affordable, 1, epochs);
    }
    RandomSequence random(seed);
    for (const std::size_t epoch : draw(epochs, batch.count(), random)) {
        Sample& sample = samples_.emplace_back();
        sample.epoch = epoch;
        sample.channels = draw(channels, batch.channels(), random);
        sample.expected = askReference<Engine>(batch.select(epoch, sample.channels), rule, progress);
    }
}

template <class Engine>
Comparison ResultCheck<Engine>::compareSamples(const ResultMatrices<Engine>& results) const {
    ResultComparison<Engine> comparison(batch_, rule_);
    for (const Sample& sample : samples_)
        for (std::size_t i = 0; i < sample.channels.size(); ++i)
            for (std::size_t j = 0; j < sample.channels.size(); ++j) {
                const std::size_t a = sample.channels[i];
                const std::size_t b = sample.channels[j];
                comparison.add(sample.expected.front()(i, j), results[sample.epoch](a, b), sample.epoch, a,
                               b);
            }
    return comparison.comparison();
}

template <class Engine>
Comparison ResultCheck<Engine>::compareAll(const ResultMatrices<Engine>& results) const {
    ResultComparison<Engine> comparison(batch_, rule_);
    for (std::size_t e = 0; e < results.size(); ++e)
        for (std::size_t a = 0; a < results[e].rows(); ++a)
            for (std::size_t b = 0; b < results[e].columns(); ++b)
                comparison.add(kept_[e](a, b), results[e](a, b), e, a, b);
    return comparison.comparison();
}

template <class Engine>
bool ResultCheck<Engine>::check(const std::string& label, const ResultMatrices<Engine>& results) {
    const Comparison sampled = compareSamples(results);
    if (!sampled.agrees()) {
        verdict_ = sampled.place;
        return false;
    }
    const std::size_t all = results.size() * results.front().size();
    std::size_t pairs = 0;
    for (const Sample& sample : samples_) pairs += sample.channels.size() * sample.channels.size();
    verdict_ = isWhole_ ? fmt::format("all {} {}", formatCount(all, "pair"), describe(sampled))
                        : fmt::format("{} {}", formatCount(pairs, "pair"), describe(sampled));
    if (isWhole_) return true;
    if (kept_.empty()) {
        for (const auto& matrix : results) kept_.push_back(matrix.clone());
        keptLabel_ = label;
        return true;
    }
    const Comparison whole = compareAll(results);
    if (!whole.agrees()) {
        verdict_ = fmt::format("{}, as {} found", whole.place, keptLabel_);
        return false;
    }
    if (label != keptLabel_) verdict_ += fmt::format(", all {} as {}", formatCount(all), keptLabel_);
    return true;
}

template class ResultCheck<Matcher>;
template class ResultCheck<MembershipSummer>;

}  // namespace glycine::crossapen
