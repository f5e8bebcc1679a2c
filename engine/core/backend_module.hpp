#pragma once

#include <string>
#include <string_view>

#include "engine/core/module.hpp"

/// The modules of backends.

namespace glycine {

/// The table of such a module, glycine_<backend>_module.
struct BackendModule {
    const char* build;
    void (*registerAll)();  ///< adds the backend to BackendRegistry, and its implementations to their lists
};

/// Defines the module of a backend. Use once in its library.
#define GLYCINE_BACKEND_MODULE(backend, registerAll) \
    GLYCINE_MODULE(backend, glycine::BackendModule, registerAll)

/// Loads libglycine-<backend>.so from the folder named by GLYCINE_MODULES, or as loadModule does, and
/// registers its contents. A module that is linked in is only registered. Returns an empty string, or the
/// reason for failure in one line that names the package to install. Call it once per backend.
std::string loadBackendModule(std::string_view backend);

/// The module of a backend that is linked into this library (GLYCINE_BACKENDS=builtin), or null if it must be
/// loaded. CMake generates the definition.
const BackendModule* builtinModule(std::string_view backend);

}  // namespace glycine
