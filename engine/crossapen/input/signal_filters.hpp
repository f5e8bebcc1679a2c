#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/input/signals.hpp"

/// Filters applied to samples before epochs are cut. Segments are extended beyond their ends, so that no
/// filter sees a step.
namespace glycine::crossapen {

// ---- Ends

/// Returns a segment extended by `margin` samples on either side, reflected about its first and last sample
/// in time and value: x(−k) = 2 x(0) − x(k). Level and slope continue, so a filter does not see a step.
/// Margins longer than the segment are reflected repeatedly; a single sample is repeated. `samples`: at least
/// one.
std::vector<double> extendOddly(std::span<const double> samples, std::size_t margin);

/// The same in place: the segment lies between the first and the last `margin` elements of `extended`.
void fillMargins(std::span<double> extended, std::size_t margin);

// ---- Resampling

/// L / M, both at least 1, without a common divisor.
struct RateRatio {
    std::uint64_t numerator = 1;
    std::uint64_t denominator = 1;
    bool operator==(const RateRatio&) const = default;
};

/// The simplest fraction within 1e-12 of `value`, by continued fractions. Terms stay below 10⁷: ratios of two
/// rates of up to seven digits are exact, others within 1e-11. value > 0.
RateRatio nearestRatio(double value);

/// Converts signals from one sampling rate to another. Sample i of the result is at i / rate seconds from the
/// beginning. It is the sum of the surrounding input samples, weighted by a sinc under a Kaiser window
/// centred at that time, which makes the phase zero. With f the lower of the two rates, the gain is 1 up to
/// 0.45 f, 1/2 at 0.475 f, and below 1e-5 (−100 dB) from 0.5 f on. The weights add up to 1, so a constant is
/// preserved. Segments are extended as in extendOddly.
///
/// Available libraries either work in float32 or take the signal to be 0 beyond its ends, where the offset of
/// a DC-coupled recording would ring.
/// Source of the window: J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window
/// function", Proc. IEEE Int. Symp. Circuits and Systems (1974), 20–23.
class Resampler {
  public:
    /// Rates in Hz, above 0.
    Resampler(double from, double to);

    /// Samples of the result for `samples` of input: all whose time is before the input's end.
    std::size_t resultSamples(std::size_t samples) const;
    /// Extra samples that an input needs on either side.
    std::size_t margin() const { return half_; }

    /// `inputs`: channels of equal length, each with margin() extra elements at either end, which this
    /// function fills in. `results`: one per channel, of equal length, at most resultSamples(). `advance`
    /// receives the number of finished samples over all channels, from several threads at a time. Uses all
    /// threads.
    void apply(std::span<const std::span<double>> inputs, std::span<const std::span<double>> results,
               const std::function<void(std::size_t)>& advance) const;

  private:
    void fillWeights(std::uint64_t phase, double* weights) const;

    RateRatio ratio_;       ///< result rate / input rate
    double cutoff_ = 1;     ///< where the gain is 1/2, as a fraction of the input's Nyquist frequency
    std::size_t half_ = 1;  ///< weights on either side of a result
};

// ---- Band pass

/// A linear-phase FIR filter, applied without delay about its centre: the difference of two low passes, each
/// a sinc under a Hamming window with a gain of 1 at 0 Hz.
///
/// Transitions lie outside the band. The lower one, below `low`, is min(max(low / 4, 2 Hz), low) wide; the
/// upper one, above `high`, min(max(high / 4, 2 Hz), Nyquist frequency − high). The gain in the middle of a
/// transition is 1/2. A low pass with a transition of Δf has 3.3 / Δf seconds of taps, an odd number. Within
/// the band the gain is 1 ± 0.005, beyond the transitions below 0.0032 (−50 dB). At 0 Hz it is 0 except for
/// rounding, unless low = 0.
///
/// Transition widths and length are the defaults of MNE-Python's `filter_data`. Source of the window's
/// properties: A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", chapter 7.
class BandPass {
  public:
    /// `samplingRate` in Hz. Throws UsageError as requireBand does, and for an edge that is not below half
    /// the sampling rate.
    BandPass(const FrequencyBand& band, double samplingRate);
    ~BandPass();
    BandPass(BandPass&&) noexcept;

    /// Number of taps of such a filter, odd, for bands and rates that the constructor accepts. Low edges near
    /// 0 Hz need many: check before constructing the filter.
    static std::size_t tapsOf(const FrequencyBand& band, double samplingRate);
    std::size_t taps() const { return coefficients_.size(); }
    /// Symmetric about the middle coefficient.
    std::span<const double> coefficients() const { return coefficients_; }
    /// "band pass 0.5–40 Hz (zero-phase FIR, Hamming, 1057 taps)".
    std::string description() const;

    /// Filters a segment without gaps in place, extended as in extendOddly. A non-finite sample makes NaN of
    /// all samples within half the filter's length. Needs at least one sample. Thread-safe.
    void apply(std::span<double> samples) const;

  private:
    struct Transform;
    FrequencyBand band_;
    std::vector<double> coefficients_;
    std::unique_ptr<Transform> transform_;
};

/// Throws UsageError unless 0 ≤ low < high and at least one edge is set: low = 0 is a low pass, high =
/// infinity a high pass.
void requireBand(const FrequencyBand& band);
/// "band pass 0.5–40 Hz", "low pass 40 Hz", "high pass 0.5 Hz".
std::string describeBand(const FrequencyBand& band);

}  // namespace glycine::crossapen
