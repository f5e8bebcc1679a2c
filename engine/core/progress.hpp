#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace glycine {

/// What a listener is told about long work.
struct ProgressUpdate {
    std::string stage;             ///< what is being done, for people: "upper bounds"
    double fraction = 0;           ///< share of the stage that is done, 0 … 1
    double secondsElapsed = 0;     ///< since the stage began
    double secondsRemaining = -1;  ///< estimate; negative while there is none yet
};

/// Carries progress out of long work and the wish to stop into it. Algorithms call `begin`, `advance` and,
/// through them, `throwIfCancelled`; they may be called from several threads.
class Progress {
  public:
    using Listener = std::function<void(const ProgressUpdate&)>;
    using CancelCheck = std::function<bool()>;

    /// Without arguments: silent and never cancelled.
    explicit Progress(Listener listener = {}, CancelCheck isCancelled = {});

    /// Starts a stage of `totalWork` units (any unit; only the ratio is shown).
    void begin(std::string stage, double totalWork);
    /// Adds finished work; tells the listener at most ten times a second. Throws CancelledError.
    void advance(double work);
    /// Throws CancelledError when the user asked to stop.
    void throwIfCancelled() const;

  private:
    void notify(bool force);

    Listener listener_;
    CancelCheck isCancelled_;
    std::mutex mutex_;
    std::string stage_;
    double total_ = 0;
    double done_ = 0;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point lastNotice_;
};

/// Makes Ctrl-C (SIGINT) and SIGTERM set a flag instead of ending the process; a second signal ends it.
/// Install once, at the start of a program.
void installCancellationHandler();
/// True once a signal has come.
bool cancellationRequested();

}  // namespace glycine
