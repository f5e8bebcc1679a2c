#include "engine/algorithms/crossapen/fuzzy.hpp"

#include <cmath>

#include "engine/algorithms/crossapen/match_statistics.hpp"

namespace glycine::crossapen {

double crossFuzzyEntropy(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf) {
    const auto templates = static_cast<double>(longTemplates(samples, m));
    const double pairs = templates * (isSelf ? templates - 1 : templates);
    return std::log(sums.shortSum / pairs) - std::log(sums.longSum / pairs);
}

}  // namespace glycine::crossapen
