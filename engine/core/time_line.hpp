#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/stopwatch.hpp"

namespace glycine {

/// A timed part of a run.
struct TimedStage {
    std::string stage;      ///< "read"
    double seconds = 0;     ///< wall-clock time in which no other stage ran
    double overlapped = 0;  ///< additional seconds that overlapped other stages
};

/// Where the time of a command went, as consecutive stages of its main thread. All time between two marks
/// belongs to a stage, so the stages add up to the wall clock.
class TimeLine {
  public:
    /// Time that no stage claims.
    static constexpr std::string_view kOther = "other";

    /// `begin` is the start of the run.
    explicit TimeLine(Clock::TimePoint begin = Clock::now()) : begin_(begin), last_(begin) {}

    /// Assigns the time since the last mark to this stage, adding to it if it exists. Returns these seconds.
    double end(std::string_view stage);
    /// Assigns the time since the last mark to these stages, which measured themselves, and the remainder to
    /// `rest`. Stages that overlapped add up to more. Each then gives up its share of the excess, which
    /// becomes overlapped time (`overlapped`).
    double divide(std::vector<TimedStage> parts, std::string_view rest = kOther);

    /// Wall-clock seconds since the beginning.
    double wall() const { return Clock::secondsBetween(begin_, Clock::now()); }
    /// Stages in the order in which they first ended, without those that took no time.
    const std::vector<TimedStage>& stages() const { return stages_; }

  private:
    void add(const TimedStage& time);

    Clock::TimePoint begin_;
    Clock::TimePoint last_;
    std::vector<TimedStage> stages_;
};

}  // namespace glycine
