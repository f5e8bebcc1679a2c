#include <mutex>
#include <sstream>

#include "app/commands.hpp"
#include "app/register_algorithms.hpp"
#include "engine/api/backends.hpp"
#include "engine/command/command_line.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/configuration.hpp"
#include "python/src/call.hpp"

namespace glycine::python {

namespace {

/// Runs a command as the program does; returns (exit code, output, messages).
py::tuple command(const std::vector<std::string>& arguments, const py::object& progress) {
    std::ostringstream out, err;
    int code = 0;
    unlocked(
        [&](Progress& updates) {
            // Progress and time limit of a command are global to the process.
            static std::timed_mutex turn;
            std::unique_lock lock(turn, std::defer_lock);
            while (!lock.try_lock_for(kBetweenPolls)) updates.throwIfCancelled();
            CommandContext context(out, err, false);
            context.setProgressListener([&](const ProgressUpdate& update) { updates.notice(update); });
            code = runCommandLine(arguments, context);
        },
        progress);
    return py::make_tuple(code, out.str(), err.str());
}

/// The backend on which an algorithm's command works in the requested precision.
std::string backendInFormat(const std::string& name, const py::dict& given) {
    Keywords keywords(given);
    const Algorithm& algorithm = AlgorithmRegistry::instance().find(name);
    Request request(keywords, algorithm);
    request.readFormat(keywords);
    keywords.finish();
    std::string found;
    compute(
        request,
        [&](Backend& backend) {
            const Configuration wanted{std::string(backend.name()), "", {}, request.format};
            return algorithm.supports(backend, wanted, {});
        },
        [&](Backend& backend, Progress&) { found = backend.name(); });
    return found;
}

/// One dictionary per backend. Creates no context, so that devices which only a context could name are
/// missing.
py::list backends() {
    py::list all;
    for (const std::string& name : backendNames()) {
        std::vector<std::string> devices;
        std::string reason;
        try {
            devices = BackendRegistry::instance().listDevices(name);
        } catch (const Error& error) {
            reason = error.what();
        }
        py::dict one;
        addItems(one, "name", name, "summary", BackendRegistry::instance().find(name).summary, "available",
                 reason.empty(), "reason", reason, "devices", devices);
        all.append(one);
    }
    return all;
}

const Function moduleFunctions[] = {
    {"command", &command}, {"backend_in_format", &backendInFormat}, {"backends", &backends}};
/// Older versions of pybind11 read the sizes of NumPy 2's types from the wrong place.
void requireReadableNumpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
    const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
    if (version.starts_with("0.") || version.starts_with("1.")) return;
    throw py::import_error("this build of glycine, by pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) +
                           "." + std::to_string(PYBIND11_VERSION_MINOR) +
                           ", cannot read the arrays of NumPy " + version +
                           "; build it with pybind11 2.12 or later, or install NumPy 1");
#endif
}

}  // namespace

}  // namespace glycine::python

PYBIND11_MODULE(_glycine, module) {
    using namespace glycine;
    python::requireReadableNumpy();
    registerBackends();
    registerAlgorithms();
    registerCommands();
    module.doc() = "The library behind the package glycine, whose functions document what these take.";
    module.attr("version") = buildInfo().version;
    module.attr("build") = describeBuild();
    python::addErrors(module);
    for (const auto& add : python::Function::all()) add(module);
}
