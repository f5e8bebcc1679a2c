#include "engine/io/recordings/edf_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/core/utf8.hpp"

namespace glycine::io {

namespace {

std::string place(const EdfField& field) {
    return fmt::format("bytes {}-{} ({})", field.offset, field.offset + field.width - 1, field.meaning);
}

}  // namespace

std::string_view EdfFields::trimmed(const EdfField& field) const {
    const std::string_view bytes = header_.substr(field.offset, field.width);
    // Programs in C leave their terminating zero, and garbage behind it.
    return trimBlanks(bytes.substr(0, bytes.find('\0')));
}

std::string EdfFields::text(const EdfField& field) {
    const std::string_view bytes = trimmed(field);
    std::string text = utf8FromUnknown(bytes);
    if (std::any_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) != 0; }))
        foreignBytes_.add(fmt::format("{} is not ASCII; read as {}: '{}'", place(field),
                                      text == bytes ? "UTF-8" : "Latin-1", printable(bytes)));
    if (std::any_of(text.begin(), text.end(), isControlCharacter)) {
        controlCharacters_.add(fmt::format("{} holds control characters; read as spaces", place(field)));
        std::replace_if(text.begin(), text.end(), isControlCharacter, ' ');
    }
    return text;
}

double EdfFields::number(const EdfField& field) {
    const std::optional<HeaderNumber> number = parseHeaderNumber(trimmed(field));
    if (!number) refuse(field, "a number");
    if (number->hasComma)
        commas_.add(fmt::format("{}: the comma in '{}' is read as a decimal point", place(field),
                                printable(trimmed(field))));
    return number->value;
}

std::int64_t EdfFields::integer(const EdfField& field, std::int64_t minimum, std::int64_t maximum) {
    const std::optional<HeaderNumber> number = parseHeaderNumber(trimmed(field));
    if (!number || number->hasComma || number->value != std::trunc(number->value) ||
        number->value < static_cast<double>(minimum) || number->value > static_cast<double>(maximum))
        refuse(field, fmt::format("a whole number from {} to {}", minimum, maximum));
    return static_cast<std::int64_t>(number->value);
}

void EdfFields::refuse(const EdfField& field, std::string_view expected) const {
    throw InputError(fmt::format("{}: {}: '{}'; expected {}", fileName_, place(field),
                                 printable(trimmed(field)), expected));
}

std::vector<std::string> EdfFields::notes() const {
    std::vector<std::string> notes;
    for (const RepeatedNote* note : {&foreignBytes_, &controlCharacters_, &commas_}) note->appendTo(notes);
    return notes;
}

}  // namespace glycine::io
