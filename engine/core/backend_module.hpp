#pragma once

#include <string>
#include <string_view>

#include "engine/core/module.hpp"

/// The modules of backends.

namespace glycine {

/// The table of such a module, glycine_<backend>_module.
struct BackendModule {
    const char* build;
    void (*registerAll)();  ///< adds the backend to BackendRegistry, and what it has to Implementations
};

/// Defines the module of a backend; once in its library.
#define GLYCINE_BACKEND_MODULE(backend, registerAll) \
    GLYCINE_MODULE(backend, glycine::BackendModule, registerAll)

/// Loads libglycine-<backend>.so from the folder that GLYCINE_MODULES names, else as loadModule, and
/// registers what it has; or registers what was linked in. Returns why that cannot be, in one line that names
/// what to install, or nothing. Call it once for a backend.
std::string loadBackendModule(std::string_view backend);

/// The module of a backend that was linked into this library (GLYCINE_BACKENDS=builtin); null: it is loaded.
/// Written by CMake.
const BackendModule* builtinModule(std::string_view backend);

}  // namespace glycine
