#include "engine/core/names.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"

namespace glycine {

void throwUnknownName(std::string_view what, std::string_view name,
                      const std::vector<std::string_view>& known) {
    throw UsageError(fmt::format("unknown {} '{}'; {}", what, excerpt(name),
                                 suggestNames(name, std::vector<std::string>(known.begin(), known.end()))));
}

}  // namespace glycine
