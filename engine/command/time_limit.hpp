#pragma once

#include <string>

#include "engine/core/error.hpp"

/// A time limit after which long work ends. There is one per process, like the cancellation flag
/// (core/cancellation.hpp). The progress of every CommandContext checks it.
namespace glycine {

/// The work exceeded its time limit; the message names the limit.
class TimeLimitError : public Error {
  public:
    using Error::Error;
};

/// While it exists, the progress of a command throws TimeLimitError once the time is over. Only one may exist
/// at a time. Create and destroy it while no such work runs.
class TimeLimit {
  public:
    /// `seconds` from now; infinite: never. `reason`: "the limit of 60 s a figure was reached".
    TimeLimit(double seconds, std::string reason);
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    ~TimeLimit();

    /// Whether a limit is set, has passed, and is not suspended.
    static bool hasExpired();
    /// Throws TimeLimitError if hasExpired().
    static void throwIfOver();
    /// Seconds until the limit; infinite without a limit.
    static double secondsLeft();
    /// Reason of the present limit; empty without one.
    static std::string reason();

    /// Suspends the limit while it exists, for work that must be done after the time is over.
    class Suspension {
      public:
        Suspension();
        Suspension(const Suspension&) = delete;
        Suspension& operator=(const Suspension&) = delete;
        ~Suspension();

      private:
        bool before_;
    };
};

}  // namespace glycine
