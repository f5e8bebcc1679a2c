#pragma once

#include <chrono>

namespace glycine {

/// The one clock for progress, time limits and stopwatches. It is steady: it never goes back.
///
/// The environment variable GLYCINE_CLOCK_STEP replaces it in tests of whole programs. Each reading of the
/// clock then advances it by that many seconds, so that events that occur "once a second" occur at counted
/// steps.
class Clock {
  public:
    using Duration = std::chrono::steady_clock::duration;
    using TimePoint = std::chrono::steady_clock::time_point;

    static TimePoint now();
    /// When the process began, before it loaded its libraries. Returns the current time if tests hold the
    /// clock or the system does not report it.
    static TimePoint processStart();
    /// Processor time used by this thread, in seconds. A held clock serves as both clocks.
    static double threadSeconds();
    /// Advances the clock at once, for tests.
    static void advance(double seconds);
    static double secondsBetween(TimePoint begin, TimePoint end) {
        return std::chrono::duration<double>(end - begin).count();
    }
};

/// Stops the clock of the process during its lifetime, for tests: only Clock::advance() moves it.
class StoppedClock {
  public:
    StoppedClock();
    StoppedClock(const StoppedClock&) = delete;
    StoppedClock& operator=(const StoppedClock&) = delete;
    ~StoppedClock();
};

/// Seconds on the steady clock.
class Stopwatch {
  public:
    double seconds() const { return Clock::secondsBetween(start_, Clock::now()); }
    /// Returns the seconds since the start, and starts again.
    double restart() {
        const Clock::TimePoint now = Clock::now();
        const double elapsed = Clock::secondsBetween(start_, now);
        start_ = now;
        return elapsed;
    }

  private:
    Clock::TimePoint start_ = Clock::now();
};

}  // namespace glycine
