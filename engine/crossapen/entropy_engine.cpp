#include "engine/crossapen/entropy_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/configuration.hpp"
#include "engine/crossapen/delayed_matches.hpp"

namespace glycine::crossapen {

std::string tooShort(std::size_t samples, const MatchRule& rule) {
    const std::size_t least = minimumSamples(rule.m, rule.delay);
    return rule.delay == 1 ? fmt::format("epochs of {} samples are too short for m = {}: it takes m + 2 = {}",
                                         samples, rule.m, least)
                           : fmt::format(
                                 "epochs of {} samples are too short for m = {} with a delay of {}: it takes "
                                 "{} · {} + 2 = {}",
                                 samples, rule.m, rule.delay, rule.m, rule.delay, least);
}

Support supportsShape(const MatchRequest& request) {
    if (request.rule.m == 0) return Support::no("templates have at least one sample: m ≥ 1");
    if (request.samples == 0) return Support::yes();
    if (request.rule.delay == 0) return Support::no("the time delay is at least 1 sample");
    if (!isLongEnough(request.samples, request.rule.m, request.rule.delay))
        return Support::no(tooShort(request.samples, request.rule));
    if (request.samples > kMaximumSamples)
        return Support::no(
            fmt::format("epochs of {} samples are too long: {} at most", request.samples, kMaximumSamples));
    return Support::yes();
}

Support supportsMemberships(const MembershipRequest& request) {
    if (request.variant != Variant::Default && request.variant != Variant::Membership)
        return Support::no(
            fmt::format("variant '{}' finds matches; Cross-Fuzzy entropy has one variant: membership",
                        toString(request.variant)));
    const FuzzyRule& rule = request.rule;
    if (!(rule.tolerance > 0) || !std::isfinite(rule.tolerance))
        return Support::no(fmt::format("memberships need a finite r > 0, not {}", rule.tolerance));
    if (!(rule.power > 0) || !std::isfinite(rule.power))
        return Support::no(fmt::format("memberships need a finite power n > 0, not {}", rule.power));
    MatchRequest shape;
    shape.rule.m = rule.m;
    shape.rule.delay = rule.delay;
    shape.samples = request.samples;
    return supportsShape(shape);
}

Support supportsPatterns(const PatternRequest& request) {
    if (request.variant != Variant::Default && request.variant != Variant::Patterns)
        return Support::no(
            fmt::format("variant '{}' finds matches; entropies of patterns have one variant: patterns",
                        toString(request.variant)));
    const PatternRule& rule = request.rule;
    const unsigned least = rule.measure == Measure::CrossPermEn ? 3 : rule.measure == Measure::PermEn ? 2 : 1;
    if (rule.m < least || rule.m > kLongestPattern)
        return Support::no(fmt::format("{} takes templates of {} to {} samples, not {}",
                                       toString(rule.measure), least, kLongestPattern, rule.m));
    if (rule.measure == Measure::DispEn && (rule.classes < 2 || largestEntropy(rule) > 63 * std::log(2.0)))
        return Support::no(
            fmt::format("dispen takes 2 classes or more and at most 2^63 patterns, not {} classes "
                        "with m = {}",
                        rule.classes, rule.m));
    MatchRequest shape;
    shape.rule = {rule.m, false, rule.delay};
    shape.samples = request.samples;
    return supportsShape(shape);
}

double membershipTolerance(const FuzzyRule& rule, NumberFormat format) {
    const double u = format == NumberFormat::Float32 ? 0x1p-24 : 0x1p-53;
    const double n = rule.power;
    const double fromDistances = n < 1
                                     ? std::pow(32 * u, n) / rule.tolerance
                                     : 32 * u * n * std::pow(5, 1 - 1 / n) * std::pow(rule.tolerance, -1 / n);
    const double relative = fromDistances + (100 + 128) * u;
    return format == NumberFormat::Float32 ? relative : std::max(relative, 1e-10);
}

double missingMemberships(NumberFormat format, std::size_t samples) {
    const double tiny = format == NumberFormat::Float32 ? 0x1p-120 : 0x1p-1020;
    return static_cast<double>(samples) * static_cast<double>(samples) * tiny;
}

bool agreeOnMemberships(const MembershipSums& sums, const MembershipSums& expected, const FuzzyRule& rule,
                        NumberFormat format, std::size_t samples) {
    const double relative = membershipTolerance(rule, format);
    const double missing = missingMemberships(format, samples);
    const auto agree = [&](double sum, double expectedSum) {
        return std::abs(sum - expectedSum) <= relative * expectedSum + missing;
    };
    return agree(sums.shortSum, expected.shortSum) && agree(sums.longSum, expected.longSum);
}

const Algorithm& algorithm() {
    static const Algorithm algorithm(
        "crossapen", "Compute cross-approximate entropies of all channel pairs of EEG and MEG recordings",
        "M. Martínez-Zarzuela et al., Cross-Approximate Entropy parallel computation on GPUs for biomedical "
        "signal analysis, Computer Methods and Programs in Biomedicine 112 (2013)",
        [] {
            std::vector<VariantInfo> variants = allVariants<MatchEngine>();
            for (const auto& others : {allVariants<MembershipEngine>(), allVariants<PatternEngine>()})
                variants.insert(variants.end(), others.begin(), others.end());
            return variants;
        },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            EntropyOptions options;
            if (!configuration.variant.empty()) options.variant = fromString<Variant>(configuration.variant);
            if (options.variant == Variant::Patterns)
                if (Support format = supportsNumberFormat(allVariants<PatternEngine>(), configuration);
                    !format)
                    return format;
            if (!configuration.numberFormat.empty())
                options.format = fromString<NumberFormat>(configuration.numberFormat);
            if (options.variant == Variant::Membership) options.measure = Measure::CrossFuzzyEn;
            if (options.variant == Variant::Patterns) options.measure = Measure::DispEn;
            return supportsEntropies(backend, options, dimension(dimensions, "channels"),
                                     dimension(dimensions, "samples"));
        });
    return algorithm;
}

ImplementationList<MatchEngine>& MatchEngine::implementations() {
    static ImplementationList<MatchEngine> all{reference::matchEngine(), withDelay(cpu::matchEngine())};
    return all;
}

ImplementationList<MembershipEngine>& MembershipEngine::implementations() {
    static ImplementationList<MembershipEngine> all{reference::membershipEngine(), cpu::membershipEngine()};
    return all;
}

ImplementationList<PatternEngine>& PatternEngine::implementations() {
    static ImplementationList<PatternEngine> all{reference::patternEngine(), cpu::patternEngine()};
    return all;
}

}  // namespace glycine::crossapen
