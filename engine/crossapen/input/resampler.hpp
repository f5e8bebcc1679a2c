#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace glycine::crossapen {

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

}  // namespace glycine::crossapen
