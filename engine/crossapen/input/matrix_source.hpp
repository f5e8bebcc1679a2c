#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/crossapen/input/signal_source.hpp"

namespace glycine::crossapen {

/// Signals that lie in memory, in stretches of one length; channels without types and units.
class MatrixSource : public SignalSource {
  public:
    std::size_t sampleCount(std::size_t, std::size_t) const override { return samples_; }
    void read(std::size_t segment, std::size_t channel, std::size_t first,
              std::span<double> target) const override;

  protected:
    /// Adds `count` channels. Without names, they are numbered from 1. Those that are called as times are
    /// (see isTimeName) are no signals, unless `keepTime`.
    void nameChannels(std::size_t count, const std::vector<std::string>& names, bool keepTime);

    Matrix<double> values_;  ///< stretches · channels × samples
    std::size_t samples_ = 0;
};

/// Whether a column of this name holds times: time, timestamp, datetime, date, t, s, sec, second, ms, us and
/// the like, in any case, with a unit or the like behind: "Time (s)", "time_ms", "Time:512Hz".
bool isTimeName(std::string_view name);

/// The even step of a ramp, samples that rise or fall evenly as times and counters do: at least 16, none of
/// them further than half a step from the straight line between the first and the last, none equal to its
/// neighbour. 0: it is none.
double rampStep(std::span<const double> samples);

}  // namespace glycine::crossapen
