#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace glycine {

/// For messages about a file of an unknown kind: "; `glycine inspect FILE` may identify it". Empty for
/// standard input, which is gone after it was read.
inline std::string inspectAdvice(std::string_view file) {
    if (file.starts_with("standard input")) return {};
    return fmt::format("; `glycine inspect {}` may identify it", file);
}

}  // namespace glycine
