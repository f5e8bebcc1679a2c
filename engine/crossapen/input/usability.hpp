#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tiling.hpp"

/// Decides whether the samples of a channel are usable, epoch by epoch. Uses the samples in the file, because
/// resampling and filters turn constant samples into noise.
namespace glycine::crossapen {

/// Shares of the samples of an epoch, 0 … 1, above which a channel is unusable there.
struct UsabilityLimits {
    double flat = 0.2;
    double clipped = 0.05;
};

/// Why an epoch of a channel is unusable.
struct UnusableEpoch {
    std::size_t epoch = 0;
    std::string reason;  ///< "constant", "padding at the end of the file", "flat", "clipped"
    double share = 1;    ///< fraction of its samples to which the reason applies, 0 … 1
};

/// Examines one channel, segment by segment. The first of these reasons that applies to an epoch counts:
///
/// - constant: all samples are equal within 2⁻⁴⁰ of the largest one, which is rounding;
/// - padding: the epoch overlaps the equal samples at the end of the file;
/// - flat: more than UsabilityLimits::flat of the samples are in runs of equal samples;
/// - clipped: more than UsabilityLimits::clipped of the samples are at an end of the channel's range where
///   they pile up.
///
/// Equal samples are a run, or padding, if they last 0.1 s and at least 16 samples; if the rate is unknown,
/// 1/32 of an epoch and at least 16 samples. Samples pile up at an end of the range if its extreme value
/// occurs at least eight times, and four times as often as the next value. Values within 2⁻³⁰ of the range
/// count as one. Channels with fewer than 16 distinct values are symbols and have no such ends. Epochs with a
/// non-finite sample are skipped.
///
/// Flat runs and their share follow EEG toolboxes ("flat" of MNE-Python's annotate_amplitude, clean_flatlines
/// of EEGLAB's clean_rawdata); the limits are this program's own.
class ChannelUsability {
  public:
    /// `samplingRate`: Hz, of the file's samples, 0 if unknown; `epochSamples`: such samples per epoch.
    ChannelUsability(double samplingRate, std::size_t epochSamples);

    /// An epoch, and its samples within a segment.
    struct Place {
        std::size_t epoch = 0;
        Range samples;
    };
    /// Adds the next segment without gaps; `places` in ascending order. `isLast`: the file ends with it.
    void add(std::span<const double> samples, std::span<const Place> places, bool isLast);

    /// The unusable epochs, in the order in which they were added.
    std::vector<UnusableEpoch> judge(const UsabilityLimits& limits) const;

  private:
    /// An end of a range: the extreme value, and the next value.
    struct End {
        double value = 0;
        std::size_t count = 0;  ///< samples with this value; 0: none yet
        double next = 0;
        std::size_t nextCount = 0;
        /// `direction`: 1 for the upper end, −1 for the lower one. Values within `tolerance` count as one.
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

    /// Samples that differ by no more than this are the same value.
    double tolerance() const;

    std::size_t shortestStretch_;
    double lowest_ = std::numeric_limits<double>::infinity();
    double highest_ = -std::numeric_limits<double>::infinity();
    End upper_;
    End lower_;
    std::vector<double> values_;  ///< distinct values, up to the number that rules out symbols
    std::vector<EpochFacts> epochs_;
};

}  // namespace glycine::crossapen
