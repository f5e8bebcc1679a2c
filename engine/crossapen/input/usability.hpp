#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tiling.hpp"

/// Whether the samples of a channel can be used, epoch by epoch, decided on the samples that the file has:
/// resampling and filters make noise of what was constant.
namespace glycine::crossapen {

/// Shares of the samples of an epoch, 0 … 1, above which a channel cannot be used there.
struct UsabilityLimits {
    double flat = 0.2;
    double clipped = 0.05;
};

/// Why an epoch of a channel cannot be used.
struct UnusableEpoch {
    std::size_t epoch = 0;
    std::string reason;  ///< "constant", "padding at the end of the file", "flat", "clipped"
    double share = 1;    ///< of its samples that this is true of, 0 … 1
};

/// Looks at one channel, stretch by stretch. Of each epoch, the first of these that holds counts:
///
/// - constant: all samples are equal, up to 2⁻⁴⁰ of the largest one, which is rounding;
/// - padding: it reaches into the equal samples that the file ends in;
/// - flat: more than UsabilityLimits::flat of the samples lie in stretches of equal ones;
/// - clipped: more than UsabilityLimits::clipped of the samples are at an end of the channel's range where
///   they pile up.
///
/// Equal samples are a stretch, or padding, when they last 0.1 s, and at least 16 samples; where no rate is
/// known, 1/32 of an epoch. A range has an end where samples pile up when its extreme value is there eight
/// times, and four times as often as the next one (values within 2⁻³⁰ of the range are one); channels with
/// fewer than 16 values are symbols, and have none. Epochs with a sample that is not finite are passed over.
///
/// Flat stretches and their share follow what EEG toolboxes look for ("flat" of MNE-Python's
/// annotate_amplitude, clean_flatlines of EEGLAB's clean_rawdata); the limits are this program's own.
class ChannelUsability {
  public:
    /// `samplingRate` of the file's samples, Hz, 0: unknown; `epochSamples`: of these in an epoch.
    ChannelUsability(double samplingRate, std::size_t epochSamples);

    /// An epoch, and which samples of a stretch it is made of.
    struct Place {
        std::size_t epoch = 0;
        Range samples;
    };
    /// The next stretch without gaps; `places` in ascending order. `isLast`: the file ends with it.
    void add(std::span<const double> samples, std::span<const Place> places, bool isLast);

    /// What cannot be used of the epochs, in the order in which they came.
    std::vector<UnusableEpoch> judge(const UsabilityLimits& limits) const;

  private:
    /// An end of a range: the extreme value, and the next one.
    struct End {
        double value = 0;
        std::size_t count = 0;  ///< samples that have it; 0: none yet
        double next = 0;
        std::size_t nextCount = 0;
        /// `direction`: 1 for the upper end, −1 for the lower one. Values within `tolerance` are one.
        void add(double sample, double direction, double tolerance);
        bool isPile() const;
    };
    struct EpochFacts {
        std::size_t epoch = 0;
        std::size_t samples = 0;
        bool isFinite = true;
        double lowest = 0;
        double highest = 0;
        std::size_t atLowest = 0;
        std::size_t atHighest = 0;
        std::size_t flat = 0;
        std::size_t padding = 0;
    };
    EpochFacts factsOf(const Place& place, std::span<const double> samples) const;
    void findStretches(std::span<const double> samples, std::span<const Place> places,
                       std::span<EpochFacts> facts, bool isLast) const;
    std::optional<UnusableEpoch> judge(const EpochFacts& facts, const UsabilityLimits& limits) const;

    /// Up to which samples are the same value.
    double tolerance() const;

    std::size_t shortestStretch_;
    double lowest_ = std::numeric_limits<double>::infinity();
    double highest_ = -std::numeric_limits<double>::infinity();
    End upper_;
    End lower_;
    std::vector<double> values_;  ///< different ones, up to so many that it is no symbol
    std::vector<EpochFacts> epochs_;
};

}  // namespace glycine::crossapen
