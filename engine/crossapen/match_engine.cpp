#include "engine/crossapen/match_engine.hpp"

#include <fmt/format.h>

#include "engine/crossapen/delayed_matcher.hpp"

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

}  // namespace glycine::crossapen

namespace glycine {

template <>
ImplementationList<crossapen::Matcher>& implementations<crossapen::Matcher>() {
    static ImplementationList<crossapen::Matcher> all{crossapen::reference::matcher(),
                                                      crossapen::withDelay(crossapen::cpu::matcher())};
    return all;
}

}  // namespace glycine
