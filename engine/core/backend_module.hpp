#pragma once

#include <string>
#include <string_view>

#include "glycine_build.hpp"

/// Backends that are libraries of their own, loaded when the program runs: what they link (OpenGL, CUDA) need
/// not be there where nobody uses them.

namespace glycine {

/// What such a library defines, under the name glycine_<backend>_module.
struct BackendModule {
    const char* build;      ///< GLYCINE_BUILD; another build's is refused, as C++ interfaces cross the border
    void (*registerAll)();  ///< adds the backend to BackendRegistry, and what it has to Implementations
};

/// Defines the module of a backend; once in its library.
#define GLYCINE_BACKEND_MODULE(backend, registerAll)                    \
    extern "C" const glycine::BackendModule glycine_##backend##_module; \
    const glycine::BackendModule glycine_##backend##_module {           \
        GLYCINE_BUILD, registerAll                                      \
    }

/// Loads libglycine-<backend>.so from the folder that GLYCINE_MODULES names, else from the one of libglycine
/// or `glycine` below it, and registers what it has; or registers what was linked in. Returns why that cannot
/// be, in one line that names what to install, or nothing. Call it once for a backend.
std::string loadBackendModule(std::string_view backend);

/// The module of a backend that was linked into this library (GLYCINE_BACKENDS=builtin); null: it is loaded.
/// Written by CMake.
const BackendModule* builtinModule(std::string_view backend);

}  // namespace glycine
