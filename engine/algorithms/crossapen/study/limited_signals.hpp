#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/algorithms/crossapen/input/signals.hpp"

namespace glycine::crossapen {

/// How much of a file is taken; absent: all of it, in epochs of the usual length.
struct SignalLimits {
    std::optional<std::size_t> channels;  ///< at most
    std::optional<std::size_t> epochs;    ///< at most
    std::optional<std::size_t> samples;   ///< of an epoch
};

/// The first channels of the first epochs of a file: enough of it to compare or to time.
class LimitedSignals {
  public:
    /// Reads the file, neither resampled nor filtered. Throws as readSignals.
    LimitedSignals(const std::string& path, const SignalLimits& limits, Progress& progress);

    std::size_t channels() const { return channels_; }
    std::size_t samples() const { return set_.epochSamples; }
    std::size_t epochs() const { return set_.epochs.size(); }
    /// channels × samples.
    MatrixView<const double> epoch(std::size_t index) const {
        return set_.epoch(index).block(0, 0, channels_, samples());
    }
    /// "S001R01.edf (EDF+, …): 16 of 64 channels, 2 epochs of 1,024".
    std::string description() const;
    const std::vector<std::string>& notes() const { return set_.notes; }

  private:
    SignalSet set_;
    std::size_t channels_ = 0;
};

}  // namespace glycine::crossapen
