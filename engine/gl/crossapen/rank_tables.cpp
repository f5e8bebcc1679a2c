#include "engine/gl/crossapen/rank_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace glycine::crossapen::gl {

void fillBins(const SortedSignal<float>& signal, float largestTolerance, std::span<float> target) {
    const std::size_t samples = signal.size();
    const std::size_t bins = intervalBins(samples);
    const float* const values = signal.values.data();
    const double smallest = values[0];
    const double largest = values[samples - 1];
    const double magnitude = std::max(std::abs(smallest), std::abs(largest));
    // Bins finer than the rounding of the samples would only tell less, and none must be so narrow that its
    // inverse overflows.
    const double width = std::max({(largest - smallest) / static_cast<double>(bins), magnitude * 0x1p-23,
                                   double{std::numeric_limits<float>::min()} * 16});
    const auto scale = static_cast<float>(1 / width);
    const double edgeStep = 1 / double{scale};
    const double slack = edgeStep / 8 + 0x1p-21 * (magnitude + edgeStep + std::abs(double{largestTolerance}));

    target[0] = values[0];
    target[1] = scale;
    target[2] = static_cast<float>(signal.ranks[samples - 1]);
    target[3] = 0;
    std::size_t rank = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const double reach = smallest + static_cast<double>(bin) * edgeStep - slack;
        while (rank < samples && double{values[rank]} <= reach) ++rank;
        float* const texel = target.data() + 4 * (bin + 1);
        texel[0] = static_cast<float>(rank);
        for (std::size_t k = 0; k < 3; ++k) texel[1 + k] = values[std::min(rank + k, samples - 1)];
    }
}

void fillPrefixCounts(const SortedSignal<float>& signal, std::span<std::int32_t> target) {
    const std::size_t samples = signal.size();
    const std::size_t stride = samples + 1;
    std::vector<std::uint32_t> counts(stride, 0);  // in the upper halves
    for (std::size_t first = 0; first <= samples; first += kRanksPerTexel) {
        // The bits of this row, in the order of the second ranks from which on they are set.
        std::array<std::pair<std::uint32_t, std::uint32_t>, kRanksPerTexel> bits;
        std::size_t points = 0;
        for (std::size_t k = 0; k < kRanksPerTexel && first + k < samples; ++k) {
            const std::size_t time = signal.order[first + k];
            if (time + 1 < samples) bits[points++] = {signal.ranks[time + 1] + 1, 1U << k};
        }
        std::sort(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(points));
        std::int32_t* const row = target.data() + first / kRanksPerTexel * stride;
        std::uint32_t mask = 0;
        std::size_t q = 0;
        for (std::size_t point = 0; point <= points; ++point) {
            const std::size_t end = point < points ? bits[point].first : stride;
            const std::uint32_t passed = static_cast<std::uint32_t>(point) << 16;
            for (; q < end; ++q) {
                row[q] = static_cast<std::int32_t>(counts[q] | mask);
                counts[q] += passed;
            }
            if (point < points) mask |= bits[point].second;
        }
    }
}

void fillPrefixSets(const SortedSignal<float>& signal, std::size_t m, std::span<std::uint32_t> target) {
    const std::size_t samples = signal.size();
    const std::size_t texels = setTexels(samples);
    const std::size_t words = 4 * (texels + m);
    std::fill_n(target.data(), words, 0U);
    for (std::size_t k = 0; k < samples; ++k) {
        std::uint32_t* const set = target.data() + (k + 1) * words;
        std::copy_n(set - words, words, set);
        const std::size_t position = signal.order[k];
        std::size_t texel = position % texels;
        for (std::size_t place = position / texels + 1; place-- > 0 && texel < texels + m; texel += texels)
            set[4 * texel + place % 4] |= 1U << (place / 4);
    }
}

}  // namespace glycine::crossapen::gl
