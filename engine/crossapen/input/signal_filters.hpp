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

/// What is done to samples before epochs are cut. Stretches go on beyond their ends, so that no filter sees a
/// step.
namespace glycine::crossapen {

// ---- Ends

/// A stretch of samples and `margin` more on either side, reflected about its first and last sample in time
/// and value: x(−k) = 2 x(0) − x(k). Level and slope go on, so that a filter does not see a step. Margins
/// longer than the stretch are reflected again and again; a single sample is repeated.
/// `samples`: at least one.
std::vector<double> extendOddly(std::span<const double> samples, std::size_t margin);

/// The same where the stretch lies already in its place, `margin` elements behind the beginning of `extended`
/// and before its end.
void fillMargins(std::span<double> extended, std::size_t margin);

// ---- Resampling

/// L / M, both at least 1, without a common divisor.
struct RateRatio {
    std::uint64_t numerator = 1;
    std::uint64_t denominator = 1;
    bool operator==(const RateRatio&) const = default;
};

/// The simplest fraction within 1e-12 of `value`, by continued fractions; terms stay below 10⁷, which gives
/// any ratio of two rates of up to seven digits exactly and others within 1e-11. value > 0.
RateRatio nearestRatio(double value);

/// Brings signals from one sampling rate to another. Sample i of the result lies at i / rate seconds from the
/// beginning and is the sum of the samples around it, weighed by a sinc under a Kaiser window about that
/// time: zero phase. With f the lower of the two rates, the gain is 1 up to 0.45 f, 1/2 at 0.475 f, and below
/// 1e-5 (−100 dB) from 0.5 f on. The weights add up to 1, so that a constant stays what it is. Beyond the
/// ends of a stretch it goes on as extendOddly says.
///
/// No library: those at hand work in float32 or take the signal to be 0 beyond its ends, where the offset of
/// a recording without coupling capacitor would ring.
/// Source of the window: J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window
/// function", Proc. IEEE Int. Symp. Circuits and Systems (1974), 20–23.
class Resampler {
  public:
    /// Rates in Hz, above 0.
    Resampler(double from, double to);

    /// Samples of the result for `samples` of the input: those that lie before the input's end.
    std::size_t resultSamples(std::size_t samples) const;
    /// What an input needs on either side.
    std::size_t margin() const { return half_; }

    /// `inputs`: channels, all of the same length, each with margin() elements more at either end, which are
    /// filled here. `results`: one a channel, of one length, at most resultSamples(). `advance` is told of
    /// samples that are done, all channels' together, by several threads at a time. Uses all threads.
    void apply(std::span<const std::span<double>> inputs, std::span<const std::span<double>> results,
               const std::function<void(std::size_t)>& advance) const;

  private:
    void fillWeights(std::uint64_t phase, double* weights) const;

    RateRatio ratio_;       ///< result rate / input rate
    double cutoff_ = 1;     ///< of the gain 1/2, as a share of half the input rate
    std::size_t half_ = 1;  ///< weights on either side of a result
};

// ---- Band pass

/// A linear-phase FIR filter applied about its centre, so that it delays nothing: the difference of two low
/// passes, each a sinc under a Hamming window with a gain of 1 at 0 Hz. The lower edge at `low` falls off
/// over min(max(low / 4, 2 Hz), low), the upper one at `high` over min(max(high / 4, 2 Hz), half the sampling
/// rate − high), both outside the band; in the middle of a transition the gain is 1/2. A low pass that falls
/// off over Δf has 3.3 / Δf seconds of taps, an odd number. Within the band the gain is 1 ± 0.005, beyond
/// the transitions below 0.0032 (−50 dB); at 0 Hz it is 0 but for rounding unless low = 0.
///
/// Transition widths and length are the defaults of MNE-Python's `filter_data`. Source of the window's
/// properties: A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", chapter 7.
class BandPass {
  public:
    /// `samplingRate` in Hz. Throws UsageError as requireBand, and for an edge that is not below half the
    /// sampling rate.
    BandPass(const FrequencyBand& band, double samplingRate);
    ~BandPass();
    BandPass(BandPass&&) noexcept;

    /// Number of coefficients that such a filter has, odd; for bands and rates that the constructor takes.
    /// Low edges near 0 Hz take many: look before making one.
    static std::size_t tapsOf(const FrequencyBand& band, double samplingRate);
    std::size_t taps() const { return coefficients_.size(); }
    /// Symmetric about the middle one.
    std::span<const double> coefficients() const { return coefficients_; }
    /// "band pass 0.5–40 Hz (zero-phase FIR, Hamming, 1057 taps)".
    std::string description() const;

    /// Filters a stretch without gaps in place; beyond its ends it is taken to go on as extendOddly says. A
    /// sample that is not finite makes NaN of all samples within half the filter's length. At least one
    /// sample. May be called by several threads at a time.
    void apply(std::span<double> samples) const;

  private:
    struct Transform;
    FrequencyBand band_;
    std::vector<double> coefficients_;
    std::unique_ptr<Transform> transform_;
};

/// Throws UsageError unless 0 ≤ low < high, and one of the edges is there: low = 0 is a low pass, high =
/// infinity a high pass.
void requireBand(const FrequencyBand& band);
/// "band pass 0.5–40 Hz", "low pass 40 Hz", "high pass 0.5 Hz".
std::string describeBand(const FrequencyBand& band);

}  // namespace glycine::crossapen
