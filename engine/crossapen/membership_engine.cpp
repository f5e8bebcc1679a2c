#include "engine/crossapen/membership_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace glycine::crossapen {

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

double crossFuzzyEntropy(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf,
                         unsigned delay) {
    const auto templates = static_cast<double>(longTemplates(samples, m, delay));
    const double pairs = templates * (isSelf ? templates - 1 : templates);
    return std::log(sums.shortSum / pairs) - std::log(sums.longSum / pairs);
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

}  // namespace glycine::crossapen

namespace glycine {

template <>
ImplementationList<crossapen::MembershipSummer>& implementations<crossapen::MembershipSummer>() {
    static ImplementationList<crossapen::MembershipSummer> all{crossapen::reference::membershipSummer(),
                                                               crossapen::cpu::membershipSummer()};
    return all;
}

}  // namespace glycine
