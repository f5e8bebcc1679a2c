#include "engine/sequences/files/alignment_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine {

namespace {

/// Rows that go on from block to block, found by their names.
class InterleavedRows {
  public:
    explicit InterleavedRows(const std::string& source) : source_(source) {}

    /// Lines that belong together begin.
    void beginBlock() { ++block_; }
    void add(std::string_view name, const RowPiece& piece) {
        const auto [found, isNew] = numbers_.try_emplace(std::string(name), rows_.size());
        if (isNew) rows_.push_back({std::string(name), {}, 0});
        AlignmentRow& row = rows_[found->second];
        if (row.block == block_)
            throw InputError(
                fmt::format("{}: line {}: the row '{}' stands in this block already; expected each name once",
                            source_, piece.line, excerpt(name)));
        row.block = block_;
        row.pieces.push_back(piece);
    }
    std::vector<AlignmentRow> take() { return std::move(rows_); }

  private:
    const std::string& source_;
    std::unordered_map<std::string, std::size_t> numbers_;
    std::vector<AlignmentRow> rows_;
    std::size_t block_ = 1;
};

std::optional<std::size_t> wholeNumber(std::string_view word) {
    std::size_t number = 0;
    if (!isDigits(word)) return std::nullopt;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return number;
}

/// Of pieces, as they are.
std::string textOf(const AlignmentRow& row) {
    std::string text;
    for (const RowPiece& piece : row.pieces)
        for (const char c : piece.text)
            if (!isRowBlank(c)) text += c;
    return text;
}

}  // namespace

bool TextLines::next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
}

bool TextLines::isEmpty() const {
    return std::ranges::all_of(line_, isRowBlank);
}

std::string_view TextLines::word(std::size_t& position) const {
    while (position < line_.size() && isRowBlank(line_[position])) ++position;
    const std::size_t begin = position;
    while (position < line_.size() && !isRowBlank(line_[position])) ++position;
    return line_.substr(begin, position - begin);
}

std::size_t lengthOf(const AlignmentRow& row) {
    std::size_t length = 0;
    for (const RowPiece& piece : row.pieces)
        length += piece.text.size() -
                  static_cast<std::size_t>(std::count_if(piece.text.begin(), piece.text.end(), isRowBlank));
    return length;
}

// ---- Clustal

std::vector<AlignmentRow> clustalRows(std::string_view text, const std::string& source) {
    InterleavedRows rows(source);
    TextLines lines(text);
    bool hasHead = false;
    while (lines.next()) {
        if (lines.isEmpty()) {
            rows.beginBlock();
            continue;
        }
        if (!std::exchange(hasHead, true)) continue;
        // What the columns conserve stands below them, without a name.
        if (isRowBlank(lines.line().front())) continue;
        std::size_t position = 0;
        const std::string_view name = lines.word(position);
        const std::string_view letters = lines.word(position);
        const RowPiece piece{letters, lines.number(), position - letters.size() + 1};
        const std::string_view count = lines.word(position);
        if (letters.empty() || !lines.word(position).empty() || (!count.empty() && !isDigits(count)))
            throw InputError(
                fmt::format("{}: line {}: expected a name, letters and perhaps their number, "
                            "found '{}'",
                            source, lines.number(), excerpt(lines.line())));
        rows.add(name, piece);
    }
    return rows.take();
}

// ---- Stockholm

namespace {

/// A tenth each, the nearest one; '*' is the highest, and '.' stands where nobody knows (Eddy 2023).
double confidenceOf(char c, const std::string& source, const RowPiece& piece, std::size_t place) {
    if (c >= '0' && c <= '9') return (c - '0') / 10.0;
    if (c == '*') return 1;
    if (c == '.' || c == '-') return 0;
    throw InputError(fmt::format(
        "{}: line {}, column {}: {} was found in #=GC PP_cons; expected a digit, '*' or '.'", source,
        piece.line, piece.column + place, io::describeCharacter(static_cast<unsigned char>(c))));
}

/// What a line of markup says of the columns' confidence, behind what those before it said.
void appendConfidence(const TextLines& lines, const std::string& source, std::vector<double>& confidence) {
    std::size_t position = 0;
    if (lines.word(position) != "#=GC" || lines.word(position) != "PP_cons") return;
    const RowPiece piece = lines.pieceFrom(position);
    for (std::size_t k = 0; k < piece.text.size(); ++k)
        if (!isRowBlank(piece.text[k])) confidence.push_back(confidenceOf(piece.text[k], source, piece, k));
}

}  // namespace

std::vector<AlignmentRow> stockholmRows(std::string_view text, const std::string& source,
                                        std::vector<double>& confidence) {
    InterleavedRows rows(source);
    TextLines lines(text);
    bool hasHead = false;
    bool isOver = false;
    while (lines.next()) {
        if (lines.isEmpty()) {
            rows.beginBlock();
            continue;
        }
        if (isOver)
            throw InputError(
                fmt::format("{}: line {}: '{}' behind the end of the alignment ('//'); expected "
                            "one alignment",
                            source, lines.number(), excerpt(lines.line())));
        if (!std::exchange(hasHead, true)) continue;
        if (lines.line().starts_with('#')) {
            appendConfidence(lines, source, confidence);
            continue;
        }
        if (lines.line().starts_with("//")) {
            isOver = true;
            continue;
        }
        std::size_t position = 0;
        const std::string_view name = lines.word(position);
        const std::string_view letters = lines.word(position);
        const std::size_t begin = position - letters.size();
        if (letters.empty() || !lines.word(position).empty())
            throw InputError(fmt::format("{}: line {}: expected a name and letters, found '{}'", source,
                                         lines.number(), excerpt(lines.line())));
        rows.add(name, {letters, lines.number(), begin + 1});
    }
    if (!isOver)
        throw InputError(fmt::format("{}: ends after line {} without '//'; expected the whole alignment",
                                     source, lines.number()));
    return rows.take();
}

// ---- MSF

namespace {

/// A line of numbers alone.
bool isRuler(std::string_view line) {
    return line.find_first_not_of("0123456789 \t") == line.npos;
}

struct MsfHead {
    std::vector<AlignmentRow> rows;
    std::unordered_map<std::string, std::size_t> numbers;
    std::vector<std::size_t> checksums;
};

/// The lines before "//": a name, its length and checksum each.
MsfHead msfHead(TextLines& lines, const std::string& source) {
    MsfHead head;
    while (lines.next()) {
        if (lines.line().starts_with("//")) return head;
        std::size_t position = 0;
        if (lines.word(position) != "Name:") continue;
        const std::string name(lines.word(position));
        std::size_t checksum = 0;
        for (std::string_view word = lines.word(position); !word.empty(); word = lines.word(position))
            if (word == "Check:") checksum = wholeNumber(lines.word(position)).value_or(0);
        if (name.empty())
            throw InputError(
                fmt::format("{}: line {}: expected a name behind 'Name:'", source, lines.number()));
        if (!head.numbers.emplace(name, head.rows.size()).second)
            throw InputError(fmt::format("{}: line {}: the row '{}' is named twice; expected each name once",
                                         source, lines.number(), excerpt(name)));
        head.rows.push_back({name, {}, 0});
        head.checksums.push_back(checksum);
    }
    throw InputError(fmt::format("{}: has no line '//'; expected the rows behind it", source));
}

}  // namespace

std::vector<AlignmentRow> msfRows(std::string_view text, const std::string& source,
                                  std::vector<std::string>& notes) {
    TextLines lines(text);
    MsfHead head = msfHead(lines, source);
    while (lines.next()) {
        std::size_t position = 0;
        const std::string_view name = lines.word(position);
        if (name.empty() || isRuler(lines.line())) continue;
        const auto found = head.numbers.find(std::string(name));
        if (found == head.numbers.end())
            throw InputError(fmt::format("{}: line {}: the row '{}' is not among those named above", source,
                                         lines.number(), excerpt(name)));
        head.rows[found->second].pieces.push_back(lines.pieceFrom(position));
    }
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < head.rows.size(); ++k)
        wrong += head.checksums[k] != 0 && head.checksums[k] != gcgChecksum(textOf(head.rows[k])) ? 1U : 0U;
    if (wrong > 0)
        notes.push_back(fmt::format("the checksums of {} of {} are not what the file says", wrong,
                                    formatCount(head.rows.size(), "row")));
    return std::move(head.rows);
}

// ---- PHYLIP

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
