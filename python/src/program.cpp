#include <mutex>
#include <sstream>

#include "engine/command/command_line.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/backend.hpp"
#include "python/src/call.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

/// Runs the command as the program does, with what it prints: (exit code, output, messages).
py::tuple command(const std::vector<std::string>& arguments) {
    std::ostringstream out, err;
    int code = 0;
    unlocked([&](Progress&) {
        // The command's progress and time limit are the process'.
        static std::mutex turn;
        const std::lock_guard lock(turn);
        CommandContext context(out, err, false);
        code = runCommandLine(arguments, context);
    });
    return py::make_tuple(code, py::bytes(out.str()).attr("decode")("utf-8", "replace"),
                          py::bytes(err.str()).attr("decode")("utf-8", "replace"));
}

/// A dictionary a backend; no context is made for those that do not name their devices without one.
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
        tell(one, "name", name, "summary", BackendRegistry::instance().find(name).summary, "available",
             reason.empty(), "reason", reason, "devices", devices);
        all.append(one);
    }
    return all;
}

}  // namespace

void addProgram(py::module_& module) {
    module.def("command", &command);
    module.def("backends", &backends);
}

}  // namespace glycine::python
