#include "engine/core/whole_number.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/text.hpp"

namespace glycine {

template <class T>
bool isRoundedWholeNumber(std::string_view text, T value) {
    if (!(std::abs(value) >= std::ldexp(T{1}, std::numeric_limits<T>::digits))) return false;
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!isDigits(text)) return false;
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    return fmt::format("{:.0f}", std::abs(value)) != text;
}

template bool isRoundedWholeNumber(std::string_view, float);
template bool isRoundedWholeNumber(std::string_view, double);

}  // namespace glycine
