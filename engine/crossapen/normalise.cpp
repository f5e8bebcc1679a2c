#include "engine/crossapen/normalise.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace glycine::crossapen {

namespace {

template <class T>
void normaliseChannel(const double* signal, std::size_t samples, double halfRange, Deviation deviation,
                      T* normalised) {
    // Offsets of an amplifier are large beside the signal: without them the sums stay exact enough. Squares
    // of very large or very small numbers do not exist; a power of two changes no digit.
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

}  // namespace glycine::crossapen
