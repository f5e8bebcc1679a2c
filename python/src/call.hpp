#pragma once

#include <functional>
#include <string>

#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_run.hpp"
#include "python/src/keywords.hpp"

namespace glycine::python {

/// What a call says of where and how it runs.
struct Request {
    std::string backend;  ///< empty: the rule of `glycine info` chooses
    std::string variant = "default";
    BackendOptions device;
    bool isDialectGiven = false;
    py::object progress;  ///< a callable, or None

    /// Reads backend, variant, device, threads, simd, dialect, context, max_texture, max_memory, pass_budget,
    /// shaders and progress. Throws UsageError for variants that the algorithm lacks.
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

/// Chooses the backend, which the thread keeps for its next calls, and runs `work` on it without Python's
/// lock. Throws ValueError, RuntimeError and KeyboardInterrupt as the module translates the library's errors.
/// Returns why that backend was chosen.
std::string compute(const Request& request, const std::function<Support(Backend&)>& canRun,
                    const std::function<void(Backend&, Progress&)>& work);

/// Lets go of the backends of the calling thread.
void releaseBackends();

/// Translates the library's errors, and makes Ctrl-C reach what the library reads and computes.
void addErrors(py::module_& module);

/// Runs what needs no backend without Python's lock.
void unlocked(const std::function<void(Progress&)>& work, py::object progress = py::none());

using Seconds = std::vector<std::pair<std::string, double>>;
/// backend, variant, device and times of a run, for the result.
template <class Report>
py::dict describe(const Report& report, const std::string& reason, const Seconds& times) {
    py::dict run, seconds;
    run["backend"] = report.backend;
    run["variant"] = report.variant;
    run["device"] = report.device;
    run["reason"] = reason;
    for (const auto& [stage, took] : times) seconds[py::str(stage)] = took;
    run["times"] = seconds;
    return run;
}
/// The same with tiles and note.
py::dict describe(const pairs::RunOutcome& outcome, const std::string& reason);

}  // namespace glycine::python
