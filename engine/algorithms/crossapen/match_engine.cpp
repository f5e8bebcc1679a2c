#include "engine/algorithms/crossapen/match_engine.hpp"

#include <fmt/format.h>

namespace glycine::crossapen {

Support supportsShape(const MatchRequest& request) {
    if (request.rule.m == 0) return Support::no("templates have at least one sample: m ≥ 1");
    if (request.samples == 0) return Support::yes();
    if (!isLongEnough(request.samples, request.rule.m))
        return Support::no(fmt::format("epochs of {} samples are too short for m = {}: it takes m + 2 = {}",
                                       request.samples, request.rule.m, std::size_t{request.rule.m} + 2));
    if (request.samples > kMaximumSamples)
        return Support::no(
            fmt::format("epochs of {} samples are too long: {} at most", request.samples, kMaximumSamples));
    return Support::yes();
}

const std::vector<MatcherEntry>& matcherEntries() {
    static const std::vector<MatcherEntry> entries = [] {
        std::vector<MatcherEntry> all{reference::matcher(), cpu::matcher(), gl::matcher()};
#ifdef GLYCINE_HAVE_CUDA
        all.push_back(cuda::matcher());
#endif
        return all;
    }();
    return entries;
}

}  // namespace glycine::crossapen
