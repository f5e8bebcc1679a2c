#pragma once

#include <chrono>

namespace glycine {

/// The one clock of progress, time limits and stopwatches. It is steady: it never goes back.
///
/// The environment variable GLYCINE_CLOCK_STEP replaces it for tests of whole programs: each look at the
/// clock then takes that many seconds, so that what happens "once a second" happens at counted steps.
class Clock {
  public:
    using Duration = std::chrono::steady_clock::duration;
    using TimePoint = std::chrono::steady_clock::time_point;

    static TimePoint now();
    /// When the process began, before it loaded its libraries; a clock that tests hold, or a system that does
    /// not tell: now.
    static TimePoint processStart();
    /// Processor time that this thread has taken, in seconds. A clock that tests hold stands for both.
    static double threadSeconds();
    /// Lets seconds pass at once, for tests.
    static void advance(double seconds);
    static double secondsBetween(TimePoint begin, TimePoint end) {
        return std::chrono::duration<double>(end - begin).count();
    }
};

/// Stops the clock of the process for as long as it lives, for tests: time passes in Clock::advance() alone.
class HeldClock {
  public:
    HeldClock();
    HeldClock(const HeldClock&) = delete;
    HeldClock& operator=(const HeldClock&) = delete;
    ~HeldClock();
};

/// Seconds on the steady clock.
class Stopwatch {
  public:
    double seconds() const { return Clock::secondsBetween(start_, Clock::now()); }
    /// Seconds since the start, and starts again.
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
