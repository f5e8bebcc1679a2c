#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "engine/core/cancellation.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine {

/// State of long work, for a listener.
struct ProgressUpdate {
    std::string stage;             ///< what is being done, for people: "upper bounds"
    double fraction = 0;           ///< share of the stage that is done, 0 … 1; negative if unknown
    double secondsElapsed = 0;     ///< since the stage began
    double secondsRemaining = -1;  ///< estimate; negative if there is none yet
};

/// Reports progress of long work to a listener and passes the request to stop to the work. Algorithms call
/// `begin`, `advance` and, through them, `throwIfCancelled`. All of them may be called from several threads.
class Progress {
  public:
    using Listener = std::function<void(const ProgressUpdate&)>;
    using CancelCheck = std::function<bool()>;

    /// Without arguments: silent and never cancelled.
    explicit Progress(Listener listener = {}, CancelCheck isCancelled = {});

    /// Starts a stage of `totalWork` units (any unit; only the ratio is shown).
    void begin(std::string stage, double totalWork);
    /// Adds finished work; notifies the listener at most ten times per second. Throws CancelledError.
    void advance(double work);
    /// Throws CancelledError if the user requested a stop.
    void throwIfCancelled() const;
    /// Notifies the listener of work outside the stages, if no stage is active.
    void notice(const ProgressUpdate& update);

  private:
    void notify(bool force);
    ProgressUpdate updateNow(Clock::TimePoint now) const;

    Listener listener_;
    CancelCheck isCancelled_;
    std::mutex mutex_;
    std::string stage_;
    double total_ = 0;
    double done_ = 0;
    Clock::TimePoint start_;
    Clock::TimePoint lastNotice_;
};

/// Work, of known or unknown size, in functions without a Progress: reading and writing files. While no stage
/// is active, the progress of the process shows it. It stops on the user's request.
class BackgroundWork {
  public:
    /// `total` is in any unit; 0 means unknown, and the work done is then a number of bytes.
    BackgroundWork(std::string stage, double total);
    /// Throws CancelledError if the user requested a stop (core/cancellation.hpp).
    void advance(double work);

  private:
    std::string stage_;
    double total_ = 0;
    double done_ = 0;
    Clock::TimePoint start_;
    Clock::TimePoint lastNotice_;
};

/// Shows background work from now on. nullptr ends that; `progress` must live until then.
void setProcessProgress(Progress* progress);

/// A Progress for callers that need none: silent and never cancelled. Shared by all of them.
inline Progress& silentProgress() {
    static Progress silent;
    return silent;
}

}  // namespace glycine
