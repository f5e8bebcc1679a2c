#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/repeated_note.hpp"

namespace glycine::io {

/// A field of an EDF header: text of fixed width, padded with spaces.
struct EdfField {
    std::size_t offset = 0;  ///< bytes from the beginning of the file
    std::size_t width = 0;   ///< bytes
    std::string meaning;     ///< for messages: "number of signals", "unit of signal 3"
};

/// Reads the fields of a header and remembers what was odd about them.
class EdfFields {
  public:
    /// `header` holds every field that is asked for and outlives the object; `fileName` is used in messages.
    EdfFields(std::string_view header, std::string fileName)
        : header_(header), fileName_(std::move(fileName)) {}

    /// The text up to the first zero byte, without the spaces around it, as UTF-8. Bytes beyond ASCII are
    /// taken for UTF-8 or else Latin-1 and noted, as are control characters, which become spaces.
    std::string text(const EdfField& field);
    /// A number; a decimal comma is accepted and noted. Throws InputError for anything else.
    double number(const EdfField& field);
    /// A whole number, which may be written with decimals that are zero. Throws InputError for anything else,
    /// and outside minimum … maximum.
    std::int64_t integer(const EdfField& field, std::int64_t minimum, std::int64_t maximum);

    /// Throws InputError: "FILE: bytes 236-243 (MEANING): 'abc'; expected EXPECTED".
    [[noreturn]] void refuse(const EdfField& field, std::string_view expected) const;

    std::vector<std::string> notes() const;

  private:
    std::string_view trimmed(const EdfField& field) const;

    std::string_view header_;
    std::string fileName_;
    RepeatedNote foreignBytes_;
    RepeatedNote controlCharacters_;
    RepeatedNote commas_;
};

}  // namespace glycine::io
