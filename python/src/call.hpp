#pragma once

#include "python/src/text_caster.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/pair_command.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/options.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_run.hpp"

namespace glycine::python {

namespace py = pybind11;

/// Interval at which a call acquires the lock to check for signals.
inline constexpr std::chrono::milliseconds kBetweenPolls{50};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// An option of a call and the command's option of the same meaning; by default, its name with hyphens.
struct SameOption {
    const char* name;
    std::string command;
    SameOption(const char* given) : SameOption(given, "") {}
    SameOption(const char* given, std::string of);
};

/// The options of one call, by name. None selects the library's default, so that no default is repeated here.
class Keywords {
  public:
    explicit Keywords(py::dict given) : given_(std::move(given)) {}

    bool has(const char* name) const { return given_.contains(name) && !given_[name].is_none(); }

    /// Sets `target` if the option is given: enumerations by name, numbers, flags, text. Throws UsageError
    /// for a value of another type or an unknown name.
    template <class T>
    void read(const char* name, T& target) {
        known_.insert(name);
        if (!has(name)) return;
        const py::object value = given_[name];
        if constexpr (IsOptional<T>::value)
            target = valueOf<typename T::value_type>(name, value);
        else
            target = valueOf<T>(name, value);
    }
    /// The same for several pairs of name and target.
    template <class T, class... Others>
    void read(const char* name, T& target, const char* next, Others&&... others) {
        read(name, target);
        read(next, std::forward<Others>(others)...);
    }
    /// The option unconverted; None if it is not given.
    py::object object(const char* name) {
        known_.insert(name);
        return has(name) ? py::object(given_[name]) : py::none();
    }
    /// Parses those of the options that are given as the command would, with its ranges and messages;
    /// `declared` has them all. A flag is given by True, "--no-…" by False; elsewhere, these are "yes" and
    /// "no".
    void parse(Options& declared, std::initializer_list<SameOption> options);
    bool flag(const char* name) {
        bool is = false;
        read(name, is);
        return is;
    }
    /// Raises TypeError for an option that was not read.
    void finish() const {
        for (const auto& [name, value] : given_)
            if (!value.is_none() && !known_.contains(py::str(name)))
                throw py::type_error(fmt::format("{} is no option of this call", std::string(py::str(name))));
    }

  private:
    template <class T>
    static T valueOf(const char* name, const py::object& value) {
        try {
            if constexpr (std::is_enum_v<T>) {
                return fromString<T>(value.cast<std::string>());
            } else {
                // True is not accepted as a number, nor 3.7 as 3; "no" is not true.
                if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
                    if (py::isinstance<py::bool_>(value)) throw py::cast_error();
                return value.cast<T>();
            }
        } catch (const py::cast_error&) {
            throw UsageError(fmt::format("{} is {}; expected {}", name, std::string(py::repr(value)),
                                         std::is_enum_v<T>         ? "a name"
                                         : std::is_same_v<T, bool> ? "True or False"
                                         : std::is_unsigned_v<T>   ? "a whole number from 0 on"
                                         : std::is_integral_v<T>   ? "a whole number"
                                         : std::is_arithmetic_v<T> ? "a number"
                                                                   : "a value of another type"));
        }
    }
    py::dict given_;
    std::set<std::string> known_;
};

/// Adds pairs of name and value to the facts of a run; enumerations by name.
template <class T, class... Others>
void addItems(py::dict& run, const char* name, const T& value, const Others&... others) {
    if constexpr (std::is_enum_v<T>)
        run[name] = std::string(toString(value));
    else
        run[name] = value;
    if constexpr (sizeof...(others) > 0) addItems(run, others...);
}

/// A function of the extension; the file that defines it registers it under this name.
struct Function {
    using Add = std::function<void(py::module_&)>;
    explicit Function(Add add) { all().push_back(std::move(add)); }
    template <class Callable>
    Function(const char* name, Callable callable)
        : Function([=](py::module_& module) { module.def(name, callable); }) {}
    static std::vector<Add>& all() {
        static std::vector<Add> functions;
        return functions;
    }
};

/// The arguments of a call that determine where and how it runs.
struct Request : BackendRequest {
    std::string format;   ///< number format that readFormat() read; empty: any
    py::object progress;  ///< a callable, or None

    /// Whether the call may run on `cuda`.
    bool mayRunOnCuda() const { return backend.empty() || backend == "cuda"; }

    /// Reads backend, variant, check, device, threads, simd, dialect, context, max_texture, max_memory,
    /// pass_budget, shaders and progress. Throws UsageError as the command does: for variants that the
    /// algorithm lacks, and options that the backend does not use.
    Request(Keywords& keywords, const Algorithm& algorithm);
    Request(const Request&) = delete;  // the parsed options refer to members
    bool isDialectGiven() const { return declared_.isGiven("--dialect"); }
    /// Throws UsageError for given options that this backend, which the rule chose, does not use.
    void requireUsed(const Backend& backend) const;
    /// Reads precision for an algorithm whose call has no such argument. Throws UsageError for a format that
    /// none of the requested variants has.
    void readFormat(Keywords& keywords);
    /// Whether a variant that the backend may run works in that format.
    Support supportsFormat(const Backend& backend) const;

  private:
    const Algorithm& algorithm_;
    Options declared_;
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
