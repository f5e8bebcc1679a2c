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
        py::dict one;
        one["name"] = name;
        one["devices"] = py::list();
        one["available"] = true;
        one["reason"] = "";
        try {
            one["devices"] = py::cast(BackendRegistry::instance().listDevices(name));
        } catch (const Error& error) {
            one["available"] = false;
            one["reason"] = error.what();
        }
        one["summary"] = BackendRegistry::instance().find(name).summary;
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
