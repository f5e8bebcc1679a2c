#pragma once

#include <string>

#include "engine/core/error.hpp"

/// A time after which long work ends by itself: one for the process, as the wish to stop is
/// (core/cancellation.hpp), and asked for by the progress of every CommandContext.
namespace glycine {

/// The work did not end in the time that it had; the message says which limit that was.
class TimeLimitError : public Error {
  public:
    using Error::Error;
};

/// While it lives, what asks the progress of a command throws TimeLimitError once the time is over. One at a
/// time; made and ended where no such work is under way.
class TimeLimit {
  public:
    /// `seconds` from now; infinite: never. `reason`: "the limit of 60 s a figure was reached".
    TimeLimit(double seconds, std::string reason);
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    ~TimeLimit();

    /// Whether there is a limit, its time is over, and nothing suspends it.
    static bool isOver();
    /// Throws TimeLimitError where it is.
    static void throwIfOver();
    /// Until the time is over; infinite without a limit.
    static double secondsLeft();
    /// Of the present limit; empty without one.
    static std::string reason();

    /// While it lives, the limit is not asked for: what must still be done when the time is over.
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
