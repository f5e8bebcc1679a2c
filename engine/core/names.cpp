#include "engine/core/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"

namespace glycine {

void throwUnknownName(std::string_view what, std::string_view name,
                      const std::vector<std::string_view>& known) {
    // In a short list, the name that was meant is seen at once.
    constexpr std::size_t kShort = 6;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::vector<std::string> near =
        names.size() > kShort ? nearestNames(name, names) : std::vector<std::string>();
    throw UsageError(fmt::format("unknown {} '{}'; known: {}{}{}", what, name, fmt::join(known, ", "),
                                 near.empty() ? "" : "; nearest: ", fmt::join(near, ", ")));
}

}  // namespace glycine
