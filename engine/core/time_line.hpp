#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/stopwatch.hpp"

namespace glycine {

/// A timed part of a run.
struct TimedStage {
    std::string stage;   ///< "read"
    double seconds = 0;  ///< of the wall clock, in which nothing else was waited for
    double beside = 0;   ///< seconds more, while other stages were at work
};

/// Where the time of a command went: one stage after another on the thread that runs it. Whatever is between
/// two marks belongs to a stage, so that all of them add up to the wall clock.
class TimeLine {
  public:
    /// What no stage claims.
    static constexpr std::string_view kOther = "other";

    /// `begin`: of the run.
    explicit TimeLine(Clock::TimePoint begin = Clock::now()) : begin_(begin), last_(begin) {}

    /// The time since the last mark was this stage; of one that was there before, more of it. Returns these
    /// seconds.
    double end(std::string_view stage);
    /// The time since the last mark was these stages, measured by those who ran them, and what they leave of
    /// it was `rest`. Where they ran side by side they add up to more: then each gives up its share of the
    /// excess, which becomes time beside other stages.
    double divide(std::vector<TimedStage> parts, std::string_view rest = kOther);

    /// Since the beginning.
    double wall() const { return Clock::secondsBetween(begin_, Clock::now()); }
    /// In the order in which they first ended; those without any time are left out.
    const std::vector<TimedStage>& stages() const { return stages_; }

  private:
    void add(const TimedStage& time);

    Clock::TimePoint begin_;
    Clock::TimePoint last_;
    std::vector<TimedStage> stages_;
};

}  // namespace glycine
