#include "engine/crossapen/input/band_pass.hpp"

#include <fmt/format.h>
#include <kissfft/kissfft.hh>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/crossapen/input/odd_extension.hpp"

namespace glycine::crossapen {

namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

/// A low pass by its transition.
struct LowPass {
    double middle = 0;  ///< Hz, where the gain is 1/2
    double width = 0;   ///< Hz

    std::size_t taps(double samplingRate) const {
        // Beyond this, where no filter can be made, its length does not matter.
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

/// Of the filter that lets pass what lies above the band's lower edge, its complement; of its upper edge.
LowPass lowerEdge(double low) {
    const double width = std::min(std::max(low / 4, 2.0), low);
    return {low - width / 2, width};
}
LowPass upperEdge(double high, double samplingRate) {
    const double width = std::min(std::max(high / 4, 2.0), samplingRate / 2 - high);
    return {high + width / 2, width};
}

/// Adds `scale` times the shorter filter to the middle of the longer one.
void addCentred(std::vector<double>& filter, const std::vector<double>& other, double scale) {
    const std::size_t length = std::max(filter.size(), other.size());
    std::vector<double> sum(length, 0.0);
    for (std::size_t k = 0; k < filter.size(); ++k) sum[(length - filter.size()) / 2 + k] += filter[k];
    for (std::size_t k = 0; k < other.size(); ++k) sum[(length - other.size()) / 2 + k] += scale * other[k];
    filter = std::move(sum);
}

std::vector<double> design(const Band& band, double samplingRate) {
    std::vector<double> filter{1.0};
    if (!std::isinf(band.high)) filter = upperEdge(band.high, samplingRate).coefficients(samplingRate);
    if (band.low > 0) addCentred(filter, lowerEdge(band.low).coefficients(samplingRate), -1);
    return filter;
}

/// A power of two for which filtering by blocks (overlap and save) takes the fewest operations a sample.
std::size_t chooseTransformSize(std::size_t taps) {
    std::size_t best = 0;
    double bestCost = std::numeric_limits<double>::infinity();
    const std::size_t smallest = std::bit_ceil(2 * taps);
    for (std::size_t size = std::max<std::size_t>(smallest, 256); size <= 32 * smallest; size *= 2) {
        const double cost =
            static_cast<double>(size) * std::bit_width(size) / static_cast<double>(size - taps + 1);
        // What does not fit a first-level cache is slower than its count of operations says.
        if (cost >= bestCost || (best != 0 && size > 4096)) break;
        best = size;
        bestCost = cost;
    }
    return best;
}

}  // namespace

/// The filter in the frequency domain. KissFFT: BSD licence, double precision, and nothing to link.
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

BandPass::BandPass(const Band& band, double samplingRate) : band_(band) {
    requireBand(band);
    if (const double edge = std::isinf(band.high) ? band.low : band.high; !(edge < samplingRate / 2))
        throw UsageError(fmt::format("{}: expected less than half the sampling rate of {} Hz",
                                     describeBand(band), samplingRate));
    coefficients_ = design(band, samplingRate);
    transform_ = std::make_unique<Transform>(coefficients_, chooseTransformSize(taps()));
}
BandPass::~BandPass() = default;
BandPass::BandPass(BandPass&&) noexcept = default;

std::size_t BandPass::tapsOf(const Band& band, double samplingRate) {
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
    // A transform spreads what is not finite over its whole block; the filter reaches half its length.
    std::vector<std::size_t> damaged;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (!std::isfinite(samples[i])) damaged.push_back(i);
    if (!damaged.empty())
        for (double& value : input)
            if (!std::isfinite(value)) value = 0;

    const std::size_t step = transform_->size - taps() + 1;
    std::vector<Complex> block(transform_->size), spectrum(transform_->size);
    // The filter is real: of two blocks, one as the real and one as the imaginary part, none sees the other.
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

void requireBand(const Band& band) {
    if (!(band.low >= 0 && band.low < band.high) || (band.low == 0 && std::isinf(band.high)))
        throw UsageError(fmt::format(
            "a band from {} to {} Hz: expected 0 ≤ low < high, and one edge at least", band.low, band.high));
}

std::string describeBand(const Band& band) {
    if (band.low == 0) return fmt::format("low pass {} Hz", band.high);
    if (std::isinf(band.high)) return fmt::format("high pass {} Hz", band.low);
    return fmt::format("band pass {}–{} Hz", band.low, band.high);
}

}  // namespace glycine::crossapen
