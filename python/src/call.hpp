#pragma once

#include <functional>
#include <string>

#include "app/pair_command.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_run.hpp"
#include "python/src/keywords.hpp"

namespace glycine::python {

/// The arguments of a call that determine where and how it runs.
struct Request : BackendRequest {
    bool isDialectGiven = false;
    py::object progress;  ///< a callable, or None

    /// Whether the call may run on `cuda`.
    bool mayRunOnCuda() const { return backend.empty() || backend == "cuda"; }

    /// Reads backend, variant, check, device, threads, simd, dialect, context, max_texture, max_memory,
    /// pass_budget, shaders and progress. Throws UsageError for variants that the algorithm lacks.
    Request(Keywords& keywords, const Algorithm& algorithm);
};

/// A computation without Python's lock, with progress and cancellation. Its progress may be used from any
/// thread.
class Call {
  public:
    /// Throws Error for a call within a call on the same thread, and after a fork.
    explicit Call(py::object progress);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

    Progress& progress() { return progress_; }
    /// Runs `work` without the lock. Throws its exceptions; instead of CancelledError, throws
    /// KeyboardInterrupt or the exception raised by the `progress` callable.
    void run(const std::function<void()>& work);

  private:
    friend bool isCancelled();
    bool poll();
    void reportProgress(const ProgressUpdate& update);

    py::object listener_;
    Call* outer_;
    Progress progress_;
    struct State;
    std::unique_ptr<State> state_;
};

struct Computed {
    std::string reason;  ///< why this backend was chosen
    double seconds = 0;  ///< without Python's lock
};
/// Chooses the backend, which the thread keeps for later calls, and runs `work` on it without Python's lock.
/// Errors reach Python as ValueError, RuntimeError and KeyboardInterrupt (addErrors).
Computed compute(const Request& request, const std::function<Support(Backend&)>& canRun,
                 const std::function<void(Backend&, Progress&)>& work);

/// Runs `work` without Python's lock on the thread's backend of this name, with the settings of `request`;
/// null: with those of earlier calls.
void onBackend(const std::string& name, const Request* request, const std::function<void(Backend&)>& work);

/// Destroys the backends of the calling thread.
void releaseBackends();

/// Translates the library's errors to Python, and makes Ctrl-C cancel reading and computing.
void addErrors(py::module_& module);

/// Runs work that needs no backend without Python's lock; returns its seconds.
double unlocked(const std::function<void(Progress&)>& work, py::object progress = py::none());

/// The values of all pairs that a run computed.
struct FoundValues {
    pairs::PairLayout layout;
    pairs::ValueType type;
    std::function<double(std::size_t row, std::size_t column)> of;
};
/// Recounts some pairs as the command does, for devices only. Throws WrongResultError.
std::optional<RecountReport> recountSome(const Backend& backend, const Request& request,
                                         const FoundValues& found, const pairs::RunOutcome& outcome,
                                         const PairRecount& how, Progress& progress);
/// The recount as a dictionary; None for backends of the host.
py::object toPython(const std::optional<RecountReport>& recount);

using Seconds = std::vector<std::pair<std::string, double>>;
/// Facts about a run for the result: backend, variant, device, times and recount.
template <class Report>
py::dict describe(const Report& report, const Computed& computed, const std::optional<RecountReport>& recount,
                  const Seconds& times) {
    py::dict run, seconds;
    run["recount"] = toPython(recount);
    run["backend"] = report.backend;
    run["variant"] = report.variant;
    run["device"] = report.device;
    run["reason"] = computed.reason;
    run["seconds"] = computed.seconds;
    for (const auto& [stage, took] : times) seconds[py::str(stage)] = took;
    run["times"] = seconds;
    return run;
}
/// The same with tiles and note.
py::dict describe(const pairs::RunOutcome& outcome, const Computed& computed,
                  const std::optional<RecountReport>& recount);

}  // namespace glycine::python
