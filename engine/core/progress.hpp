#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "engine/core/cancellation.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine {

/// What a listener is told about long work.
struct ProgressUpdate {
    std::string stage;             ///< what is being done, for people: "upper bounds"
    double fraction = 0;           ///< share of the stage that is done, 0 … 1; negative where nobody knows
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
    /// Tells the listener about work outside the stages, while none of them is under way.
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

/// Work of a size that is known or not, in places that are handed no Progress: files that are read and
/// written. Its advance is shown by the progress of the process while no stage is under way, and stops where
/// the user asked for it.
class BackgroundWork {
  public:
    /// `total`: of any unit; 0: not known, `done` is then a number of bytes.
    BackgroundWork(std::string stage, double total);
    /// Throws CancelledError once the user asked to stop (core/cancellation.hpp).
    void advance(double work);

  private:
    std::string stage_;
    double total_ = 0;
    double done_ = 0;
    Clock::TimePoint start_;
    Clock::TimePoint lastNotice_;
};

/// Shows background work from now on; nullptr: nobody does. It must live until then.
void setProcessProgress(Progress* progress);

/// For those who do not want to know: silent and never cancelled. One for all of them.
inline Progress& silentProgress() {
    static Progress silent;
    return silent;
}

}  // namespace glycine
