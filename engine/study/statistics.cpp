#include "engine/study/statistics.hpp"

#include <algorithm>

namespace glycine {

Statistics summarize(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t middle = samples.size() / 2;
    const double median =
        samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
    return {samples.size(), samples.front(), median, samples.back()};
}

}  // namespace glycine
