#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "engine/core/error.hpp"

namespace glycine::storage {

/// Throws Error: "PATH: cannot write: No space left on device". `code` is an errno value.
[[noreturn]] inline void throwSystemError(const std::filesystem::path& path, std::string_view action,
                                          int code) {
    throw Error(
        fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(code)));
}

}  // namespace glycine::storage
