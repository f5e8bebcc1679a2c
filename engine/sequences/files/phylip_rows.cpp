#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/sequences/files/alignment_rows.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine {

namespace {

constexpr std::size_t kStrictName = 10;

/// The numbers of the first line.
struct PhylipSize {
    std::size_t rows = 0;
    std::size_t columns = 0;
};

enum class Names { Relaxed, Strict };
enum class Form { Interleaved, Sequential };

/// One way to read the lines behind the first one.
class PhylipAttempt {
  public:
    PhylipAttempt(const std::vector<RowPiece>& lines, PhylipSize size, Names names)
        : lines_(lines), size_(size), names_(names) {}

    /// Whether all rows have come to the length of the first line; else `why` says what has not.
    bool read(Form form) {
        rows.clear();
        why.clear();
        return form == Form::Interleaved ? interleaved() : sequential();
    }
    /// Whether all that is no blank may stand in a sequence.
    bool hasLetters() const {
        return std::ranges::all_of(rows, [](const AlignmentRow& row) {
            return !row.name.empty() && std::ranges::all_of(row.pieces, [](const RowPiece& piece) {
                return std::ranges::all_of(piece.text, [](char c) {
                    return isRowBlank(c) || codeOf(Alphabet::Protein, c) != kNoCode;
                });
            });
        });
    }

    std::vector<AlignmentRow> rows;
    std::string why;

  private:
    bool interleaved() {
        if (lines_.size() % size_.rows != 0) {
            why = fmt::format("{} behind the first; expected a multiple of {}",
                              formatCount(lines_.size(), "line"), size_.rows);
            return false;
        }
        for (std::size_t k = 0; k < lines_.size(); ++k) {
            if (k < size_.rows)
                begin(lines_[k]);
            else
                rows[k % size_.rows].pieces.push_back(lines_[k]);
        }
        return std::ranges::all_of(rows, [&](const AlignmentRow& row) { return isComplete(row); });
    }

    bool sequential() {
        for (const RowPiece& line : lines_) {
            if (rows.empty() || lengthOf(rows.back()) >= size_.columns) {
                if (!rows.empty() && !isComplete(rows.back())) return false;
                if (rows.size() == size_.rows) {
                    why = fmt::format("line {} stands behind the last row", line.line);
                    return false;
                }
                begin(line);
            } else {
                rows.back().pieces.push_back(line);
            }
        }
        if (rows.size() < size_.rows) {
            why = fmt::format("{}; expected {}", formatCount(rows.size(), "row"), size_.rows);
            return false;
        }
        return isComplete(rows.back());
    }

    void begin(const RowPiece& line) {
        std::size_t name = 0;
        std::size_t letters = 0;
        if (names_ == Names::Strict) {
            letters = std::min(kStrictName, line.text.size());
        } else {
            name = std::min(line.text.find_first_not_of(kRowBlanks), line.text.size());
            letters = std::min(line.text.find_first_of(kRowBlanks, name), line.text.size());
        }
        std::string text(line.text.substr(name, letters - name));
        while (!text.empty() && isRowBlank(text.back())) text.pop_back();
        text.erase(0, std::min(text.find_first_not_of(kRowBlanks), text.size()));
        std::ranges::replace_if(text, isRowBlank, '_');
        rows.push_back({std::move(text), {{line.text.substr(letters), line.line, line.column + letters}}, 0});
    }

    bool isComplete(const AlignmentRow& row) {
        const std::size_t length = lengthOf(row);
        if (length != size_.columns)
            why = fmt::format("row '{}' (line {}) has {} columns; expected {}", excerpt(row.name),
                              row.pieces.front().line, length, size_.columns);
        return length == size_.columns;
    }

    const std::vector<RowPiece>& lines_;
    PhylipSize size_;
    Names names_;
};

PhylipSize sizeOf(const TextLines& lines, const std::string& source) {
    std::size_t position = 0;
    const std::string rows(lines.word(position));
    const std::string columns(lines.word(position));
    constexpr std::size_t kMostDigits = 9;
    if (!isDigits(rows) || !isDigits(columns) || rows.size() > kMostDigits || columns.size() > kMostDigits ||
        std::stoul(rows) == 0 || std::stoul(columns) == 0)
        throw InputError(fmt::format("{}: line {}: expected the numbers of rows and columns, found '{}'",
                                     source, lines.number(), excerpt(lines.line())));
    return {std::stoul(rows), std::stoul(columns)};
}

}  // namespace

std::vector<AlignmentRow> phylipRows(std::string_view text, const std::string& source,
                                     std::vector<std::string>& notes) {
    TextLines lines(text);
    std::optional<PhylipSize> size;
    std::vector<RowPiece> pieces;
    while (lines.next()) {
        if (lines.isEmpty()) continue;
        if (!size)
            size = sizeOf(lines, source);
        else
            pieces.push_back(lines.pieceFrom(0));
    }
    if (!size || pieces.size() < size->rows)
        throw InputError(fmt::format("{}: has {} behind the first; expected at least {}, one a row", source,
                                     formatCount(pieces.size(), "line"), size ? size->rows : 1));
    std::vector<AlignmentRow> readable;
    std::string whyInterleaved, whySequential;
    for (const Names names : {Names::Relaxed, Names::Strict})
        for (const Form form : {Form::Interleaved, Form::Sequential}) {
            PhylipAttempt attempt(pieces, *size, names);
            if (!attempt.read(form)) {
                std::string& why = form == Form::Interleaved ? whyInterleaved : whySequential;
                if (why.empty()) why = attempt.why;
                continue;
            }
            if (attempt.hasLetters()) {
                if (names == Names::Strict)
                    notes.emplace_back("names are the first ten characters of their lines");
                return std::move(attempt.rows);
            }
            if (readable.empty()) readable = std::move(attempt.rows);
        }
    if (!readable.empty()) return readable;
    throw InputError(
        fmt::format("{}: {}", source, pieces.size() % size->rows == 0 ? whyInterleaved : whySequential));
}

}  // namespace glycine
