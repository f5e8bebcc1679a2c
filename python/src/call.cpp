#include "python/src/call.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/command/common_options.hpp"
#include "engine/core/cancellation.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::python {

namespace {

thread_local Call* current = nullptr;

/// The process whose threads compute; OpenMP's threads do not survive a fork.
std::atomic<pid_t> computingProcess{0};

void refuseFork() {
    pid_t expected = 0;
    const pid_t own = ::getpid();
    if (computingProcess.compare_exchange_strong(expected, own)) {
        startThreads();
        return;
    }
    if (expected != own)
        throw UnavailableError(
            "this process was forked from one in which Glycine had computed, and has none of its threads; "
            "start "
            "processes by multiprocessing's 'spawn' or 'forkserver'");
}

/// A backend of the thread, and the settings that it was made with.
struct Held {
    std::string settings;
    std::unique_ptr<Backend> backend;
    std::string refusal;  ///< why there is no backend
};
thread_local std::map<std::string, Held> heldBackends;

std::string settingsOf(const BackendOptions& options) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {}", options.device.value_or(-1), options.threads,
                       options.instructions ? toString(*options.instructions) : "", toString(options.dialect),
                       options.allowDialectFallback, toString(options.context), options.maxTextureSize,
                       options.maxDeviceBytes, options.passBudgetMilliseconds, options.shaderFolder);
}

/// The thread's backend of this name. Only one exists per name, because several OpenGL contexts cannot share
/// a thread.
Backend& backendOf(const std::string& name, const BackendOptions& options) {
    std::string settings = settingsOf(options);
    Held& one = heldBackends[name];
    if (one.settings != settings) {
        one = {};
        try {
            one.backend = BackendRegistry::instance().create(name, options);
        } catch (const UnavailableError& error) {
            one.refusal = error.what();
        }
        one.settings = std::move(settings);
    }
    if (!one.backend) throw UnavailableError(one.refusal);
    return *one.backend;
}

Backend& namedBackend(const std::string& name, const BackendOptions& options) {
    BackendRegistry::instance().find(name);
    try {
        return backendOf(name, options);
    } catch (const UnavailableError& error) {
        throw unavailable(name, error);
    }
}

void translate(std::exception_ptr thrown) {
    const auto raise = [](PyObject* type, const Error& error) {
        PyErr_SetObject(type, py::cast(std::string(error.what())).ptr());
    };
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const MemoryError& error) {
        raise(PyExc_MemoryError, error);
    } catch (const CancelledError& error) {
        raise(PyExc_KeyboardInterrupt, error);
    } catch (const Error& error) {
        constexpr int kWrongUse = 2;  // InputError and UsageError
        raise(error.exitCode() == kWrongUse ? PyExc_ValueError : PyExc_RuntimeError, error);
    }
}

}  // namespace

struct Call::State {
    const std::thread::id thread = std::this_thread::get_id();
    std::atomic<bool> isCancelled{false};
    std::chrono::steady_clock::time_point lastPoll = std::chrono::steady_clock::now();
    /// exception that ends the call; accessed with Python's lock only
    std::optional<py::error_already_set> raised;
    std::mutex mutex;                      ///< guards `update`
    std::optional<ProgressUpdate> update;  ///< latest update, not yet passed to the callable
};

bool isCancelled() {
    return current != nullptr && current->poll();
}

Call::Call(py::object progress)
    : listener_(std::move(progress)),
      outer_(current),
      progress_(listener_.is_none()
                    ? Progress::Listener()
                    : Progress::Listener([this](const ProgressUpdate& update) { reportProgress(update); }),
                [this] { return poll(); }),
      state_(std::make_unique<State>()) {
    if (outer_ != nullptr)
        throw UnavailableError("a progress callable must not call Glycine: its thread is already computing");
    refuseFork();
    current = this;
}

Call::~Call() {
    if (current == this) current = nullptr;
}

void Call::reportProgress(const ProgressUpdate& update) {
    const std::lock_guard lock(state_->mutex);
    state_->update = update;
}

bool Call::poll() {
    State& state = *state_;
    // Only the calling thread may handle signals and run the callable.
    if (std::this_thread::get_id() != state.thread) return state.isCancelled;
    const auto now = std::chrono::steady_clock::now();
    if (state.isCancelled || now - state.lastPoll < kBetweenPolls) return state.isCancelled;
    state.lastPoll = now;
    std::optional<ProgressUpdate> update;
    {
        const std::lock_guard lock(state.mutex);
        update.swap(state.update);
    }
    const py::gil_scoped_acquire hasLock;
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (update) {
            const auto known = [](double value) -> py::object {
                return value < 0 ? py::object(py::none()) : py::object(py::float_(value));
            };
            listener_(update->stage, known(update->fraction), known(update->secondsRemaining));
        }
    } catch (py::error_already_set& error) {
        state.raised.emplace(std::move(error));
        state.isCancelled = true;
    }
    return state.isCancelled;
}

void Call::run(const std::function<void()>& work) {
    std::exception_ptr thrown;
    {
        const py::gil_scoped_release lacksLock;
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
    }
    if (state_->raised) {
        py::error_already_set error = std::move(*state_->raised);
        state_->raised.reset();
        throw error;
    }
    if (thrown) std::rethrow_exception(thrown);
    // A signal after the last poll is handled by Python after this returns.
    if (!listener_.is_none() && state_->update)
        listener_(state_->update->stage, state_->update->fraction, 0.0);
}

SameOption::SameOption(const char* given, std::string of) : name(given), command(std::move(of)) {
    if (!command.empty()) return;
    command = fmt::format("--{}", given);
    std::ranges::replace(command, '_', '-');
}

void Keywords::parse(Options& declared, std::initializer_list<SameOption> options) {
    const std::vector<Options::Number> numbers = declared.numbers();
    const Json settings = declared.settings();
    std::vector<std::string> arguments;
    for (const SameOption& option : options) {
        known_.insert(option.name);
        if (!has(option.name)) continue;
        const py::object value = given_[option.name];
        const auto setting = settings.find(option.command.substr(2));
        if (setting != settings.end() && setting->is_boolean()) {
            if (valueOf<bool>(option.name, value) != option.command.starts_with("--no-"))
                arguments.push_back(option.command);
            continue;
        }
        const bool isTruth = py::isinstance<py::bool_>(value);
        if ((isTruth || py::isinstance<py::str>(value)) &&
            std::ranges::find(numbers, option.command, &Options::Number::option) != numbers.end())
            throw UsageError(
                fmt::format("{} is {}; expected a number", option.name, std::string(py::repr(value))));
        // Real numbers by value: NumPy writes its float32 0.1 like the double that is 0.1.
        const bool isReal = PyIndex_Check(value.ptr()) == 0 && py::hasattr(value, "__float__");
        const py::str text = isTruth  ? py::str(value.cast<bool>() ? "yes" : "no")
                             : isReal ? py::repr(py::float_(value))
                                      : py::str(value);
        arguments.push_back(fmt::format("{}={}", option.command, text.cast<std::string>()));
    }
    declared.parse(std::move(arguments));
}

Request::Request(Keywords& keywords, const Algorithm& algorithm) : algorithm_(algorithm) {
    addBackendChoice(declared_, *this, {algorithm});
    addBackendOptions(declared_, device);
    keywords.parse(declared_, {"backend",
                               "variant",
                               {"check", "--no-check"},
                               "device",
                               "threads",
                               "simd",
                               "dialect",
                               "context",
                               "max_texture",
                               "max_memory",
                               "pass_budget",
                               "shaders"});
    progress = keywords.object("progress");
    if (!progress.is_none() && PyCallable_Check(progress.ptr()) == 0)
        throw UsageError(fmt::format("progress is {}; expected a callable", std::string(py::repr(progress))));
    if (withHost)
        throw UsageError(
            fmt::format("--backend {}+cpu: a call runs on one backend; expected {}", backend, backend));
    checkBackendUse(declared_, algorithm, *this);
}

void Request::requireUsed(const Backend& chosen) const {
    checkBackendOptions(declared_, {std::string(chosen.name())});
}

void Request::readFormat(Keywords& keywords) {
    keywords.read("precision", format);
    if (format.empty()) return;
    ConfigurationFilter filter{.numberFormats = {format}};
    if (!backend.empty()) filter.backends = {backend};
    if (variant != "default") filter.variants = {variant};
    selectConfigurations(algorithm_, filter);
}

Support Request::supportsFormat(const Backend& on) const {
    if (format.empty()) return Support::yes();
    return supportsNumberFormat(algorithm_.variants(), {std::string(on.name()), variant, {}, format});
}

namespace {

/// Options for the backend that the request names.
BackendOptions optionsOf(const Request& request) {
    BackendOptions options = request.device;
    options.allowDialectFallback = !request.backend.empty() && !request.isDialectGiven();
    return options;
}

}  // namespace

Computed compute(const Request& request, const std::function<Support(Backend&)>& canRun,
                 const std::function<void(Backend&, Progress&)>& work) {
    Computed computed;
    std::string& reason = computed.reason;
    const auto isAble = [&](Backend& backend) {
        const Support support = canRun(backend);
        return support ? request.supportsFormat(backend) : support;
    };
    const Stopwatch watch;
    Call call(request.progress);
    call.run([&] {
        try {
            const BackendOptions device = optionsOf(request);
            Backend* backend = nullptr;
            if (!request.backend.empty()) {
                backend = &namedBackend(request.backend, device);
                reason = backend->note();
                requireSupport(isAble(*backend));
            } else {
                BorrowedBackendChoice choice = chooseBorrowedBackend(
                    [&](const std::string& name) -> Backend& { return backendOf(name, device); }, isAble);
                backend = &choice.backend;
                reason = std::move(choice.reason);
            }
            request.requireUsed(*backend);
            const ThreadsOf threads(*backend);
            work(*backend, call.progress());
        } catch (const DeviceError&) {
            // The state of the device is unknown.
            releaseBackends();
            throw;
        }
    });
    computed.seconds = watch.seconds();
    return computed;
}

void onBackend(const std::string& name, const Request* request, const std::function<void(Backend&)>& work) {
    Call call{py::none()};
    call.run([&] {
        const auto made = heldBackends.find(name);
        const bool isThere = request == nullptr && made != heldBackends.end() && made->second.backend;
        work(isThere ? *made->second.backend
                     : namedBackend(name, request != nullptr ? optionsOf(*request) : BackendOptions()));
    });
}

void releaseBackends() {
    heldBackends.clear();
}

void addErrors(py::module_& module) {
    py::register_exception_translator(translate);
    setCancellationSource(isCancelled);
    module.def("release_backends", &releaseBackends, "Lets go of the devices of the calling thread.");
}

double unlocked(const std::function<void(Progress&)>& work, py::object progress) {
    const Stopwatch watch;
    Call call(std::move(progress));
    call.run([&] { work(call.progress()); });
    return watch.seconds();
}

std::optional<RecountReport> recountSome(const Backend& backend, const Request& request,
                                         const FoundValues& found, const pairs::RunOutcome& outcome,
                                         const PairRecount& how, Progress& progress) {
    if (dynamic_cast<const HostBackend*>(&backend) != nullptr) return std::nullopt;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < found.layout.instances; ++i) names.push_back(std::to_string(i));
    return recountPairs({.backend = backend,
                         .variant = outcome.variant,
                         .names = names,
                         .seconds = outcome.times.total(),
                         .valueOf = found.of,
                         .type = found.type,
                         .references = found.layout.references},
                        how, request, progress);
}

py::object toPython(const std::optional<RecountReport>& recount) {
    if (!recount) return py::none();
    py::dict items;
    addItems(items, "kind", recount->kind, "method", recount->method, "elements", recount->elements,
             "largest_difference", recount->largestDifference, "seconds", recount->seconds, "skipped",
             recount->skipped);
    py::list stages;
    for (const RecountedStage& stage : recount->stages) {
        py::dict one;
        addItems(one, "name", stage.name, "kind", stage.kind, "elements", stage.elements,
                 "largest_difference", stage.largestDifference);
        stages.append(one);
    }
    addItems(items, "stages", stages);
    return items;
}

py::dict describe(const pairs::RunOutcome& outcome, const Computed& computed,
                  const std::optional<RecountReport>& recount) {
    const pairs::PairTimes& times = outcome.times;
    py::dict run = describe(outcome, computed, recount,
                            {{"pack", times.pack},
                             {"upload", times.upload},
                             {"compute", times.compute},
                             {"download", times.download}});
    addItems(run, "note", outcome.note, "tiles", outcome.tiles);
    return run;
}

}  // namespace glycine::python
