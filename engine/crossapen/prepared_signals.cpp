#include "engine/crossapen/prepared_signals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <type_traits>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen {

namespace {

template <class T>
void normaliseChannel(const double* signal, std::size_t samples, double halfRange, Deviation deviation,
                      T* normalised) {
    // An amplifier's offset is large compared with the signal; subtracting it first keeps the sums accurate.
    // Scaling by a power of two changes no digit, and keeps squares of very large or small numbers in range.
    const double unit = std::ldexp(1.0, std::clamp(-std::ilogb(halfRange), -1000, 1000));
    const double offset = signal[0] * unit;
    const double count = static_cast<double>(samples);
    double sum = 0;
    for (std::size_t i = 0; i < samples; ++i) sum += signal[i] * unit - offset;
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t i = 0; i < samples; ++i) {
        const double difference = signal[i] * unit - offset - mean;
        squares += difference * difference;
    }
    const double scale = std::sqrt(squares / (deviation == Deviation::Sample ? count - 1 : count));
    for (std::size_t i = 0; i < samples; ++i)
        normalised[i] = static_cast<T>((signal[i] * unit - offset - mean) / scale);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
struct Item {
    Bits<T> key;
    std::uint32_t time;
};

/// Maps floating-point numbers to unsigned integers of the same order.
template <class T>
Bits<T> keyOf(T value) {
    constexpr Bits<T> sign = Bits<T>{1} << (8 * sizeof(T) - 1);
    const auto bits = std::bit_cast<Bits<T>>(value);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Radix sort by the bytes of the key, lowest byte first: at most four or eight passes for any input order,
/// and no branch to mispredict.
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

UnusableChannels findUnusable(MatrixView<const double> signals) {
    UnusableChannels unusable;
    for (std::size_t channel = 0; channel < signals.rows(); ++channel) {
        const std::span<const double> signal(signals.row(channel), signals.columns());
        if (!std::all_of(signal.begin(), signal.end(), [](double value) { return std::isfinite(value); }))
            unusable.notFinite.push_back(channel);
        else if (std::all_of(signal.begin(), signal.end(),
                             [&](double value) { return value == signal.front(); }))
            unusable.constant.push_back(channel);
    }
    return unusable;
}

template <class T>
UnusableChannels normalise(MatrixView<const double> signals, Deviation deviation, MatrixView<T> normalised) {
    UnusableChannels unusable = findUnusable(signals);
    for (std::size_t channel = 0; channel < signals.rows(); ++channel) {
        const double* signal = signals.row(channel);
        T* target = normalised.row(channel);
        if (std::binary_search(unusable.constant.begin(), unusable.constant.end(), channel) ||
            std::binary_search(unusable.notFinite.begin(), unusable.notFinite.end(), channel)) {
            std::fill_n(target, signals.columns(), T(0));
            continue;
        }
        const auto [lowest, highest] = std::minmax_element(signal, signal + signals.columns());
        normaliseChannel(signal, signals.columns(), *highest / 2 - *lowest / 2, deviation, target);
    }
    return unusable;
}

template UnusableChannels normalise(MatrixView<const double>, Deviation, MatrixView<float>);
template UnusableChannels normalise(MatrixView<const double>, Deviation, MatrixView<double>);

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

template <class T>
void subtractBaselines(const T* signal, std::size_t first, std::size_t delay, MatrixView<T> templates) {
    // Processes a group of templates sample by sample, so that neighbours fill the lanes of a vector.
    constexpr std::size_t kGroup = 64;
    const std::size_t length = templates.rows();
    for (std::size_t begin = 0; begin < templates.columns(); begin += kGroup) {
        const std::size_t count = std::min(kGroup, templates.columns() - begin);
        const T* samples = signal + first + begin;
        double baselines[kGroup] = {};
        for (std::size_t k = 0; k < length; ++k)
            for (std::size_t i = 0; i < count; ++i)
                baselines[i] += static_cast<double>(samples[k * delay + i]);
        for (double& baseline : baselines) baseline /= static_cast<double>(length);
        for (std::size_t k = 0; k < length; ++k) {
            T* target = templates.row(k) + begin;
            for (std::size_t i = 0; i < count; ++i)
                target[i] = static_cast<T>(static_cast<double>(samples[k * delay + i]) - baselines[i]);
        }
    }
}

template void subtractBaselines(const float*, std::size_t, std::size_t, MatrixView<float>);
template void subtractBaselines(const double*, std::size_t, std::size_t, MatrixView<double>);

}  // namespace glycine::crossapen
