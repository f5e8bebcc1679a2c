#pragma once

#include <filesystem>

/// The user's request to stop the program: one flag per process. Loops that receive a Progress check it
/// through that. Reading and writing files, and other loops without a Progress, check the flag directly.

namespace glycine {

/// Time that a program may take to stop by itself, in milliseconds.
inline constexpr int kStopMilliseconds = 1600;

/// Makes Ctrl-C (SIGINT) and SIGTERM set a flag that long work polls. Work that does not stop within
/// kStopMilliseconds (a busy library, a driver, a hanging disk) is abandoned. The process then removes the
/// files of DiscardOnAbort, reports that it was stopped, and exits with code 130. A second signal does so at
/// once. Install once, at the start of a program.
void installCancellationHandler();
/// For programs that link the library and handle signals themselves, as Python does: every check for a stop
/// request also calls `isRequested`, from any thread. nullptr removes the source.
void setCancellationSource(bool (*isRequested)());
/// True after a signal, or if the source of setCancellationSource returns true.
bool cancellationRequested();
/// Throws CancelledError after a stop request.
void throwIfCancellationRequested();
/// Call after the cancellation was reported to the user: a process that is terminated later prints nothing
/// more.
void cancellationReported();

/// A file to be deleted if the process is terminated during its work. Holds for the lifetime of the object.
class DiscardOnAbort {
  public:
    explicit DiscardOnAbort(const std::filesystem::path& file);
    DiscardOnAbort(const DiscardOnAbort&) = delete;
    DiscardOnAbort& operator=(const DiscardOnAbort&) = delete;
    ~DiscardOnAbort();

  private:
    std::size_t slot_;
};

// Lets tests stop a run at a counted step instead of after a time, so that no test depends on machine speed.
// The environment variable GLYCINE_STOP_AT holds
//
//     poll:N         at the Nth check for a stop request, the process sends itself SIGINT
//     entry:N        the same once a journal lists N groups of finished tiles
//     …:kill         either with SIGKILL
//     …:pause        either with SIGSTOP
//     never          no signal of its own: the test sends one
//
// and disables the timer that ends a run which does not stop by itself (core/cancellation.hpp). With
// GLYCINE_POLL_REPORT=FILE, the process writes three values when it ends: the number of checks, the longest
// interval between two checks, and the time from the first check to the last, in seconds: "1234 0.012 3.4".

enum class StopPoint { Poll, Entry };

/// Reads the environment. installCancellationHandler() calls it, so programs that only link the library are
/// never stopped.
void installStopPoints();
/// True if GLYCINE_STOP_AT is set.
bool stopsByItselfOnly();
/// Counts a step, and stops there if the environment requests it.
void passStopPoint(StopPoint point);

}  // namespace glycine
