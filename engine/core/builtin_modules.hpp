#pragma once

#include <string_view>

namespace glycine {

struct BackendModule;

/// The module of a backend that was linked into this library (GLYCINE_BACKENDS=builtin); null: it is loaded.
/// Written by CMake.
const BackendModule* builtinModule(std::string_view backend);

}  // namespace glycine
