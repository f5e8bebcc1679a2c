#include "engine/crossapen/input/epoch_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "engine/crossapen/pair_workspace.hpp"

namespace glycine::crossapen {

namespace {

/// For longer epochs, memberships are compared with m = 1 only, because the reference takes long.
constexpr std::size_t kLongSamples = 1000;
/// Step of quantised signals: many distances are equal, and exact in every format.
constexpr double kStep = 0.25;

/// A sample of a generated epoch.
struct Sample {
    double value = 0;
    double ofFirst = 0;  ///< value of the first channel at this time
    int channel = 0;
    std::size_t time = 0;
};

double inSteps(const Sample& sample) {
    return std::round(sample.value / kStep) * kStep;
}

/// A property that makes epochs hard to process correctly.
struct Oddity {
    const char* name;
    double (*change)(const Sample&);
    EntropyOptions options{};  ///< m comes from the plan
    bool isFuzzy = true;
    bool isOfPairs = false;  ///< needs two channels
    double r = 0;            ///< 0: r of the plan
};
constexpr Oddity kSignals{"signals", [](const Sample& sample) { return sample.value; }};
constexpr Oddity kOddities[] = {
    {.name = "ties at r", .change = inSteps, .options = {.isAbsolute = true, .fuzzyPower = 1}, .r = kStep},
    {.name = "ties at r, <",
     .change = inSteps,
     .options = {.rule = {.isStrict = true}, .isAbsolute = true, .fuzzyPower = 1},
     .isFuzzy = false,
     .r = kStep},
    {.name = "constant but for outliers",
     .change = [](const Sample& sample) { return sample.time % 7 == 0 ? sample.value : 0.5; }},
    // Not for memberships, which need z-scores or an r for all pairs.
    {.name = "no matches between channels",
     .change = [](const Sample& sample) { return sample.value + 100 * sample.channel; },
     .options = {.isAbsolute = true},
     .isFuzzy = false,
     .isOfPairs = true},
    {.name = "time delay 2", .change = inSteps, .options = {.rule = {.delay = 2}}},
    {.name = "time delay 5",
     .change = [](const Sample& sample) { return sample.value; },
     .options = {.rule = {.delay = 5}}},
    {.name = "r of each pair",
     .change = [](const Sample& sample) { return sample.value * (1 + 0.5 * sample.channel); },
     .options = {.convention = Convention::EntropyHub},
     .isFuzzy = false,
     .isOfPairs = true},
};
/// Entropies of patterns. DispEn has no ties here, because rounding could move a tied sample to the next
/// class.
constexpr Oddity kPatterns[] = {
    {.name = "permutations",
     .change = kSignals.change,
     .options = {.measure = Measure::PermEn},
     .isFuzzy = false},
    {.name = "permutations with ties, time delay 2",
     .change = inSteps,
     .options = {.measure = Measure::PermEn, .rule = {.delay = 2}},
     .isFuzzy = false},
    {.name = "crossed permutations",
     .change = inSteps,
     .options = {.measure = Measure::CrossPermEn},
     .isFuzzy = false,
     .isOfPairs = true},
    {.name = "dispersions",
     .change = kSignals.change,
     .options = {.measure = Measure::DispEn},
     .isFuzzy = false},
};
/// Each channel has its own zero and unit, without rounding: z-scores equal those of the quantised signals.
constexpr Oddity kMoved{.name = "signals shifted and scaled", .change = [](const Sample& sample) {
                            return std::ldexp(inSteps(sample) + 1000 * (1 + sample.channel),
                                              20 - 30 * sample.channel);
                        }};
constexpr Oddity kTwins{.name = "a signal and its copy",
                        .change = [](const Sample& sample) { return sample.ofFirst; },
                        .isFuzzy = false};
/// Length of shifted signals and copies, for which the mean is exact.
constexpr std::size_t kExactSamples = 64;

EpochInput makeInput(const Oddity& oddity, unsigned m, double r, const EpochExtents& extents,
                     std::uint64_t seed) {
    EpochInput input;
    input.name = fmt::format("{}, m {}, {}{} × {}{}", oddity.name, m,
                             isOfPatterns(oddity.options.measure) ? "" : fmt::format("r {}, ", r),
                             extents.channels, formatCount(extents.samples),
                             extents.epochs > 1 ? fmt::format(", {} epochs", extents.epochs) : "");
    input.options = oddity.options;
    input.options.rule.m = m;
    input.options.tolerance = r;
    input.isFuzzy = oddity.isFuzzy && r > 0 && (extents.samples < kLongSamples || m == 1);
    input.epochs = randomEpochs({}, extents, derivedSeed(seed, m));
    for (Matrix<double>& epoch : input.epochs)
        for (std::size_t i = 0; i < epoch.columns(); ++i) {
            const double ofFirst = epoch(0, i);
            for (std::size_t channel = 0; channel < epoch.rows(); ++channel)
                epoch(channel, i) = oddity.change({epoch(channel, i), ofFirst, static_cast<int>(channel), i});
        }
    return input;
}

std::vector<EpochExtents> defaultExtents(unsigned m) {
    std::vector<EpochExtents> extents{
        {1, m + std::size_t{2}, 1}, {3, m + std::size_t{3}, 1}, {2, 65, 2}, {5, 131, 1}};
    if (m <= 2) extents.push_back({2, 1025, 1});
    return extents;
}

/// Calls use(oddity, m, r, extents) for each input of a plan.
template <class Use>
void forEachInput(const ValidationPlan& plan, const Use& use) {
    for (const unsigned m : plan.m) {
        const auto add = [&](const Oddity& oddity, double r, const EpochExtents& extents) {
            if (!isLongEnough(extents.samples, m, oddity.options.rule.delay) ||
                (oddity.isOfPairs && extents.channels == 1))
                return;
            use(oddity, m, oddity.r > 0 ? oddity.r : r, extents);
        };
        const double r = plan.r.front();
        for (const EpochExtents& extents : plan.extents.empty() ? defaultExtents(m) : plan.extents) {
            for (const double one : m == plan.m.front() ? plan.r : std::vector{r})
                add(kSignals, one, extents);
            for (const Oddity& oddity : kOddities) add(oddity, r, extents);
            for (const Oddity& oddity : kPatterns) {
                PatternRule rule = patternRule(oddity.options);
                rule.m = m;
                if (supportsPatterns({.rule = rule, .samples = extents.samples})) add(oddity, r, extents);
            }
        }
        add(kMoved, r, {3, kExactSamples, 1});
        add(kTwins, r, {2, kExactSamples, 1});
    }
}

}  // namespace

std::vector<PairBytes> bytesOfPairs(const std::vector<EpochExtents>& all,
                                    const std::vector<std::string>& numberFormats) {
    double bytesASample = sizeof(double);
    for (const std::string& format : numberFormats)
        bytesASample +=
            fromString<NumberFormat>(format) == NumberFormat::Float32 ? sizeof(float) : sizeof(double);
    std::vector<PairBytes> bytes;
    for (const EpochExtents& extents : all) {
        const double signals = static_cast<double>(extents.channels) * static_cast<double>(extents.epochs);
        const double pairs = signals * static_cast<double>(extents.channels);
        bytes.push_back({signals * static_cast<double>(extents.samples) * bytesASample,
                         pairs * sizeof(PairNumbers) * static_cast<double>(numberFormats.size()),
                         pairs * sizeof(MatchStatistics)});
    }
    return bytes;
}

std::vector<EpochExtents> validationExtents(const ValidationPlan& plan) {
    std::vector<EpochExtents> all;
    forEachInput(
        plan, [&](const Oddity&, unsigned, double, const EpochExtents& extents) { all.push_back(extents); });
    return all;
}

std::vector<EpochInput> makeValidationInputs(const ValidationPlan& plan) {
    std::vector<EpochInput> inputs;
    forEachInput(plan, [&](const Oddity& oddity, unsigned m, double r, const EpochExtents& extents) {
        inputs.push_back(makeInput(oddity, m, r, extents, plan.seed));
    });
    return inputs;
}

std::vector<EpochInput> readEpochInputs(const std::string& path, const FileLimits& most,
                                        const std::vector<unsigned>& m, const std::vector<double>& r,
                                        std::vector<std::pair<std::string, std::string>>& about,
                                        Progress& progress) {
    SignalOptions options;
    if (!most.epochs.empty()) options.maximumEpochs = most.epochs.front();
    if (!most.samples.empty()) options.epochSamples = most.samples.front();
    const SignalSet set = readSignals(path, options, progress);
    for (const unsigned one : m)
        if (!isLongEnough(set.epochSamples, one))
            throw UsageError(
                fmt::format("--m: epochs of {} samples are too short for m = {}", set.epochSamples, one));
    const std::size_t all = set.channels.size();
    const std::size_t channels = std::min(all, most.channels.value_or(all));
    about.emplace_back("input",
                       fmt::format("{} ({}): {} of {}, {} of {}", set.name, set.description, channels,
                                   formatCount(all, "channel"), formatCount(set.epochs.size(), "epoch"),
                                   formatCount(set.epochSamples, "sample")));
    if (!set.notes.empty()) about.emplace_back("notes", fmt::format("{}", fmt::join(set.notes, "\n")));
    std::vector<EpochInput> inputs;
    for (const unsigned one : m)
        for (const double tolerance : r) {
            EpochInput& input = inputs.emplace_back();
            input.name = fmt::format("m {}, r {}", one, tolerance);
            input.options.rule.m = one;
            input.options.tolerance = tolerance;
            input.isFuzzy = tolerance > 0;
            for (std::size_t e = 0; e < set.epochs.size(); ++e)
                input.epochs.emplace_back(set.epoch(e).block(0, 0, channels, set.epochSamples));
        }
    return inputs;
}

}  // namespace glycine::crossapen
