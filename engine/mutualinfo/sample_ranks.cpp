#include "engine/mutualinfo/sample_ranks.hpp"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace glycine::mutualinfo {

namespace {

constexpr unsigned kPlaceBits = 32;

/// A number that is as much larger as the value is; one for both zeros.
std::uint64_t orderOf(double value) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

/// Numbers are sorted several times as fast as samples by their values: the upper half of each is that of
/// orderOf, which tells most values apart, and the lower half the sample.
void SampleRanks::find(std::span<const double> values, bool shareTies, std::span<double> ranks) {
    numbers_.resize(values.size());
    std::size_t count = 0;
    for (std::size_t s = 0; s < values.size(); ++s) {
        numbers_[count] = (orderOf(values[s]) >> kPlaceBits << kPlaceBits) + s;
        if (std::isnan(values[s]))
            ranks[s] = std::numeric_limits<double>::quiet_NaN();
        else
            ++count;
    }
    hwy::Sorter()(numbers_.data(), count, hwy::SortAscending());
    const auto sampleOf = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
    for (std::size_t begin = 0; begin < count;) {
        std::size_t end = begin + 1;
        while (end < count && numbers_[end] >> kPlaceBits == numbers_[begin] >> kPlaceBits) ++end;
        if (end == begin + 1)
            ranks[sampleOf(numbers_[begin])] = static_cast<double>(end);
        else
            rankAlike(values, shareTies, {begin, end}, ranks);
        begin = end;
    }
}

void SampleRanks::rankAlike(std::span<const double> values, bool shareTies, Range places,
                            std::span<double> ranks) {
    samples_.clear();
    for (std::size_t i = places.begin; i < places.end; ++i)
        samples_.push_back(static_cast<std::uint32_t>(numbers_[i]));
    const auto isLess = [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; };
    if (!std::ranges::is_sorted(samples_, isLess)) std::ranges::stable_sort(samples_, isLess);
    for (std::size_t begin = 0; begin < samples_.size();) {
        std::size_t end = begin + 1;
        while (shareTies && end < samples_.size() && values[samples_[end]] == values[samples_[begin]]) ++end;
        const std::size_t first = places.begin + begin + 1;
        const std::size_t last = places.begin + end;
        for (std::size_t i = begin; i < end; ++i) ranks[samples_[i]] = static_cast<double>(first + last) / 2;
        begin = end;
    }
}

bool areSpread(std::span<const double> values, std::size_t most) {
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) return false;
    // Values that share a place in a table: where no place has more, no value has.
    constexpr unsigned kTableBits = 16;
    std::vector<std::uint32_t> counts(std::size_t{1} << kTableBits);
    std::uint32_t largest = 0;
    for (const double value : values)
        largest = std::max(largest, ++counts[orderOf(value) * 0x9e3779b97f4a7c15U >> (64 - kTableBits)]);
    if (largest <= most) return true;
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    for (std::size_t s = most; s < sorted.size(); ++s)
        if (sorted[s] == sorted[s - most]) return false;
    return true;
}

}  // namespace glycine::mutualinfo
