#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"

/// Signals generated from a seed, for tests and measurements. Identical on every machine.
namespace glycine::crossapen {

/// The process that generates the channels of a recording. Channels form a chain: each one after the first
/// takes a share κ, the coupling, from its predecessor and depends on no other.
enum class SignalKind {
    /// Standard normal noise: x_c = κ x_{c−1} + √(1 − κ²) e_c. The correlation of channels a, b is κ^|a − b|.
    White,
    /// Sum of eight first-order autoregressive processes of equal power with the coefficients 0, 1/2, 3/4 …
    /// 127/128, whose corner frequencies are an octave apart. Power falls as about 1/f, as in EEG; the
    /// standard deviation is 1. Channels are mixed as in White and have the same correlations.
    Autoregressive,
    /// Hénon maps: x_c(t) = 1.4 − (κ x_{c−1}(t−1) + (1 − κ) x_c(t−1))² + 0.3 x_c(t−2).
    /// Source: A. Politi, A. Torcini, "Periodic orbits in coupled Hénon maps: Lyapunov and multifractal
    /// analysis", Chaos 2 (1992), 293–300.
    Henon,
    /// Logistic maps: x_c(t) = f(κ x_{c−1}(t−1) + (1 − κ) x_c(t−1)), f(x) = 3.99 x (1 − x). From about κ =
    /// 0.5 on, channels synchronise.
    Logistic,
    /// Lorenz systems, coupled through x, which is the signal: ẋ_c = 10 (y_c − x_c + κ (x_{c−1} − x_c)), ẏ_c
    /// = x_c (28 − z_c) − y_c, ż_c = x_c y_c − 8/3 z_c. A sample is taken every 0.03 units of time, in three
    /// steps of the classical Runge-Kutta method.
    /// Source: E. N. Lorenz, "Deterministic nonperiodic flow", J. Atmos. Sci. 20 (1963), 130–141.
    Lorenz
};
constexpr auto namesOf(SignalKind) {
    using enum SignalKind;
    return namesAre<SignalKind>("kind of signals", {{White, "white"},
                                                    {Autoregressive, "ar"},
                                                    {Henon, "henon"},
                                                    {Logistic, "logistic"},
                                                    {Lorenz, "lorenz"}});
}

struct SignalModel {
    SignalKind kind = SignalKind::Autoregressive;
    double coupling = 0.3;  ///< κ, 0 (independent channels) … 1
};

/// Returns channels × samples signals without their transients. With the same model and seed, more channels
/// or samples begin with the same numbers. Throws UsageError for no channels or samples, or a coupling
/// outside 0 … 1.
Matrix<double> randomSignals(const SignalModel& model, std::size_t channels, std::size_t samples,
                             std::uint64_t seed);

struct EpochExtents {
    std::size_t channels = 0;
    std::size_t samples = 0;
    std::size_t epochs = 1;
};

/// Independent epochs of randomSignals, channels × samples each.
std::vector<Matrix<double>> randomEpochs(const SignalModel& model, const EpochExtents& extents,
                                         std::uint64_t seed);

}  // namespace glycine::crossapen
