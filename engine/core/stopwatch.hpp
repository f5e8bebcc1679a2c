#pragma once

#include "engine/core/clock.hpp"

namespace glycine {

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
