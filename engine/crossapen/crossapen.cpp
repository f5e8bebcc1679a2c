#include "engine/crossapen/crossapen.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/crossapen/match_engine.hpp"

namespace glycine::crossapen {

namespace {

/// As publications write them.
constexpr NameTable<Measure, 5> kMeasureTitles{{{Measure::CrossApEn, "Cross-ApEn"},
                                                {Measure::ApEn, "ApEn"},
                                                {Measure::CrossSampEn, "Cross-SampEn"},
                                                {Measure::SampEn, "SampEn"},
                                                {Measure::CrossFuzzyEn, "Cross-FuzzyEn"}}};

bool isApproximate(Measure measure) {
    return measure == Measure::CrossApEn || measure == Measure::ApEn;
}

Quantity withBias(Measure measure, Bias bias) {
    return {fmt::format("{}_{}", toString(measure), bias == Bias::MaxShort ? "max_short" : toString(bias)),
            bias == Bias::None ? fmt::format("{}, no correction", nameOf(measure, kMeasureTitles))
                               : fmt::format("{}, bias {}", nameOf(measure, kMeasureTitles),
                                             bias == Bias::Zero ? "0" : toString(bias)),
            Quantity::Kind::Entropy, bias};
}

}  // namespace

bool isOfSingleChannels(Measure measure) {
    return measure == Measure::ApEn || measure == Measure::SampEn;
}
bool isSymmetric(const EntropyOptions& options) {
    return options.measure == Measure::CrossSampEn || options.measure == Measure::CrossFuzzyEn;
}

void checkOptions(const EntropyOptions& options, std::size_t samples) {
    checkKnown(options.measure);
    checkKnown(options.bias);
    checkKnown(options.deviation);
    checkKnown(options.convention);
    checkKnown(options.format);
    checkKnown(options.variant);
    if (options.rule.m == 0) throw UsageError("m is the length of the templates: at least 1");
    if (options.rule.delay == 0) throw UsageError("the time delay is at least 1 sample");
    if (!isLongEnough(samples, options.rule.m, options.rule.delay))
        throw UsageError(tooShort(samples, options.rule));
    if (samples > kMaximumSamples)
        throw UsageError(
            fmt::format("epochs of {} samples are too long: at most {}", samples, kMaximumSamples));
    if (!std::isfinite(static_cast<float>(options.tolerance)) || options.tolerance <= 0)
        throw UsageError(fmt::format("r = {}: expected a number above 0", options.tolerance));
    // Smaller numbers of float32 have fewer digits, or none.
    if (options.format == NumberFormat::Float32 && options.tolerance < std::numeric_limits<float>::min())
        throw UsageError(fmt::format("r = {}: float32 has no numbers as small; take the format float64",
                                     options.tolerance));
    if (!std::isfinite(options.fuzzyPower) || options.fuzzyPower <= 0)
        throw UsageError(fmt::format("n = {}: expected a number above 0", options.fuzzyPower));
    if (options.convention == Convention::EntropyHub && isOfSingleChannels(options.measure))
        throw UsageError(fmt::format(
            "the convention 'entropyhub' is for crossapen, crosssampen and crossfuzzyen, not for {}",
            toString(options.measure)));
    if (options.convention == Convention::EntropyHub && options.rule.delay > 1)
        throw UsageError(
            "the convention 'entropyhub' is that of the package's functions with their time delay of 1: a "
            "longer one is for the convention 'paper'");
    if (options.measure == Measure::CrossFuzzyEn && options.rule.m == 1)
        throw UsageError(
            "m = 1 is too short for crossfuzzyen: templates lose their mean, and nothing is left of a single "
            "sample, so that every membership at m is 1 and Φ^m, too; take m = 2 or more");
    if (options.measure == Measure::CrossFuzzyEn && options.rule.isStrict)
        throw UsageError("memberships have no '<' or '<=': the strict rule is for matches");
}

void checkEntropies(std::span<const Signals> epochs, const EntropyOptions& options) {
    if (epochs.empty()) return checkOptions(options, kMaximumSamples);
    const Signals first = epochs.front();
    if (first.rows() == 0) throw InputError("epoch 0 has no channels; expected at least one");
    for (std::size_t e = 0; e < epochs.size(); ++e) {
        if (epochs[e].rows() != first.rows() || epochs[e].columns() != first.columns())
            throw UsageError(fmt::format("epoch {} has {} × {} samples, epoch 0 {} × {}: expected one shape",
                                         e, epochs[e].rows(), epochs[e].columns(), first.rows(),
                                         first.columns()));
        checkView(fmt::format("the signals of epoch {}", e), epochs[e]);
    }
    checkOptions(options, first.columns());
}

std::vector<Quantity> quantitiesOf(const EntropyOptions& options) {
    checkKnown(options.measure);
    checkKnown(options.bias);
    checkKnown(options.convention);
    const std::string title(nameOf(options.measure, kMeasureTitles));
    if (options.convention == Convention::EntropyHub)
        return {{fmt::format("{}_entropyhub", toString(options.measure)),
                 fmt::format("{} as EntropyHub", title)}};
    if (!isApproximate(options.measure)) return {{std::string(toString(options.measure)), title}};
    std::vector<Quantity> quantities{withBias(options.measure, options.bias)};
    for (const Bias bias : {Bias::Zero, Bias::Max})
        if (bias != options.bias) quantities.push_back(withBias(options.measure, bias));
    quantities.push_back({"share_without_match", "Share of templates without a match at m + 1",
                          Quantity::Kind::ShareWithoutMatch});
    return quantities;
}

EpochShape epochShape(const EntropyOptions& options, std::size_t channels) {
    return {quantitiesOf(options).size(), channels, isOfSingleChannels(options.measure) ? 1 : channels};
}

}  // namespace glycine::crossapen
