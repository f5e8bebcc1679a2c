#include "engine/crossapen/input/resampler.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.hpp"
#include "engine/crossapen/input/odd_extension.hpp"

namespace glycine::crossapen {

namespace {

using std::numbers::pi;

/// Kaiser's rules for a stop band of 100 dB.
constexpr double kAttenuation = 100;
constexpr double kShape = 0.1102 * (kAttenuation - 8.7);
/// Width of the transition, as a share of half the lower rate; it ends there.
constexpr double kTransition = 0.1;
/// Phases whose weights are kept for all results.
constexpr std::uint64_t kKeptPhases = 1024;
/// Results whose weights are made at a time: they are used by all channels while they lie in a cache.
constexpr std::size_t kBlock = 64;

/// The modified Bessel function of the first kind of order 0, by its series.
double besselI0(double x) {
    const double quarter = x * x / 4;
    double term = 1, sum = 1;
    for (int k = 1; term > sum * 1e-17; ++k) {
        term *= quarter / (static_cast<double>(k) * k);
        sum += term;
    }
    return sum;
}

}  // namespace

RateRatio nearestRatio(double value) {
    constexpr double kLargest = 1e7;
    double rest = value;
    RateRatio last{1, 0}, ratio{static_cast<std::uint64_t>(std::floor(value)), 1};
    while (true) {
        const double found = static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
        if (std::abs(found - value) <= 1e-12 * value) return ratio;
        rest = 1 / (rest - std::floor(rest));
        const double whole = std::floor(rest);
        if (whole * static_cast<double>(std::max(ratio.numerator, ratio.denominator)) >= kLargest)
            return ratio;
        const auto factor = static_cast<std::uint64_t>(whole);
        const RateRatio next{factor * ratio.numerator + last.numerator,
                             factor * ratio.denominator + last.denominator};
        last = ratio;
        ratio = next;
    }
}

Resampler::Resampler(double from, double to) : ratio_(nearestRatio(to / from)) {
    const double lower = std::min(1.0, to / from);
    cutoff_ = (1 - kTransition / 2) * lower;
    // In radians a sample the transition is π · kTransition · lower wide.
    const double taps = (kAttenuation - 7.95) / (2.285 * pi * kTransition * lower);
    half_ = static_cast<std::size_t>(std::ceil(taps / 2));
}

std::size_t Resampler::resultSamples(std::size_t samples) const {
    // Result i lies i · M / L samples from the beginning.
    return (samples * ratio_.numerator + ratio_.denominator - 1) / ratio_.denominator;
}

void Resampler::fillWeights(std::uint64_t phase, double* weights) const {
    const double place = static_cast<double>(phase) / static_cast<double>(ratio_.numerator);
    const auto reach = static_cast<double>(half_);
    double sum = 0;
    for (std::size_t k = 0; k < 2 * half_; ++k) {
        // From the result to the sample: −reach < t ≤ reach.
        const double t = static_cast<double>(k) + 1 - reach - place;
        const double share = t / reach;
        const double window = besselI0(kShape * std::sqrt(std::max(0.0, 1 - share * share)));
        weights[k] = window * (t == 0 ? cutoff_ : std::sin(pi * cutoff_ * t) / (pi * t));
        sum += weights[k];
    }
    for (std::size_t k = 0; k < 2 * half_; ++k) weights[k] /= sum;
}

void Resampler::apply(std::span<const std::span<double>> inputs, std::span<const std::span<double>> results,
                      const std::function<void(std::size_t)>& advance) const {
    if (inputs.empty()) return;
    const std::size_t width = 2 * half_;
    const std::size_t count = results.front().size();
    const int threads = omp_get_max_threads();
    parallelFor(threads, inputs.size(), [&](std::size_t c, std::size_t) { fillMargins(inputs[c], half_); });

    std::vector<double> kept;
    const bool areKept = ratio_.numerator <= kKeptPhases;
    if (areKept) {
        kept.resize(ratio_.numerator * width);
        for (std::uint64_t phase = 0; phase < ratio_.numerator; ++phase)
            fillWeights(phase, kept.data() + phase * width);
    }
    parallelFor(threads, (count + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t) {
        const std::size_t first = block * kBlock, end = std::min(first + kBlock, count);
        std::vector<double> made(areKept ? 0 : kBlock * width);
        std::vector<const double*> weights(end - first);
        std::vector<std::size_t> begins(end - first);
        for (std::size_t i = first; i < end; ++i) {
            const std::uint64_t place = i * ratio_.denominator;
            const std::uint64_t phase = place % ratio_.numerator;
            // The first sample that counts is place − half + 1, behind the margin of half.
            begins[i - first] = place / ratio_.numerator + 1;
            double* const own = areKept ? kept.data() + phase * width : made.data() + (i - first) * width;
            if (!areKept) fillWeights(phase, own);
            weights[i - first] = own;
        }
        for (std::size_t channel = 0; channel < inputs.size(); ++channel)
            for (std::size_t i = first; i < end; ++i) {
                const double* const samples = inputs[channel].data() + begins[i - first];
                const double* const own = weights[i - first];
                // Four sums, in an order that vector instructions can follow.
                double sums[4] = {0, 0, 0, 0};
                std::size_t k = 0;
                for (; k + 4 <= width; k += 4)
                    for (std::size_t lane = 0; lane < 4; ++lane)
                        sums[lane] += own[k + lane] * samples[k + lane];
                for (; k < width; ++k) sums[0] += own[k] * samples[k];
                results[channel][i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            }
        advance((end - first) * inputs.size());
    });
}

}  // namespace glycine::crossapen
