#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/input/signals.hpp"

namespace glycine::crossapen {

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
    BandPass(const Band& band, double samplingRate);
    ~BandPass();
    BandPass(BandPass&&) noexcept;

    /// Number of coefficients that such a filter has, odd; for bands and rates that the constructor takes.
    /// Low edges near 0 Hz take many: look before making one.
    static std::size_t tapsOf(const Band& band, double samplingRate);
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
    Band band_;
    std::vector<double> coefficients_;
    std::unique_ptr<Transform> transform_;
};

/// Throws UsageError unless 0 ≤ low < high, and one of the edges is there: low = 0 is a low pass, high =
/// infinity a high pass.
void requireBand(const Band& band);
/// "band pass 0.5–40 Hz", "low pass 40 Hz", "high pass 0.5 Hz".
std::string describeBand(const Band& band);

}  // namespace glycine::crossapen
