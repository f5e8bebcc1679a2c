#include "engine/algorithms/crossapen/random_epochs.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"

namespace glycine::crossapen {

namespace {

/// Between two channels of Apart, in units of their standard deviation.
constexpr double kSeparation = 100;

double changed(Oddity oddity, double value, std::size_t channel, std::size_t sample) {
    const auto number = static_cast<double>(channel);
    const double step = std::round(value / kSignalStep) * kSignalStep;
    switch (oddity) {
        case Oddity::Steps:
            return step;
        case Oddity::Outliers:
            return sample % 7 == 0 ? value : 0.5;
        case Oddity::Apart:
            return value + kSeparation * number;
        case Oddity::Unequal:
            return value * (1 + 0.5 * number);
        case Oddity::Moved:
            return std::ldexp(step + 1000 * (1 + number), 20 - 30 * static_cast<int>(channel));
        case Oddity::Twins:
            break;
    }
    return value;
}

}  // namespace

std::vector<Matrix<double>> randomEpochs(const SignalModel& model, const EpochExtents& extents,
                                         std::uint64_t seed) {
    std::vector<Matrix<double>> epochs(extents.epochs);
    parallelFor(omp_get_max_threads(), extents.epochs, [&](std::size_t e, std::size_t) {
        epochs[e] = randomSignals(model, extents.channels, extents.samples, derivedSeed(seed, e));
    });
    return epochs;
}

std::vector<Matrix<double>> oddEpochs(Oddity oddity, const EpochExtents& extents, std::uint64_t seed) {
    std::vector<Matrix<double>> epochs = randomEpochs({}, extents, seed);
    for (Matrix<double>& epoch : epochs)
        for (std::size_t channel = 0; channel < epoch.rows(); ++channel) {
            if (oddity == Oddity::Twins) std::copy_n(epoch.row(0), epoch.columns(), epoch.row(channel));
            for (std::size_t i = 0; i < epoch.columns(); ++i)
                epoch(channel, i) = changed(oddity, epoch(channel, i), channel, i);
        }
    return epochs;
}

}  // namespace glycine::crossapen
