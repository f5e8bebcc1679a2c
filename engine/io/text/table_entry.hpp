#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/io/text/delimited_table.hpp"

/// Entries of tables of numbers (delimited_table.hpp). T: float or double.
namespace glycine::io {

enum class EntryKind {
    Number,
    Missing,   ///< NA, N/A, NaN, NULL in any case, a dot, or nothing
    TooLarge,  ///< beyond the range of T
    Rounded,   ///< a whole number that T does not hold exactly: isRoundedWholeNumber
    Other
};
template <class T>
struct Entry {
    EntryKind kind = EntryKind::Other;
    T value = std::numeric_limits<T>::quiet_NaN();
};

/// Parses an entry with a decimal point, if it has a mark.
template <class T>
Entry<T> parsePointed(std::string_view field);

/// Parses fields and requires one decimal mark in all of them.
template <class T>
class EntryParser {
  public:
    explicit EntryParser(const std::string& name) : name_(name) {}

    /// A number may have a decimal comma if commas do not separate columns.
    static Entry<T> parse(std::string_view text, char separator) {
        const Entry<T> pointed = parsePointed<T>(text);
        if (pointed.kind != EntryKind::Other || !hasComma(text, separator)) return pointed;
        std::string field(text);
        field[field.find(',')] = '.';
        return parsePointed<T>(field);
    }
    Entry<T> parse(const DelimitedRow& row, std::size_t k) const { return parse(row[k], row.separator()); }
    bool isEntry(const DelimitedRow& row, std::size_t k) const {
        return parse(row, k).kind != EntryKind::Other;
    }
    bool isNumber(const DelimitedRow& row, std::size_t k) const {
        const EntryKind kind = parse(row, k).kind;
        return kind == EntryKind::Number || kind == EntryKind::Rounded;
    }

    static bool hasComma(std::string_view text, char separator) {
        return separator != ',' && text.find(',') != std::string_view::npos &&
               text.find('.') == std::string_view::npos;
    }

    /// Records the decimal mark of a field that is a number.
    void noteMark(const DelimitedRow& row, std::size_t k) {
        noteMark(row.line(), k, row[k], hasComma(row[k], row.separator()));
    }
    void noteMark(std::size_t line, std::size_t k, std::string_view field, bool isComma) {
        if (comma_.empty() && isComma) comma_ = place(line, k, field);
        if (point_.empty() && field.find('.') != std::string_view::npos) point_ = place(line, k, field);
        if (!comma_.empty() && !point_.empty())
            throw InputError(
                fmt::format("{}: a decimal comma at {} and a decimal point at {}; expected one "
                            "of them in all numbers",
                            name_, comma_, point_));
    }
    bool hasDecimalCommas() const { return !comma_.empty(); }
    bool hasDecimalPoints() const { return !point_.empty(); }

  private:
    static std::string place(std::size_t line, std::size_t k, std::string_view field) {
        return fmt::format("line {}, column {} ('{}')", line, k + 1, field);
    }

    const std::string& name_;
    std::string comma_;  ///< where the first one was found
    std::string point_;
};

}  // namespace glycine::io
