#include "python/src/module.hpp"

#include "app/commands.hpp"
#include "app/register_algorithms.hpp"
#include "engine/api/backends.hpp"
#include "engine/core/build_info.hpp"
#include "python/src/call.hpp"

namespace {

/// Older versions of pybind11 read the sizes of NumPy 2's types from the wrong place.
void requireReadableNumpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
    namespace py = pybind11;
    const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
    if (version.starts_with("0.") || version.starts_with("1.")) return;
    throw py::import_error("this build of glycine, by pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) +
                           "." + std::to_string(PYBIND11_VERSION_MINOR) +
                           ", cannot read the arrays of NumPy " + version +
                           "; build it with pybind11 2.12 or later, or install NumPy 1");
#endif
}

}  // namespace

PYBIND11_MODULE(_glycine, module) {
    using namespace glycine;
    requireReadableNumpy();
    registerBackends();
    registerAlgorithms();
    registerCommands();
    module.doc() = "The library behind the package glycine, whose functions document what these take.";
    module.attr("version") = buildInfo().version;
    module.attr("build") = describeBuild();
    python::addErrors(module);
    for (const auto& add : python::Function::all()) add(module);
}
