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
/// True once a signal has come.
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

}  // namespace glycine
