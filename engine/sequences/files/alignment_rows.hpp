#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sequences/alignment.hpp"

/// Inside the reader of alignments: the rows of a file, before anybody has looked at their letters.
namespace glycine {

/// What separates words.
inline constexpr std::string_view kRowBlanks = " \t\r\v\f";
constexpr bool isRowBlank(char c) {
    return kRowBlanks.find(c) != kRowBlanks.npos;
}

/// A part of a row, as it stands on a line; blanks in it count for nothing.
struct RowPiece {
    std::string_view text;
    std::size_t line = 0;    ///< from 1
    std::size_t column = 0;  ///< of its first byte, from 1
};

struct AlignmentRow {
    std::string name;
    std::vector<RowPiece> pieces;
    std::size_t block = 0;  ///< in which it was seen last
};

/// Lines of a text, without their ends.
class TextLines {
  public:
    explicit TextLines(std::string_view text) : rest_(text) {}
    /// False after the last one.
    bool next();
    std::string_view line() const { return line_; }
    std::size_t number() const { return number_; }
    /// Whether there are only blanks on it.
    bool isEmpty() const;
    /// The first word at or behind `position`, which moves behind it; empty where there is none.
    std::string_view word(std::size_t& position) const;
    /// What stands on the line from `position` on.
    RowPiece pieceFrom(std::size_t position) const { return {line_.substr(position), number_, position + 1}; }

  private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

/// Letters and other characters of a row that are no blanks.
std::size_t lengthOf(const AlignmentRow& row);

/// The rows of a text in each format; they point into it. Throw InputError that begins with `source`.
std::vector<AlignmentRow> clustalRows(std::string_view text, const std::string& source);
std::vector<AlignmentRow> phylipRows(std::string_view text, const std::string& source,
                                     std::vector<std::string>& notes);
/// `confidence`: of all columns, where the text has it (#=GC PP_cons); else nothing is added.
std::vector<AlignmentRow> stockholmRows(std::string_view text, const std::string& source,
                                        std::vector<double>& confidence);
std::vector<AlignmentRow> msfRows(std::string_view text, const std::string& source,
                                  std::vector<std::string>& notes);

}  // namespace glycine
