#include <mutex>
#include <sstream>

#include "engine/command/command_line.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/backend.hpp"
#include "python/src/call.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

/// Runs a command as the program does; returns (exit code, output, messages).
py::tuple command(const std::vector<std::string>& arguments, const py::object& progress) {
    std::ostringstream out, err;
    int code = 0;
    unlocked(
        [&](Progress& told) {
            // Progress and time limit of a command are global to the process.
            static std::mutex turn;
            const std::lock_guard lock(turn);
            CommandContext context(out, err, false);
            context.setProgressListener([&](const ProgressUpdate& update) { told.notice(update); });
            code = runCommandLine(arguments, context);
        },
        progress);
    return py::make_tuple(code, py::bytes(out.str()).attr("decode")("utf-8", "replace"),
                          py::bytes(err.str()).attr("decode")("utf-8", "replace"));
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

const Function functions[] = {{"command", &command}, {"backends", &backends}};

}  // namespace

}  // namespace glycine::python
