#pragma once

#include <string_view>

#include "glycine_build.hpp"

/// Libraries of the project that are loaded when the program runs, so that what they link (OpenGL, CUDA,
/// Cairo, HDF5) need not be loaded, nor be there, where nobody uses it. Each defines one table, whose first
/// member is `const char* build`.

namespace glycine {

/// The table of libglycine-<name>.so, which lies in the folder of libglycine or in `glycine` below it. Throws
/// UnavailableError, in one line, with what to install; also for a library of another build, as C++
/// interfaces cross the border.
const void* loadModule(std::string_view name);

}  // namespace glycine

/// Defines the table of a module in its library: GLYCINE_MODULE(pictures, PictureModule, members behind
/// build).
#define GLYCINE_MODULE(name, Table, ...)            \
    extern "C" const Table glycine_##name##_module; \
    const Table glycine_##name##_module {           \
        GLYCINE_BUILD, __VA_ARGS__                  \
    }

/// Defines `const Table& function()`, which loads the module when it is first called. With
/// GLYCINE_BACKENDS=builtin the module is a part of the library that asks.
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
