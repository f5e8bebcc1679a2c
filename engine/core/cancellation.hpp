#pragma once

#include <filesystem>

/// The user's wish to stop the program: one for the process. Loops that are handed a Progress ask that; files
/// that are read and written ask this, and so do loops that have nobody else to ask.

namespace glycine {

/// How long a program may take to stop by itself, in milliseconds.
inline constexpr int kStopMilliseconds = 1600;

/// Makes Ctrl-C (SIGINT) and SIGTERM set a flag, which long work comes across. What does not within
/// kStopMilliseconds (a library at work, a driver, a disk that hangs) is not waited for: the process then
/// removes the files of discardOnAbort, says that it was stopped, and ends with exit code 130; so it does at
/// once at a second signal. Install once, at the start of a program.
void installCancellationHandler();
/// For programs that link the library and handle signals themselves, as Python does: `isRequested` is asked,
/// too, wherever the wish to stop is. Called from any thread; nullptr: nobody is asked.
void setCancellationSource(bool (*isRequested)());
/// True once a signal has come, or where the source of setCancellationSource says so.
bool cancellationRequested();
/// Throws CancelledError once a signal has come.
void throwIfCancellationRequested();
/// The user has been told: a process that is ended all the same says nothing more.
void cancellationReported();

/// A file that is not to stay when the process is ended in the middle of its work, from now until the
/// object's end.
class DiscardOnAbort {
  public:
    explicit DiscardOnAbort(const std::filesystem::path& file);
    DiscardOnAbort(const DiscardOnAbort&) = delete;
    DiscardOnAbort& operator=(const DiscardOnAbort&) = delete;
    ~DiscardOnAbort();

  private:
    std::size_t slot_;
};

// Lets tests stop a run at a counted step instead of after a time, so that no test depends on how fast a
// machine is. The environment variable GLYCINE_STOP_AT holds
//
//     poll:N         at the Nth time that the run checks for a stop, the process sends itself SIGINT
//     entry:N        the same once N groups of finished tiles are in a journal
//     …:kill         either with SIGKILL
//     …:pause        either with SIGSTOP
//     never          no signal of its own: the test sends one
//
// and takes away the timer that ends a run which does not stop by itself (core/cancellation.hpp). With
// GLYCINE_POLL_REPORT=FILE the process writes at its end how often it checked for a stop, the longest time
// between two checks and the time from the first to the last, in seconds: "1234 0.012 3.4".

enum class StopPoint { Poll, Entry };

/// Reads the environment; installCancellationHandler() calls it, so that programs that only link the library
/// are never stopped.
void installStopPoints();
/// True where GLYCINE_STOP_AT is set.
bool stopsByItselfOnly();
/// Counts a step, and stops there where the environment says so.
void passStopPoint(StopPoint point);

}  // namespace glycine
