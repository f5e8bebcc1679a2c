#include "engine/crossapen/epoch_batch.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.hpp"
#include "engine/crossapen/entropyhub.hpp"
#include "engine/crossapen/normalise.hpp"

namespace glycine::crossapen {

namespace {

/// Returns the channels that are left out: a sample is no number, or none that T holds. A constant one has
/// matches like any other.
template <class T>
std::vector<std::size_t> copyFinite(Signals epoch, MatrixView<T> copy) {
    std::vector<std::size_t> leftOut;
    for (std::size_t channel = 0; channel < epoch.rows(); ++channel) {
        const double* signal = epoch.row(channel);
        T* target = copy.row(channel);
        std::transform(signal, signal + epoch.columns(), target,
                       [](double value) { return static_cast<T>(value); });
        if (std::all_of(target, target + epoch.columns(), [](T value) { return std::isfinite(value); }))
            continue;
        std::fill_n(target, epoch.columns(), T(0));
        leftOut.push_back(channel);
    }
    return leftOut;
}

template <class T>
std::vector<T> tolerancesOf(Signals epoch, const EntropyOptions& options) {
    if (!hasPairTolerances(options)) return {static_cast<T>(options.tolerance)};
    const Matrix<double> pairs = entropyHubTolerances(epoch, options.tolerance);
    std::vector<T> result(pairs.size());
    // Of a channel that is not finite nothing is reported; backends want a number all the same.
    std::transform(pairs.data(), pairs.data() + pairs.size(), result.begin(),
                   [](double r) { return std::isfinite(r) ? static_cast<T>(r) : T(0); });
    return result;
}

}  // namespace

bool isNormalised(const EntropyOptions& options) {
    return options.convention == Convention::Paper && !options.isAbsolute;
}
bool hasPairTolerances(const EntropyOptions& options) {
    return options.convention == Convention::EntropyHub && !options.isAbsolute;
}

Matrix<double> chosenChannels(Signals epoch, std::span<const std::size_t> channels) {
    Matrix<double> chosen(channels.size(), epoch.columns());
    for (std::size_t i = 0; i < channels.size(); ++i)
        std::copy_n(epoch.row(channels[i]), epoch.columns(), chosen.row(i));
    return chosen;
}

EpochBatch::EpochBatch(std::span<const Signals> epochs, const EntropyOptions& options, int threads)
    : channels_(epochs.front().rows()),
      samples_(epochs.front().columns()),
      isUsable_(epochs.size(), std::vector<char>(channels_, 1)) {
    if (options.format == NumberFormat::Float32)
        prepare<float>(epochs, options, threads);
    else
        prepare<double>(epochs, options, threads);
}

template <class T>
void EpochBatch::prepare(std::span<const Signals> epochs, const EntropyOptions& options, int threads) {
    auto& prepared = epochs_.emplace<std::vector<Prepared<T>>>(epochs.size());
    parallelFor(threads, epochs.size(), [&](std::size_t e, std::size_t) {
        Prepared<T>& epoch = prepared[e];
        epoch.signals = Matrix<T>(channels_, samples_);
        UnusableChannels unusable;
        if (isNormalised(options))
            unusable = normalise(epochs[e], options.deviation, epoch.signals.view());
        else
            unusable.notFinite = copyFinite(epochs[e], epoch.signals.view());
        for (const auto* channels : {&unusable.constant, &unusable.notFinite})
            for (const std::size_t channel : *channels) isUsable_[e][channel] = 0;
        epoch.tolerance = tolerancesOf<T>(epochs[e], options);
    });
}

double EpochBatch::comparisons() const {
    const double side = static_cast<double>(channels_) * static_cast<double>(samples_);
    return static_cast<double>(count()) * side * side;
}

std::vector<AnyEpoch> EpochBatch::views() const {
    std::vector<AnyEpoch> views;
    std::visit(
        [&views]<class T>(const std::vector<Prepared<T>>& epochs) {
            for (const Prepared<T>& epoch : epochs)
                views.push_back(Epoch<T>{epoch.signals.view(), epoch.tolerance});
        },
        epochs_);
    return views;
}

std::vector<AnyEpoch> EpochBatch::channelViews() const {
    std::vector<AnyEpoch> views;
    std::visit(
        [&]<class T>(const std::vector<Prepared<T>>& epochs) {
            for (const Prepared<T>& epoch : epochs)
                for (std::size_t channel = 0; channel < channels_; ++channel)
                    views.push_back(
                        Epoch<T>{epoch.signals.view().block(channel, 0, 1, samples_), epoch.tolerance});
        },
        epochs_);
    return views;
}

}  // namespace glycine::crossapen
