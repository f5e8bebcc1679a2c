#include "python/src/module.hpp"

#include "app/commands.hpp"
#include "app/register_algorithms.hpp"
#include "engine/api/backends.hpp"
#include "engine/core/build_info.hpp"
#include "python/src/call.hpp"

PYBIND11_MODULE(_glycine, module) {
    using namespace glycine;
    registerBackends();
    registerAlgorithms();
    registerCommands();
    module.doc() = "The library behind the package glycine, whose functions document what these take.";
    module.attr("version") = buildInfo().version;
    module.attr("build") = describeBuild();
    python::addErrors(module);
    python::addDistances(module);
    python::addPairs(module);
    python::addDeviceArrays(module);
    python::addBounds(module);
    python::addInformation(module);
    python::addEntropies(module);
    python::addSequences(module);
    python::addReaders(module);
    python::addProgram(module);
}
