#include "engine/crossapen/input/signal_filters.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <kissfft/kissfft.hh>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::crossapen {

namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

/// Stop-band attenuation in dB, with Kaiser's rule for the window's shape.
constexpr double kAttenuation = 100;
constexpr double kShape = 0.1102 * (kAttenuation - 8.7);
/// Width of the transition band as a fraction of the lower Nyquist frequency, where it ends.
constexpr double kTransition = 0.1;
/// Up to this number of phases, all weights are computed once and kept.
constexpr std::uint64_t kKeptPhases = 1024;
/// Results per block. The weights of a block fit in a cache while all channels use them.
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

/// A low pass, described by its transition band.
struct LowPass {
    double middle = 0;  ///< Hz, where the gain is 1/2
    double width = 0;   ///< Hz

    std::size_t taps(double samplingRate) const {
        // Longer filters cannot be made, so their exact length does not matter.
        constexpr double kLargest = 1e15;
        return static_cast<std::size_t>(std::min(kLargest, std::ceil(3.3 / width * samplingRate))) | 1U;
    }

    std::vector<double> coefficients(double samplingRate) const {
        const std::size_t count = taps(samplingRate);
        const auto half = static_cast<double>(count / 2);
        const double cutoff = 2 * middle / samplingRate;
        std::vector<double> result(count);
        for (std::size_t k = 0; k < count; ++k) {
            const double t = static_cast<double>(k) - half;
            const double sinc = t == 0 ? cutoff : std::sin(pi * cutoff * t) / (pi * t);
            const double window = count == 1 ? 1 : 0.54 + 0.46 * std::cos(pi * t / half);
            result[k] = sinc * window;
        }
        const double sum = std::accumulate(result.begin(), result.end(), 0.0);
        for (double& coefficient : result) coefficient /= sum;
        return result;
    }
};

/// Low passes for the edges of a band. The filter above the lower edge is the complement of lowerEdge.
LowPass lowerEdge(double low) {
    const double width = std::min(std::max(low / 4, 2.0), low);
    return {low - width / 2, width};
}
LowPass upperEdge(double high, double samplingRate) {
    const double width = std::min(std::max(high / 4, 2.0), samplingRate / 2 - high);
    return {high + width / 2, width};
}

/// Adds `scale` times `other` to `filter`, both centred.
void addCentred(std::vector<double>& filter, const std::vector<double>& other, double scale) {
    const std::size_t length = std::max(filter.size(), other.size());
    std::vector<double> sum(length, 0.0);
    for (std::size_t k = 0; k < filter.size(); ++k) sum[(length - filter.size()) / 2 + k] += filter[k];
    for (std::size_t k = 0; k < other.size(); ++k) sum[(length - other.size()) / 2 + k] += scale * other[k];
    filter = std::move(sum);
}

std::vector<double> design(const FrequencyBand& band, double samplingRate) {
    std::vector<double> filter{1.0};
    if (!std::isinf(band.high)) filter = upperEdge(band.high, samplingRate).coefficients(samplingRate);
    if (band.low > 0) addCentred(filter, lowerEdge(band.low).coefficients(samplingRate), -1);
    return filter;
}

/// The power of two for which block filtering (overlap-save) takes the fewest operations per sample.
std::size_t chooseTransformSize(std::size_t taps) {
    std::size_t best = 0;
    double bestCost = std::numeric_limits<double>::infinity();
    const std::size_t smallest = std::bit_ceil(2 * taps);
    for (std::size_t size = std::max<std::size_t>(smallest, 256); size <= 32 * smallest; size *= 2) {
        const double cost =
            static_cast<double>(size) * std::bit_width(size) / static_cast<double>(size - taps + 1);
        // Blocks beyond the first-level cache are slower than their operation count suggests.
        if (cost >= bestCost || (best != 0 && size > 4096)) break;
        best = size;
        bestCost = cost;
    }
    return best;
}

}  // namespace

void fillMargins(std::span<double> extended, std::size_t margin) {
    const std::size_t samples = extended.size() - 2 * margin;
    if (samples == 1) {
        std::fill(extended.begin(), extended.end(), extended[margin]);
        return;
    }
    // Each step extends the known samples on both sides, by at most their length minus one.
    std::size_t begin = margin, end = margin + samples;
    while (begin > 0) {
        const std::size_t step = std::min(begin, end - begin - 1);
        const double first = 2 * extended[begin], last = 2 * extended[end - 1];
        for (std::size_t k = 1; k <= step; ++k) extended[begin - k] = first - extended[begin + k];
        for (std::size_t k = 1; k <= step; ++k) extended[end - 1 + k] = last - extended[end - 1 - k];
        begin -= step;
        end += step;
    }
}

std::vector<double> extendOddly(std::span<const double> samples, std::size_t margin) {
    std::vector<double> extended(samples.size() + 2 * margin);
    std::copy(samples.begin(), samples.end(), extended.begin() + static_cast<std::ptrdiff_t>(margin));
    fillMargins(extended, margin);
    return extended;
}

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
    // The width of the transition in radians per sample is π · kTransition · lower.
    const double taps = (kAttenuation - 7.95) / (2.285 * pi * kTransition * lower);
    half_ = static_cast<std::size_t>(std::ceil(taps / 2));
}

std::size_t Resampler::resultSamples(std::size_t samples) const {
    // Result i is i · M / L samples from the beginning.
    return (samples * ratio_.numerator + ratio_.denominator - 1) / ratio_.denominator;
}

void Resampler::fillWeights(std::uint64_t phase, double* weights) const {
    const double place = static_cast<double>(phase) / static_cast<double>(ratio_.numerator);
    const auto reach = static_cast<double>(half_);
    double sum = 0;
    for (std::size_t k = 0; k < 2 * half_; ++k) {
        // Offset from the result to the sample: −reach < t ≤ reach.
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
            // The first weighted sample is place − half + 1, which is place + 1 counted from the margin's
            // beginning.
            begins[i - first] = place / ratio_.numerator + 1;
            double* const own = areKept ? kept.data() + phase * width : made.data() + (i - first) * width;
            if (!areKept) fillWeights(phase, own);
            weights[i - first] = own;
        }
        for (std::size_t channel = 0; channel < inputs.size(); ++channel)
            for (std::size_t i = first; i < end; ++i) {
                const double* const samples = inputs[channel].data() + begins[i - first];
                const double* const own = weights[i - first];
                // Four partial sums, in an order that allows vector instructions.
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

/// The filter in the frequency domain. KissFFT has a BSD licence, double precision, and nothing to link.
struct BandPass::Transform {
    Transform(std::span<const double> coefficients, std::size_t transformSize)
        : size(transformSize), forward(size, false), backward(size, true), response(size) {
        std::vector<Complex> padded(size);
        std::copy(coefficients.begin(), coefficients.end(), padded.begin());
        forward.transform(padded.data(), response.data());
        for (Complex& value : response) value /= static_cast<double>(size);
    }
    std::size_t size;
    kissfft<double> forward;
    kissfft<double> backward;
    std::vector<Complex> response;
};

BandPass::BandPass(const FrequencyBand& band, double samplingRate) : band_(band) {
    requireBand(band);
    if (const double edge = std::isinf(band.high) ? band.low : band.high; !(edge < samplingRate / 2))
        throw UsageError(fmt::format("{}: expected less than half the sampling rate of {} Hz",
                                     describeBand(band), samplingRate));
    coefficients_ = design(band, samplingRate);
    transform_ = std::make_unique<Transform>(coefficients_, chooseTransformSize(taps()));
}
BandPass::~BandPass() = default;
BandPass::BandPass(BandPass&&) noexcept = default;

std::size_t BandPass::tapsOf(const FrequencyBand& band, double samplingRate) {
    const std::size_t lower = band.low > 0 ? lowerEdge(band.low).taps(samplingRate) : 1;
    const std::size_t upper =
        std::isinf(band.high) ? 1 : upperEdge(band.high, samplingRate).taps(samplingRate);
    return std::max(lower, upper);
}

std::string BandPass::description() const {
    return fmt::format("{} (zero-phase FIR, Hamming, {} taps)", describeBand(band_), taps());
}

void BandPass::apply(std::span<double> samples) const {
    const std::size_t half = taps() / 2;
    std::vector<double> input = extendOddly(samples, half);
    // A transform would spread non-finite samples over the whole block; the filter reaches half its length
    // only.
    std::vector<std::size_t> damaged;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (!std::isfinite(samples[i])) damaged.push_back(i);
    if (!damaged.empty())
        for (double& value : input)
            if (!std::isfinite(value)) value = 0;

    const std::size_t step = transform_->size - taps() + 1;
    std::vector<Complex> block(transform_->size), spectrum(transform_->size);
    // The filter is real, so it processes two blocks independently as the real and the imaginary part.
    for (std::size_t first = 0; first < samples.size(); first += 2 * step) {
        const auto sample = [&](std::size_t index) { return index < input.size() ? input[index] : 0.0; };
        for (std::size_t k = 0; k < block.size(); ++k)
            block[k] = {sample(first + k), sample(first + step + k)};
        transform_->forward.transform(block.data(), spectrum.data());
        for (std::size_t k = 0; k < block.size(); ++k) spectrum[k] *= transform_->response[k];
        transform_->backward.transform(spectrum.data(), block.data());
        // The first taps − 1 results have wrapped around.
        for (std::size_t k = 0; k < step && first + k < samples.size(); ++k)
            samples[first + k] = block[taps() - 1 + k].real();
        for (std::size_t k = 0; k < step && first + step + k < samples.size(); ++k)
            samples[first + step + k] = block[taps() - 1 + k].imag();
    }
    for (const std::size_t i : damaged) {
        const std::size_t begin = i - std::min(i, half);
        const std::size_t end = std::min(i + half + 1, samples.size());
        std::fill(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                  samples.begin() + static_cast<std::ptrdiff_t>(end),
                  std::numeric_limits<double>::quiet_NaN());
    }
}

void requireBand(const FrequencyBand& band) {
    if (!(band.low >= 0 && band.low < band.high) || (band.low == 0 && std::isinf(band.high)))
        throw UsageError(fmt::format(
            "a band from {} to {} Hz: expected 0 ≤ low < high, and one edge at least", band.low, band.high));
}

std::string describeBand(const FrequencyBand& band) {
    if (band.low == 0) return fmt::format("low pass {} Hz", band.high);
    if (std::isinf(band.high)) return fmt::format("high pass {} Hz", band.low);
    return fmt::format("band pass {}–{} Hz", band.low, band.high);
}

}  // namespace glycine::crossapen
