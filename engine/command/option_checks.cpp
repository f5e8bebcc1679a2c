#include "engine/command/option_checks.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace glycine {

namespace {

CLI::Validator checkNumber(std::string expected, bool (*isAllowed)(double)) {
    return CLI::Validator(
        [expected = std::move(expected), isAllowed](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && isAllowed(value)) return std::string();
            return fmt::format("'{}' is not {}", text, expected);
        },
        "");
}

}  // namespace

CLI::Validator isPositive() {
    return checkNumber("a number above 0", [](double value) { return value > 0; });
}

CLI::Validator isNotNegative() {
    return checkNumber("a number of at least 0", [](double value) { return value >= 0; });
}

}  // namespace glycine
