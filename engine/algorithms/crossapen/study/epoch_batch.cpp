#include "engine/algorithms/crossapen/study/epoch_batch.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/algorithms/crossapen/normalise.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"

namespace glycine::crossapen {

EpochBatch::EpochBatch(NumberFormat format, std::size_t channels, std::size_t samples)
    : channels_(channels), samples_(samples) {
    if (format == NumberFormat::Float64) epochs_ = std::vector<Owned<double>>();
}

NumberFormat EpochBatch::format() const {
    return epochs_.index() == 0 ? NumberFormat::Float32 : NumberFormat::Float64;
}

std::size_t EpochBatch::count() const {
    return std::visit([](const auto& epochs) { return epochs.size(); }, epochs_);
}

bool EpochBatch::hasPairTolerances() const {
    return std::visit(
        [](const auto& epochs) {
            return std::any_of(epochs.begin(), epochs.end(),
                               [](const auto& epoch) { return epoch.tolerance.size() > 1; });
        },
        epochs_);
}

double EpochBatch::comparisons() const {
    const double side = static_cast<double>(channels_) * static_cast<double>(samples_);
    return static_cast<double>(count()) * side * side;
}

void EpochBatch::resize(std::size_t count, std::span<const double> tolerance) {
    std::visit(
        [&]<class T>(std::vector<Owned<T>>& epochs) {
            while (epochs.size() < count) {
                Owned<T> epoch{Matrix<T>(channels_, samples_), {}};
                for (const double r : tolerance) epoch.tolerance.push_back(static_cast<T>(r));
                epochs.push_back(std::move(epoch));
            }
        },
        epochs_);
}

void EpochBatch::set(std::size_t epoch, MatrixView<const double> signals) {
    std::visit(
        [&]<class T>(std::vector<Owned<T>>& epochs) {
            for (std::size_t channel = 0; channel < channels_; ++channel)
                std::transform(signals.row(channel), signals.row(channel) + samples_,
                               epochs[epoch].signals.row(channel),
                               [](double value) { return static_cast<T>(value); });
        },
        epochs_);
}

void EpochBatch::setNormalised(std::size_t epoch, MatrixView<const double> signals) {
    std::visit(
        [&]<class T>(std::vector<Owned<T>>& epochs) {
            normalise<T>(signals, Deviation::Sample, epochs[epoch].signals.view());
        },
        epochs_);
}

EpochBatch EpochBatch::select(std::size_t epoch, std::span<const std::size_t> channels) const {
    EpochBatch selection(format(), channels.size(), samples_);
    std::visit(
        [&]<class T>(const std::vector<Owned<T>>& epochs) {
            const Owned<T>& source = epochs[epoch];
            Owned<T> chosen{Matrix<T>(channels.size(), samples_), source.tolerance};
            for (std::size_t c = 0; c < channels.size(); ++c)
                std::copy_n(source.signals.row(channels[c]), samples_, chosen.signals.row(c));
            if (source.tolerance.size() > 1) {
                chosen.tolerance.clear();
                for (const std::size_t a : channels)
                    for (const std::size_t b : channels)
                        chosen.tolerance.push_back(source.tolerance[a * channels_ + b]);
            }
            std::get<std::vector<Owned<T>>>(selection.epochs_).push_back(std::move(chosen));
        },
        epochs_);
    return selection;
}

std::vector<AnyEpoch> EpochBatch::views() const {
    std::vector<AnyEpoch> views;
    std::visit(
        [&views]<class T>(const std::vector<Owned<T>>& epochs) {
            for (const Owned<T>& epoch : epochs)
                views.push_back(Epoch<T>{epoch.signals.view(), epoch.tolerance});
        },
        epochs_);
    return views;
}

EpochBatch generateBatch(NumberFormat format, const SignalShape& shape, const SignalModel& model, double r,
                         std::uint64_t seed) {
    EpochBatch batch(format, shape.channels, shape.samples);
    batch.resize(shape.epochs, {&r, 1});
    parallelFor(omp_get_max_threads(), shape.epochs, [&](std::size_t e, std::size_t) {
        batch.setNormalised(e,
                            randomSignals(model, shape.channels, shape.samples, derivedSeed(seed, e)).view());
    });
    return batch;
}

}  // namespace glycine::crossapen
