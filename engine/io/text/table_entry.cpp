#include "engine/io/text/table_entry.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <type_traits>

#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"

namespace glycine::io {

namespace {

bool isMissing(std::string_view field) {
    if (field.empty() || field == ".") return true;
    if (field.size() > 4) return false;
    const std::string lower = lowerCase(field);
    return lower == "na" || lower == "n/a" || lower == "nan" || lower == "null";
}

/// Parses a number beyond the range of T: too large, or so small that it becomes denormal or zero.
template <class T>
Entry<T> parseBeyondRange(std::string_view field) {
    if constexpr (std::is_same_v<T, float>) {
        double wide = 0;
        if (std::from_chars(field.data(), field.data() + field.size(), wide).ec == std::errc{})
            return std::abs(wide) > 1 ? Entry<T>{EntryKind::TooLarge}
                                      : Entry<T>{EntryKind::Number, static_cast<T>(wide)};
    }
    // from_chars does not distinguish the two cases; strtod returns a denormal number or zero in one,
    // infinity in the other.
    const double wide = std::strtod(std::string(field).c_str(), nullptr);
    if (std::abs(wide) > 1) return {EntryKind::TooLarge};
    return {EntryKind::Number, static_cast<T>(wide)};
}

}  // namespace

template <class T>
Entry<T> parsePointed(std::string_view field) {
    if (isMissing(field)) return {EntryKind::Missing};
    if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
    const char* const end = field.data() + field.size();
    T value = 0;
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return {};
    if (error == std::errc::result_out_of_range) return parseBeyondRange<T>(field);
    return {isRoundedWholeNumber(field, value) ? EntryKind::Rounded : EntryKind::Number, value};
}
template Entry<float> parsePointed(std::string_view);
template Entry<double> parsePointed(std::string_view);

}  // namespace glycine::io
