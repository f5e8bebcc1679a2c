#include "engine/crossapen/random_signals.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/random.hpp"

namespace glycine::crossapen {

namespace {

/// Samples of a chaotic system that are dropped, so that it has reached its attractor.
constexpr std::size_t kTransient = 1000;

/// Reports how many samples are done, and allows cancellation. Thread-safe.
class SampleCount {
  public:
    SampleCount(std::size_t channels, std::size_t samples)
        : work_("generating signals", static_cast<double>(channels) * static_cast<double>(samples)) {}
    /// Called for sample `i` of a channel.
    void reach(std::size_t i) {
        constexpr std::size_t kBetween = std::size_t{1} << 16;
        if (i % kBetween != 0 || i == 0) return;
        const std::lock_guard lock(mutex_);
        work_.advance(kBetween);
    }

  private:
    std::mutex mutex_;
    BackgroundWork work_;
};

/// A sequence of standard normal numbers.
class NormalSequence {
  public:
    explicit NormalSequence(std::uint64_t seed) : random_(seed) {}
    double next() {
        hasSpare_ = !hasSpare_;
        if (!hasSpare_) return pair_[1];
        pair_ = normalPair(random_);
        return pair_[0];
    }

  private:
    RandomSequence random_;
    std::array<double, 2> pair_{};
    bool hasSpare_ = false;
};

double ownShare(double coupling) {
    return std::sqrt(1 - coupling * coupling);
}

/// Fills `target` with a channel's own noise.
void fillWhite(std::uint64_t seed, std::size_t samples, double* target, SampleCount& count) {
    NormalSequence normal(seed);
    for (std::size_t i = 0; i < samples; ++i) {
        count.reach(i);
        target[i] = normal.next();
    }
}

void fillAutoregressive(std::uint64_t seed, std::size_t samples, double* target, SampleCount& count) {
    // x ← a x + √(1 − a²) e has standard deviation 1.
    constexpr std::size_t kProcesses = 8;
    NormalSequence normal(seed);
    std::array<double, kProcesses> states{}, decays{}, gains{};
    double step = 1;
    for (std::size_t k = 0; k < kProcesses; ++k) {
        decays[k] = 1 - step;
        gains[k] = ownShare(decays[k]);
        states[k] = normal.next();
        step /= 2;
    }
    const double scale = 1 / std::sqrt(static_cast<double>(kProcesses));
    for (std::size_t i = 0; i < samples; ++i) {
        count.reach(i);
        double sum = 0;
        for (std::size_t k = 0; k < kProcesses; ++k) {
            states[k] = decays[k] * states[k] + gains[k] * normal.next();
            sum += states[k];
        }
        target[i] = scale * sum;
    }
}

/// x_c = κ x_{c−1} + √(1 − κ²) e_c with noise e_c of any spectrum.
template <class Fill>
Matrix<double> mixedNoise(double coupling, std::size_t channels, std::size_t samples, std::uint64_t seed,
                          const Fill& fill) {
    Matrix<double> signals(channels, samples);
    SampleCount count(channels, samples);
    parallelFor(omp_get_max_threads(), channels, [&](std::size_t channel, std::size_t) {
        fill(derivedSeed(seed, channel), samples, signals.row(channel), count);
    });
    for (std::size_t channel = 1; channel < channels; ++channel) {
        double* const own = signals.row(channel);
        const double* const driver = signals.row(channel - 1);
        throwIfCancellationRequested();
        for (std::size_t i = 0; i < samples; ++i) own[i] = coupling * driver[i] + ownShare(coupling) * own[i];
    }
    return signals;
}

/// Iterates a channel of Hénon maps. `own` and `driver` (null: none) include the transient.
void iterateHenon(double coupling, std::uint64_t seed, const double* driver, std::vector<double>& own,
                  SampleCount& count) {
    // Outside its basin of attraction the map diverges. Few of these starts are outside; those are drawn
    // again.
    constexpr double kRunaway = 10;
    RandomSequence random(seed);
    for (std::size_t i = 0; i < own.size();) {
        count.reach(i);
        if (i < 2) {
            own[i++] = 0.2 * random.uniform();
            continue;
        }
        const double mixed =
            driver == nullptr ? own[i - 1] : coupling * driver[i - 1] + (1 - coupling) * own[i - 1];
        own[i] = 1.4 - mixed * mixed + 0.3 * own[i - 2];
        i = std::abs(own[i]) < kRunaway ? i + 1 : 0;
    }
}

void iterateLogistic(double coupling, std::uint64_t seed, const double* driver, std::vector<double>& own,
                     SampleCount& count) {
    RandomSequence random(seed);
    own[0] = 0.1 + 0.8 * random.uniform();
    for (std::size_t i = 1; i < own.size(); ++i) {
        count.reach(i);
        const double mixed =
            driver == nullptr ? own[i - 1] : coupling * driver[i - 1] + (1 - coupling) * own[i - 1];
        own[i] = 3.99 * mixed * (1 - mixed);
    }
}

template <class Iterate>
Matrix<double> coupledMaps(double coupling, std::size_t channels, std::size_t samples, std::uint64_t seed,
                           const Iterate& iterate) {
    Matrix<double> signals(channels, samples);
    SampleCount count(channels, samples);
    std::vector<double> driver, own(kTransient + samples);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        iterate(coupling, derivedSeed(seed, channel), channel == 0 ? nullptr : driver.data(), own, count);
        std::copy_n(own.begin() + kTransient, samples, signals.row(channel));
        driver = own;
    }
    return signals;
}

/// A chain of Lorenz systems. Their states are concatenated.
class LorenzChain {
  public:
    LorenzChain(double coupling, std::size_t channels, std::uint64_t seed)
        : coupling_(coupling), states_(3 * channels), slopes_(states_), sums_(states_), trial_(states_) {
        for (std::size_t channel = 0; channel < channels; ++channel) {
            RandomSequence random(derivedSeed(seed, channel));
            states_[3 * channel] = 2 * random.uniform() - 1;
            states_[3 * channel + 1] = 2 * random.uniform() - 1;
            states_[3 * channel + 2] = 20 + 10 * random.uniform();
        }
    }

    double x(std::size_t channel) const { return states_[3 * channel]; }

    /// One step of the classical Runge-Kutta method.
    void step(double time) {
        computeSlopes(states_);
        sums_ = slopes_;
        for (const double share : {0.5, 0.5, 1.0}) {
            for (std::size_t k = 0; k < trial_.size(); ++k)
                trial_[k] = states_[k] + share * time * slopes_[k];
            computeSlopes(trial_);
            const double weight = share < 1 ? 2 : 1;
            for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += weight * slopes_[k];
        }
        for (std::size_t k = 0; k < states_.size(); ++k) states_[k] += time / 6 * sums_[k];
    }

  private:
    void computeSlopes(const std::vector<double>& at) {
        for (std::size_t k = 0; k < at.size(); k += 3) {
            const double x = at[k], y = at[k + 1], z = at[k + 2];
            const double pull = k == 0 ? 0 : coupling_ * (at[k - 3] - x);
            slopes_[k] = 10 * (y - x + pull);
            slopes_[k + 1] = x * (28 - z) - y;
            slopes_[k + 2] = x * y - 8.0 / 3 * z;
        }
    }

    double coupling_;
    std::vector<double> states_, slopes_, sums_, trial_;
};

Matrix<double> lorenzSignals(double coupling, std::size_t channels, std::size_t samples, std::uint64_t seed) {
    constexpr int kSteps = 3;
    constexpr double kTime = 0.01;
    LorenzChain chain(coupling, channels, seed);
    Matrix<double> signals(channels, samples);
    // All channels advance together.
    BackgroundWork work("generating signals", static_cast<double>(kTransient + samples));
    for (std::size_t i = 0; i < kTransient + samples; ++i) {
        work.advance(1);
        for (int step = 0; step < kSteps; ++step) chain.step(kTime);
        if (i < kTransient) continue;
        for (std::size_t channel = 0; channel < channels; ++channel)
            signals(channel, i - kTransient) = chain.x(channel);
    }
    return signals;
}

}  // namespace

Matrix<double> randomSignals(const SignalModel& model, std::size_t channels, std::size_t samples,
                             std::uint64_t seed) {
    checkKnown(model.kind);
    if (channels == 0 || samples == 0)
        throw UsageError(
            fmt::format("{} channels of {} samples: at least one of each was expected", channels, samples));
    const double coupling = model.coupling;
    if (!(coupling >= 0 && coupling <= 1))
        throw UsageError(fmt::format("the coupling is {}; expected a number from 0 to 1", coupling));
    // Different kinds use different noise.
    const std::uint64_t kindSeed = derivedSeed(mixBits(seed), static_cast<std::uint64_t>(model.kind));
    switch (model.kind) {
        case SignalKind::White:
            return mixedNoise(coupling, channels, samples, kindSeed, fillWhite);
        case SignalKind::Autoregressive:
            return mixedNoise(coupling, channels, samples, kindSeed, fillAutoregressive);
        case SignalKind::Henon:
            return coupledMaps(coupling, channels, samples, kindSeed, iterateHenon);
        case SignalKind::Logistic:
            return coupledMaps(coupling, channels, samples, kindSeed, iterateLogistic);
        case SignalKind::Lorenz:
            break;
    }
    return lorenzSignals(coupling, channels, samples, kindSeed);
}

std::vector<Matrix<double>> randomEpochs(const SignalModel& model, const EpochExtents& extents,
                                         std::uint64_t seed) {
    std::vector<Matrix<double>> epochs(extents.epochs);
    parallelFor(omp_get_max_threads(), extents.epochs, [&](std::size_t e, std::size_t) {
        epochs[e] = randomSignals(model, extents.channels, extents.samples, derivedSeed(seed, e));
    });
    return epochs;
}

}  // namespace glycine::crossapen
