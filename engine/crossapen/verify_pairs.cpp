#include "engine/crossapen/verify_pairs.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/crossapen/pair_workspace.hpp"
#include "engine/crossapen/scales.hpp"

namespace glycine::crossapen {

namespace {

/// Comparisons of samples that the reference may make, a few seconds' worth. Every membership takes two
/// exponentials.
constexpr double kMatchBudget = 6e8;
constexpr double kMembershipBudget = 2e7;
/// Prefers several epochs to many channels of one, so that differences in either show.
constexpr std::size_t kWantedEpochs = 4;

/// The agreement that PatternEngine promises.
constexpr double kPatternTolerance = 1e-12;

bool isFuzzy(const EntropyOptions& options) {
    return options.measure == Measure::CrossFuzzyEn;
}

/// Results for all ordered pairs of the first `channels` channels of an item.
Matrix<PairNumbers> numbersOf(const PairWorkspace& results, std::size_t item, std::size_t channels) {
    Matrix<PairNumbers> numbers(channels, channels);
    for (std::size_t a = 0; a < channels; ++a)
        for (std::size_t b = 0; b < channels; ++b) numbers(a, b) = results.numbers({item, a, b});
    return numbers;
}

/// Adds the difference of one pair to `comparison`. `samples`: N.
void comparePair(Comparison& comparison, const PairNumbers& expected, const PairNumbers& found,
                 const PairPlace& place, const EntropyOptions& options, std::size_t samples) {
    if (found == expected) return;
    comparison.isEqual = false;
    Comparison one = equalSoFar(comparison.allowedDifference);
    const auto compare = [&](const char* name, double expectedNumber, double foundNumber) {
        one.compareElement(expectedNumber, foundNumber, [&] {
            return fmt::format("{} of ({}, {}) in epoch {}", name, place.a, place.b, place.item);
        });
    };
    if (isFuzzy(options)) {
        const auto sums = std::bit_cast<std::array<double, 8>>(found);
        const auto expectedSums = std::bit_cast<std::array<double, 8>>(expected);
        for (std::size_t k = 0; k < kMembershipNames.size(); ++k)
            compare(kMembershipNames[k], expectedSums[k], sums[k]);
        // Tiny sums may differ by more than the relative tolerance of the others.
        if (!one.agrees() && agreeOnMemberships({sums[0], sums[1]}, {expectedSums[0], expectedSums[1]},
                                                fuzzyRule(options), options.format, samples))
            return;
    } else if (isOfPatterns(options.measure)) {
        compare("entropy", std::bit_cast<double>(expected[0]), std::bit_cast<double>(found[0]));
    } else {
        for (std::size_t k = 0; k < kMatchNames.size(); ++k)
            compare(kMatchNames[k], static_cast<double>(expected[k]), static_cast<double>(found[k]));
        // Different 64-bit numbers may round to the same double.
        if (one.isEqual) compare("a last bit", 0, kLogUnit);
    }
    if (one.largestDifference <= comparison.largestDifference) return;
    comparison.largestDifference = one.largestDifference;
    comparison.place = one.place;
}

/// Tolerance of ln Φ^m − ln Φ^{m+1} if the sums of memberships agree as agreeOnMemberships defines.
double allowedOfMemberships(const PairNumbers& numbers, const EntropyOptions& options, std::size_t samples) {
    const double relative = membershipTolerance(fuzzyRule(options), options.format);
    const double missing = missingMemberships(options.format, samples);
    double allowed = 0;
    for (std::size_t k = 0; k < kMembershipNames.size(); ++k) {
        const auto sum = std::bit_cast<double>(numbers[k]);
        const double off = relative * sum + missing;
        if (off >= sum) return std::numeric_limits<double>::infinity();
        allowed -= std::log1p(-off / sum);
    }
    return allowed;
}

/// `epoch`: holds the chosen channels only.
std::vector<RecountedEntropies> countScales(Backend& reference, Signals epoch,
                                            std::span<const std::size_t> channels,
                                            const EntropyOptions& options, Progress& progress) {
    std::vector<std::size_t> all(channels.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<RecountedEntropies> sums;
    for (unsigned scale = 1; scale <= options.scales; ++scale) {
        const ScaledEpochs scaled = atScale({&epoch, 1}, options, scale);
        std::vector<RecountedEntropies> found =
            recountByReference(reference, scaled.epochs.front().view(), all, scaled.options, progress);
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (scale == 1) {
                sums.push_back(found[k]);
                sums[k].row = channels[found[k].row];
                sums[k].column = isOfSingleChannels(options.measure) ? 0 : channels[found[k].column];
                sums[k].values = {0};
            } else {
                sums[k].allowed += found[k].allowed;
            }
            sums[k].values.front() += found[k].values.front();
            sums[k].values.push_back(found[k].values.front());
        }
    }
    return sums;
}

}  // namespace

PairVerifier::PairVerifier(std::vector<Matrix<double>> epochs, std::uint64_t seed, std::size_t share)
    : epochs_(std::move(epochs)), seed_(seed), share_(share) {
    for (const Matrix<double>& epoch : epochs_) views_.push_back(epoch.view());
}

const EpochBatch& PairVerifier::batch(const EntropyOptions& options) {
    const std::pair key{options.format, options.measure};
    if (!batches_.contains(key)) batches_.try_emplace(key, views_, options, omp_get_max_threads());
    return batches_.at(key);
}

void PairVerifier::prepareReference(const EntropyOptions& options, bool isWhole, Progress& progress) {
    const Key key{options.format, options.measure, isWhole};
    if (referenceResults_.contains(key)) return;
    const Stopwatch watch;
    referenceResults_.emplace(key, runReference(options, isWhole, progress));
    referenceSeconds_ += watch.seconds();
}

PairVerifier::ReferenceResults PairVerifier::runReference(EntropyOptions options, bool isWhole,
                                                          Progress& progress) {
    const std::size_t samples = views_.front().columns();
    std::size_t epochs = views_.size();
    std::size_t channels = views_.front().rows();
    const double budget = (isFuzzy(options) ? kMembershipBudget : kMatchBudget) / static_cast<double>(share_);
    const double pairs = budget / (static_cast<double>(samples) * static_cast<double>(samples));
    ReferenceResults answers{.isWhole =
                                 isWhole || static_cast<double>(epochs * channels * channels) <= pairs};
    if (!answers.isWhole) {
        const double perEpoch = pairs / static_cast<double>(std::min(epochs, kWantedEpochs));
        const auto side = static_cast<std::size_t>(std::sqrt(perEpoch));
        channels = std::min(channels, std::max<std::size_t>(side, 2));
        const auto affordable = static_cast<std::size_t>(pairs / static_cast<double>(channels * channels));
        epochs = std::clamp<std::size_t>(affordable, 1, epochs);
    }
    const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
    const std::unique_ptr<PairWorkspace> reference = makeWorkspace(makeEngine(*backend, options.measure));
    options.variant = Variant::Default;
    for (const std::size_t epoch : drawSamples(views_.size(), epochs, seed_)) {
        Sample& sample = answers.samples.emplace_back();
        sample.epoch = epoch;
        sample.channels = drawSamples(views_[epoch].rows(), channels, derivedSeed(seed_, epoch));
        const Matrix<double> chosen = chosenChannels(views_[epoch], sample.channels);
        const Signals view = chosen.view();
        const EpochBatch batch({&view, 1}, options, omp_get_max_threads());
        progress.begin("reference", batch.comparisons());
        reference->compute(batch.views(), options, progress);
        sample.expected = numbersOf(*reference, 0, channels);
    }
    return answers;
}

Comparison PairVerifier::compare(const EntropyOptions& options, bool isWhole, const std::string& label,
                                 const PairWorkspace& results, Progress& progress) {
    prepareReference(options, isWhole, progress);
    ReferenceResults& answers = referenceResults_.at({options.format, options.measure, isWhole});
    Comparison comparison =
        equalSoFar(isFuzzy(options)                ? membershipTolerance(fuzzyRule(options), options.format)
                   : isOfPatterns(options.measure) ? kPatternTolerance
                                                   : 0);
    const auto compareAll = [&](const std::vector<Sample>& samples) {
        std::size_t pairs = 0;
        for (const Sample& sample : samples)
            for (std::size_t i = 0; i < sample.channels.size(); ++i)
                for (std::size_t j = 0; j < sample.channels.size(); ++j, ++pairs) {
                    const PairPlace place{sample.epoch, sample.channels[i], sample.channels[j]};
                    comparePair(comparison, sample.expected(i, j), results.numbers(place), place, options,
                                views_.front().columns());
                }
        return pairs;
    };
    const std::size_t pairs = compareAll(answers.samples);
    for (std::size_t e = 0; e < views_.size(); ++e)
        if (!results.isIntact(e))
            comparison.fail(
                fmt::format("elements outside the results of epoch {}, which were overwritten", e));
    if (!comparison.agrees()) return comparison;
    comparison.verdict = fmt::format(
        "{}{} {}", answers.isWhole ? "all " : "", formatCount(pairs, "pair"),
        comparison.isEqual ? "exact" : fmt::format("within {:.1g}", comparison.largestDifference));
    if (answers.isWhole) return comparison;
    if (answers.kept.empty()) {
        std::vector<std::size_t> channels(views_.front().rows());
        std::iota(channels.begin(), channels.end(), std::size_t{0});
        for (std::size_t e = 0; e < views_.size(); ++e)
            answers.kept.push_back({e, channels, numbersOf(results, e, channels.size())});
        answers.keptLabel = label;
        return comparison;
    }
    const std::size_t all = compareAll(answers.kept);
    if (!comparison.agrees()) {
        comparison.place += fmt::format(", as {} found", answers.keptLabel);
        comparison.verdict.clear();
    } else if (label != answers.keptLabel) {
        comparison.verdict += fmt::format(", all {} as {}", formatCount(all), answers.keptLabel);
    }
    return comparison;
}

void PairChecksums::add(const PairWorkspace& results, std::size_t epochs, std::size_t channels) {
    std::uint64_t sum = 0;
    for (std::size_t e = 0; e < epochs; ++e)
        for (std::size_t a = 0; a < channels; ++a)
            for (std::size_t b = 0; b < channels; ++b)
                for (const std::uint64_t number : results.numbers({e, a, b}))
                    sum = mixBits(sum ^ (number + kGoldenIncrement));
    sums.push_back(sum);
}

void PairChecksums::compare(Comparison& comparison, PairChecksums& first) const {
    if (first.label.empty()) first = *this;
    if (sums != first.sums) {
        comparison.fail(fmt::format("checksums, which are not those of {}", first.label));
        comparison.verdict.clear();
    } else if (label != first.label) {
        comparison.verdict += fmt::format(", checksums as {}", first.label);
    }
}

std::vector<RecountedEntropies> recountByReference(Backend& reference, Signals epoch,
                                                   std::span<const std::size_t> channels,
                                                   const EntropyOptions& options, Progress& progress) {
    const std::size_t samples = epoch.columns();
    const Matrix<double> chosen = chosenChannels(epoch, channels);
    if (options.scales > 1) return countScales(reference, chosen.view(), channels, options, progress);
    const std::unique_ptr<PairWorkspace> workspace = makeWorkspace(makeEngine(reference, options.measure));
    EntropyOptions settings = options;
    settings.variant = Variant::Default;
    const Signals view = chosen.view();
    const EpochBatch batch({&view, 1}, settings, 1);
    const bool isSingle = isOfSingleChannels(options.measure);
    progress.begin("re-counting", batch.comparisons());
    workspace->compute(isSingle ? batch.channelViews() : batch.views(), settings, progress);

    std::vector<RecountedEntropies> pairs;
    for (std::size_t a = 0; a < channels.size(); ++a)
        for (std::size_t b = 0; b < (isSingle ? 1 : channels.size()); ++b) {
            RecountedEntropies& pair = pairs.emplace_back();
            pair.row = channels[a];
            pair.column = isSingle ? 0 : channels[b];
            const PairPlace place = isSingle ? PairPlace{a, 0, 0} : PairPlace{0, a, b};
            const bool isDefined = batch.isUsable(0, a) && (isSingle || batch.isUsable(0, b));
            for (const Quantity& quantity : quantitiesOf(options))
                pair.values.push_back(isDefined ? workspace->value(place, samples, quantity, settings)
                                                : std::numeric_limits<double>::quiet_NaN());
            if (isOfPatterns(options.measure)) pair.allowed = kPatternTolerance;
            if (isDefined && options.measure == Measure::CrossFuzzyEn)
                pair.allowed = allowedOfMemberships(workspace->numbers(place), options, samples);
        }
    return pairs;
}

double secondsForRecount(const EntropyOptions& options, std::size_t samples) {
    // Speed of the serial reference. Every membership takes two exponentials.
    const double perSecond = options.measure == Measure::CrossFuzzyEn ? 1e7 : 5e7;
    const double sides = isOfSingleChannels(options.measure) ? 2 : 4;
    double seconds = 0;
    for (unsigned scale = 1; scale <= std::max(options.scales, 1U); ++scale) {
        const double left = std::floor(static_cast<double>(samples) / scale);
        seconds += isOfPatterns(options.measure) ? left * 1e-6 : sides * left * left / perSecond;
    }
    return seconds;
}

}  // namespace glycine::crossapen
