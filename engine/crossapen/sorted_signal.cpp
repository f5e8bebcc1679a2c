#include "engine/crossapen/sorted_signal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen {

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
struct Item {
    Bits<T> key;
    std::uint32_t time;
};

/// Whole numbers that order as the floating-point numbers do.
template <class T>
Bits<T> keyOf(T value) {
    constexpr Bits<T> sign = Bits<T>{1} << (8 * sizeof(T) - 1);
    const auto bits = std::bit_cast<Bits<T>>(value);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Sorts by the bytes of the key, the lowest first: four or eight passes whatever the order was, without a
/// branch that a processor could guess wrong.
template <class T>
void sortByBytes(std::vector<Item<T>>& items) {
    std::vector<Item<T>> other(items.size());
    for (std::size_t shift = 0; shift < 8 * sizeof(T); shift += 8) {
        const auto digit = [&](const Item<T>& item) { return (item.key >> shift) & 0xff; };
        std::array<std::uint32_t, 256> places{};
        for (const Item<T>& item : items) ++places[digit(item)];
        if (places[digit(items[0])] == items.size()) continue;
        std::uint32_t sum = 0;
        for (std::uint32_t& place : places) {
            const std::uint32_t count = place;
            place = sum;
            sum += count;
        }
        for (const Item<T>& item : items) other[places[digit(item)]++] = item;
        items.swap(other);
    }
}

}  // namespace

template <class T>
SortedSignal<T>::SortedSignal(std::span<const T> samples)
    : values(roundUp(samples.size(), kTemplatePadding)), order(samples.size()), ranks(samples.size()) {
    std::vector<Item<T>> items(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
        items[i] = {keyOf(samples[i]), static_cast<std::uint32_t>(i)};
    sortByBytes(items);
    for (std::size_t k = 0; k < items.size(); ++k) {
        order[k] = items[k].time;
        ranks[items[k].time] = static_cast<std::uint32_t>(k);
        values[k] = samples[items[k].time];
    }
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(samples.size()), values.end(),
              values[samples.size() - 1]);
}

template struct SortedSignal<float>;
template struct SortedSignal<double>;

}  // namespace glycine::crossapen
