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

/// What a call says of where and how it runs.
struct Request : BackendRequest {
    bool isDialectGiven = false;
    py::object progress;  ///< a callable, or None

    /// Whether `cuda` may compute this.
    bool mayRunOnCuda() const { return backend.empty() || backend == "cuda"; }

    /// Reads backend, variant, check, device, threads, simd, dialect, context, max_texture, max_memory,
    /// pass_budget, shaders and progress. Throws UsageError for variants that the algorithm lacks.
    Request(Keywords& keywords, const Algorithm& algorithm);
};

/// What runs without Python's lock, and is told how to go on. Called from any thread.
class Call {
  public:
    /// Throws Error for a call within a call of the same thread, and after a fork.
    explicit Call(py::object progress);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

    Progress& progress() { return progress_; }
    /// Runs `work` without the lock. Throws what it throws; KeyboardInterrupt, or what the callable of
    /// `progress` has raised, in place of CancelledError.
    void run(const std::function<void()>& work);

  private:
    friend bool isCancelled();
    bool poll();
    void tell(const ProgressUpdate& update);

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
/// Chooses the backend, which the thread keeps for its next calls, and runs `work` on it without Python's
/// lock. Throws ValueError, RuntimeError and KeyboardInterrupt as the module translates the library's errors.
Computed compute(const Request& request, const std::function<Support(Backend&)>& canRun,
                 const std::function<void(Backend&, Progress&)>& work);

/// Runs `work` without Python's lock on the thread's backend of this name, as it is made for `request`; null:
/// as it was made for earlier calls.
void onBackend(const std::string& name, const Request* request, const std::function<void(Backend&)>& work);

/// Lets go of the backends of the calling thread.
void releaseBackends();

/// Translates the library's errors, and makes Ctrl-C reach what the library reads and computes.
void addErrors(py::module_& module);

/// Runs what needs no backend without Python's lock; returns its seconds.
double unlocked(const std::function<void(Progress&)>& work, py::object progress = py::none());

/// Values of all pairs where a run has left them.
struct FoundValues {
    pairs::PairLayout layout;
    pairs::ValueType type;
    std::function<double(std::size_t row, std::size_t column)> of;
};
/// Counts some pairs again as the command does, on devices alone. Throws WrongResultError.
std::optional<RecountReport> recountSome(const Backend& backend, const Request& request,
                                         const FoundValues& found, const pairs::RunOutcome& outcome,
                                         const PairRecount& how, Progress& progress);
/// What was counted again, as a dictionary; None on backends of the host.
py::object toPython(const std::optional<RecountReport>& recount);

using Seconds = std::vector<std::pair<std::string, double>>;
/// backend, variant, device, times and what was counted again of a run, for the result.
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
