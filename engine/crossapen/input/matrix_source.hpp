#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/crossapen/input/signal_source.hpp"

namespace glycine::crossapen {

/// Signals in memory, in segments of one length. Channels have no types and units.
class MatrixSource : public SignalSource {
  public:
    std::size_t sampleCount(std::size_t, std::size_t) const override { return samples_; }
    void read(std::size_t segment, std::size_t channel, std::size_t first,
              std::span<double> target) const override;

  protected:
    /// Adds `count` channels, numbered from 1 if there are no names. Channels named like times (isTimeName)
    /// are not signals, unless `keepTime`.
    void nameChannels(std::size_t count, const std::vector<std::string>& names, bool keepTime);

    Matrix<double> values_;  ///< segments · channels × samples
    std::size_t samples_ = 0;
};

/// Whether a column of this name holds times: time, timestamp, datetime, date, t, s, sec, second, ms, us and
/// the like, in any case, optionally followed by a unit or the like: "Time (s)", "time_ms", "Time:512Hz".
bool isTimeName(std::string_view name);

/// The step of a ramp, or 0 if `samples` are not a ramp. A ramp rises or falls evenly, as times and counters
/// do: at least 16 samples, all within half a step of the straight line from the first to the last, no two
/// neighbours equal.
double rampStep(std::span<const double> samples);

}  // namespace glycine::crossapen
