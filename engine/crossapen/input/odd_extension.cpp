#include "engine/crossapen/input/odd_extension.hpp"

#include <algorithm>

namespace glycine::crossapen {

void fillMargins(std::span<double> extended, std::size_t margin) {
    const std::size_t samples = extended.size() - 2 * margin;
    if (samples == 1) {
        std::fill(extended.begin(), extended.end(), extended[margin]);
        return;
    }
    // What is known grows on both sides by up to its own length less one.
    std::size_t begin = margin, end = margin + samples;
    while (begin > 0) {
        const std::size_t step = std::min(begin, end - begin - 1);
        const double first = 2 * extended[begin], last = 2 * extended[end - 1];
        for (std::size_t k = 1; k <= step; ++k) extended[begin - k] = first - extended[begin + k];
        for (std::size_t k = 1; k <= step; ++k) extended[end - 1 + k] = last - extended[end - 1 - k];
        begin -= step;
        end += step;
    }
}

std::vector<double> extendOddly(std::span<const double> samples, std::size_t margin) {
    std::vector<double> extended(samples.size() + 2 * margin);
    std::copy(samples.begin(), samples.end(), extended.begin() + static_cast<std::ptrdiff_t>(margin));
    fillMargins(extended, margin);
    return extended;
}

}  // namespace glycine::crossapen
