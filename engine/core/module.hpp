#pragma once

#include <string_view>

#include "glycine_build.hpp"

/// Libraries of the project that are loaded at run time. The libraries that they link (OpenGL, CUDA, Cairo,
/// HDF5) are only loaded, and only have to be installed, if they are used. Each module defines one table,
/// whose first member is `const char* build`.

namespace glycine {

/// The table of libglycine-<name>.so, found in the folder of libglycine or in its subfolder `glycine`. Throws
/// UnavailableError, in one line that names the package to install. Refuses a library of another build,
/// because C++ interfaces cross the border.
const void* loadModule(std::string_view name);

}  // namespace glycine

/// Defines the table of a module in its library: GLYCINE_MODULE(pictures, PictureModule, members after
/// build).
#define GLYCINE_MODULE(name, Table, ...)            \
    extern "C" const Table glycine_##name##_module; \
    const Table glycine_##name##_module {           \
        GLYCINE_BUILD, __VA_ARGS__                  \
    }

/// Defines `const Table& function()`, which loads the module on its first call. With
/// GLYCINE_BACKENDS=builtin, the module is part of the calling library.
#ifdef GLYCINE_BUILTIN_MODULES
#define GLYCINE_USES_MODULE(name, Table, function)  \
    extern "C" const Table glycine_##name##_module; \
    static const Table& function() {                \
        return glycine_##name##_module;             \
    }
#else
#define GLYCINE_USES_MODULE(name, Table, function)                                         \
    static const Table& function() {                                                       \
        static const auto& table = *static_cast<const Table*>(glycine::loadModule(#name)); \
        return table;                                                                      \
    }
#endif
