#pragma once

/// Lets tests stop a run at a counted step instead of after a time, so that no test depends on how fast a
/// machine is. The environment variable GLYCINE_STOP_AT holds
///
///     poll:N         at the Nth time that the run checks for a stop, the process sends itself SIGINT
///     entry:N        the same once N groups of finished tiles are in a journal
///     …:kill         either with SIGKILL
///     …:pause        either with SIGSTOP
///     never          no signal of its own: the test sends one
///
/// and takes away the timer that ends a run which does not stop by itself (core/cancellation.hpp). With
/// GLYCINE_POLL_REPORT=FILE the process writes at its end how often it checked for a stop, the longest time
/// between two checks and the time from the first to the last, in seconds: "1234 0.012 3.4".
namespace glycine {

enum class StopPoint { Poll, Entry };

/// Reads the environment; installCancellationHandler() calls it, so that programs that only link the library
/// are never stopped.
void installStopPoints();
/// True where GLYCINE_STOP_AT is set.
bool stopsByItselfOnly();
/// Counts a step, and stops there where the environment says so.
void passStopPoint(StopPoint point);

}  // namespace glycine
