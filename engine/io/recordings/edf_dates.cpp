#include "engine/io/recordings/edf_dates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace glycine::io {

namespace {

/// The value of `text`, all digits; nothing otherwise.
std::optional<unsigned> digits(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The three numbers of "12.08.09".
std::optional<std::array<unsigned, 3>> threeNumbers(std::string_view text) {
    if (text.size() != 8 || text[2] != '.' || text[5] != '.') return std::nullopt;
    std::array<unsigned, 3> numbers{};
    for (std::size_t k = 0; k < 3; ++k) {
        const std::optional<unsigned> number = digits(text.substr(3 * k, 2));
        if (!number) return std::nullopt;
        numbers[k] = *number;
    }
    return numbers;
}

std::optional<std::string> isoDate(unsigned year, unsigned month, unsigned day) {
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(month), std::chrono::day(day)};
    if (!date.ok()) return std::nullopt;
    return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

}  // namespace

std::optional<std::string> isoDateOfEdf(std::string_view text) {
    const auto numbers = threeNumbers(text);
    if (!numbers) return std::nullopt;
    const auto [day, month, year] = *numbers;
    return isoDate(year + (year >= 85 ? 1900 : 2000), month, day);
}

std::optional<std::string> isoTimeOfEdf(std::string_view text) {
    const auto numbers = threeNumbers(text);
    if (!numbers) return std::nullopt;
    const auto [hour, minute, second] = *numbers;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return fmt::format("{:02}:{:02}:{:02}", hour, minute, second);
}

std::optional<std::string> isoDateOfRecording(std::string_view identification) {
    constexpr std::string_view kMark = "Startdate ";
    constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
    if (!identification.starts_with(kMark)) return std::nullopt;
    const std::string_view rest = identification.substr(kMark.size());
    const std::string_view date = rest.substr(0, rest.find(' '));
    if (date.size() != 11 || date[2] != '-' || date[6] != '-') return std::nullopt;
    const auto* const month = std::find(kMonths.begin(), kMonths.end(), date.substr(3, 3));
    const std::optional<unsigned> day = digits(date.substr(0, 2));
    const std::optional<unsigned> year = digits(date.substr(7, 4));
    if (month == kMonths.end() || !day || !year) return std::nullopt;
    return isoDate(*year, static_cast<unsigned>(month - kMonths.begin()) + 1, *day);
}

}  // namespace glycine::io
