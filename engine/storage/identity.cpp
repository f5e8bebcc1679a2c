#include "engine/storage/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "engine/core/error.hpp"

namespace glycine::storage {

std::optional<std::string_view> takeLine(std::string_view& text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

namespace {

struct Parameter {
    std::string_view name;
    std::string_view value;
    bool operator==(const Parameter&) const = default;
};

std::vector<Parameter> parameters(std::string_view identity) {
    std::vector<Parameter> found;
    while (const auto line = takeLine(identity)) {
        const std::size_t colon = std::min(line->find(": "), line->size());
        found.push_back({line->substr(0, colon), line->substr(std::min(colon + 2, line->size()))});
    }
    return found;
}

}  // namespace

std::string identityDifferences(std::string_view earlier, std::string_view now) {
    const std::vector<Parameter> before = parameters(earlier);
    const std::vector<Parameter> after = parameters(now);
    const auto named = [](const std::vector<Parameter>& list, std::string_view name) {
        return std::find_if(list.begin(), list.end(),
                            [name](const Parameter& parameter) { return parameter.name == name; });
    };
    std::vector<std::string> found;
    for (const Parameter& parameter : after) {
        const auto match = named(before, parameter.name);
        if (match == before.end())
            found.push_back(fmt::format("{} was not given, is {} now", parameter.name, parameter.value));
        else if (match->value != parameter.value)
            found.push_back(
                fmt::format("{} was {}, is {} now", parameter.name, match->value, parameter.value));
    }
    for (const Parameter& parameter : before)
        if (named(after, parameter.name) == after.end())
            found.push_back(fmt::format("{} was {}, is not given now", parameter.name, parameter.value));
    return found.empty() ? "the order of its parameters" : fmt::format("{}", fmt::join(found, ", "));
}

void requireSameIdentity(std::string_view leads, std::string_view own) {
    if (leads != own)
        throw UsageError(
            fmt::format("the processes do not work on the same result: {}; expected the same "
                        "input, program and kind of device for all",
                        identityDifferences(leads, own)));
}

std::string identityWithout(std::string_view identity, std::initializer_list<std::string_view> names) {
    std::string kept;
    for (const Parameter& parameter : parameters(identity))
        if (std::ranges::find(names, parameter.name) == names.end())
            kept += fmt::format("{}: {}\n", parameter.name, parameter.value);
    return kept;
}

}  // namespace glycine::storage
