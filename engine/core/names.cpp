#include "engine/core/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.hpp"

namespace glycine {

void throwUnknownName(std::string_view what, std::string_view name,
                      const std::vector<std::string_view>& known) {
    throw UsageError(fmt::format("unknown {} '{}'; known: {}", what, name, fmt::join(known, ", ")));
}

}  // namespace glycine
