#include "engine/core/data_size.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

std::optional<std::size_t> parseCount(std::string_view text) {
    std::size_t count = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, count);
    if (error != std::errc() || end != last || count == 0) return std::nullopt;
    return count;
}

}  // namespace

DataSize parseDataSize(std::string_view text) {
    for (const std::string_view sign : {"x", "X", "*", "×"}) {
        const std::size_t at = text.find(sign);
        if (at == std::string_view::npos) continue;
        const std::optional<std::size_t> instances = parseCount(text.substr(0, at));
        const std::optional<std::size_t> attributes = parseCount(text.substr(at + sign.size()));
        if (instances && attributes) return {*instances, *attributes};
    }
    throw UsageError(
        fmt::format("'{}' is no size; expected instances x attributes, for example 2000x100000", text));
}

std::string dataSizeText(DataSize size) {
    return fmt::format("{}x{}", size.instances, size.attributes);
}

std::string formatDataSize(DataSize size) {
    return fmt::format("{} × {}", formatCount(size.instances), formatCount(size.attributes));
}

}  // namespace glycine
