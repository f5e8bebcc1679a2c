#include "engine/sequences/files/alignment_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/inspect_advice.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine {

namespace {

// ---- rows of each format

// Internal to the reader: the rows of a file, before their letters are checked.

/// Separators of words.
constexpr std::string_view kRowBlanks = " \t\r\v\f";
constexpr bool isRowBlank(char c) {
    return kRowBlanks.find(c) != kRowBlanks.npos;
}

/// A part of a row on one line; blanks in it are ignored.
struct RowLine {
    std::string_view text;
    std::size_t line = 0;    ///< from 1
    std::size_t column = 0;  ///< of its first byte, from 1
};

struct AlignmentRow {
    std::string name;
    std::vector<RowLine> pieces;
    std::size_t block = 0;  ///< the last one that has it
};

/// Lines of a text, without their ends.
class TextLines {
  public:
    explicit TextLines(std::string_view text) : rest_(text) {}
    /// False after the last line.
    bool next();
    std::string_view line() const { return line_; }
    std::size_t number() const { return number_; }
    /// Whether the line has only blanks.
    bool isEmpty() const;
    /// The first word at or after `position`, which moves past it; empty if there is none.
    std::string_view word(std::size_t& position) const;
    /// The rest of the line from `position`.
    RowLine pieceFrom(std::size_t position) const { return {line_.substr(position), number_, position + 1}; }

  private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

/// Rows that continue from block to block, identified by their names.
class InterleavedRows {
  public:
    explicit InterleavedRows(const std::string& source) : source_(source) {}

    /// Starts a new block.
    void beginBlock() { ++block_; }
    void add(std::string_view name, const RowLine& piece) {
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

/// The text of a row's pieces without blanks.
std::string textOf(const AlignmentRow& row) {
    std::string text;
    for (const RowLine& piece : row.pieces)
        for (const char c : piece.text)
            if (!isRowBlank(c)) text += c;
    return text;
}

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
/// The number of a row's characters that are not blanks.
std::size_t lengthOf(const AlignmentRow& row) {
    std::size_t length = 0;
    for (const RowLine& piece : row.pieces)
        length += piece.text.size() -
                  static_cast<std::size_t>(std::count_if(piece.text.begin(), piece.text.end(), isRowBlank));
    return length;
}

// ---- Clustal
/// The row functions of each format return rows that point into `text`. They throw InputError with messages
/// that begin with `source`.
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
        // The conservation line below the rows has no name.
        if (isRowBlank(lines.line().front())) continue;
        std::size_t position = 0;
        const std::string_view name = lines.word(position);
        const std::string_view letters = lines.word(position);
        const RowLine piece{letters, lines.number(), position - letters.size() + 1};
        const std::string_view count = lines.word(position);
        if (letters.empty() || !lines.word(position).empty() || (!count.empty() && !isDigits(count)))
            throw InputError(
                fmt::format("{}: line {}: expected a name, letters and perhaps their number, found '{}'",
                            source, lines.number(), excerpt(lines.line())));
        rows.add(name, piece);
    }
    return rows.take();
}

// ---- Stockholm

/// The confidence of columns (#=GC PP_cons), and of columns in each row (#=GR name PP).
struct Markup {
    std::vector<double> columns;
    std::unordered_map<std::string, std::vector<double>> rows;
};

/// Tenths, rounded to nearest; '*' is the highest, and '.' means unknown (Eddy 2023).
double confidenceOf(char c, const std::string& source, const RowLine& piece, std::size_t place,
                    std::string_view markup) {
    if (c >= '0' && c <= '9') return (c - '0') / 10.0;
    if (c == '*') return 1;
    if (c == '.' || c == '-') return 0;
    throw InputError(fmt::format("{}: line {}, column {}: {} was found in {}; expected a digit, '*' or '.'",
                                 source, piece.line, piece.column + place,
                                 io::describeCharacter(static_cast<unsigned char>(c)), markup));
}

/// Appends the confidence in a line of markup to that of earlier lines.
void appendConfidence(const TextLines& lines, const std::string& source, Markup& markup) {
    std::size_t position = 0;
    const std::string_view kind = lines.word(position);
    const bool isOfRow = kind == "#=GR";
    if (!isOfRow && kind != "#=GC") return;
    const std::string_view name = isOfRow ? lines.word(position) : std::string_view();
    const std::string_view feature = lines.word(position);
    if (feature != (isOfRow ? "PP" : "PP_cons")) return;
    std::vector<double>& values = isOfRow ? markup.rows[std::string(name)] : markup.columns;
    const RowLine piece = lines.pieceFrom(position);
    for (std::size_t k = 0; k < piece.text.size(); ++k)
        if (!isRowBlank(piece.text[k]))
            values.push_back(
                confidenceOf(piece.text[k], source, piece, k,
                             isOfRow ? fmt::format("#=GR {} PP", excerpt(name)) : "#=GC PP_cons"));
}

/// Gives the alignment the confidence that was read; that of residues only if all rows have it.
void takeConfidence(Markup& markup, const std::string& source, MultipleAlignment& alignment) {
    const auto check = [&](const std::vector<double>& values, std::string_view what) {
        if (values.size() != alignment.columns())
            throw InputError(fmt::format("{}: {} has {} columns; expected {}, as the rows have", source, what,
                                         values.size(), alignment.columns()));
    };
    if (!markup.columns.empty()) check(markup.columns, "#=GC PP_cons");
    alignment.confidence = std::move(markup.columns);
    for (const auto& [name, values] : markup.rows) check(values, fmt::format("#=GR {} PP", excerpt(name)));
    if (!std::ranges::all_of(alignment.names, [&](auto& name) { return markup.rows.contains(name); })) return;
    for (std::size_t row = 0; row < alignment.size(); ++row) {
        const std::vector<double>& values = markup.rows.at(alignment.names[row]);
        std::vector<double>& residues = alignment.residueConfidence.emplace_back();
        for (std::size_t column = 0; column < alignment.columns(); ++column)
            if (alignment.rows[row][column] != '-') residues.push_back(values[column]);
    }
}

/// `markup` receives the confidence in the text.
std::vector<AlignmentRow> stockholmRows(std::string_view text, const std::string& source, Markup& markup) {
    InterleavedRows rows(source);
    TextLines lines(text);
    bool hasHead = false;
    bool isFinished = false;
    while (lines.next()) {
        if (lines.isEmpty()) {
            rows.beginBlock();
            continue;
        }
        if (isFinished)
            throw InputError(
                fmt::format("{}: line {}: '{}' after the end of the alignment ('//'); expected "
                            "one alignment",
                            source, lines.number(), excerpt(lines.line())));
        if (!std::exchange(hasHead, true)) continue;
        if (lines.line().starts_with('#')) {
            appendConfidence(lines, source, markup);
            continue;
        }
        if (lines.line().starts_with("//")) {
            isFinished = true;
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
    if (!isFinished)
        throw InputError(fmt::format("{}: ends after line {} without '//'; expected the whole alignment",
                                     source, lines.number()));
    return rows.take();
}

// ---- MSF

/// Whether a line has only numbers.
bool isRuler(std::string_view line) {
    return line.find_first_not_of("0123456789 \t") == line.npos;
}

struct MsfHead {
    std::vector<AlignmentRow> rows;
    std::unordered_map<std::string, std::size_t> numbers;
    std::vector<std::size_t> checksums;
};

/// Reads the lines before "//": each has a name, its length and its checksum.
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
                fmt::format("{}: line {}: expected a name after 'Name:'", source, lines.number()));
        if (!head.numbers.emplace(name, head.rows.size()).second)
            throw InputError(fmt::format("{}: line {}: the row '{}' is named twice; expected each name once",
                                         source, lines.number(), excerpt(name)));
        head.rows.push_back({name, {}, 0});
        head.checksums.push_back(checksum);
    }
    throw InputError(
        fmt::format("{}: has no line '//'; expected one between the names and the rows", source));
}
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

constexpr std::size_t kStrictName = 10;

/// The numbers of the first line.
struct PhylipSize {
    std::size_t rows = 0;
    std::size_t columns = 0;
};

enum class Names { Relaxed, Strict };
enum class Form { Interleaved, Sequential };

/// One way to read the lines after the first one.
class PhylipAttempt {
  public:
    PhylipAttempt(const std::vector<RowLine>& lines, PhylipSize size, Names names)
        : lines_(lines), size_(size), names_(names) {}

    /// Whether all rows have the length of the first line; otherwise `why` names the mismatch.
    bool read(Form form) {
        rows.clear();
        why.clear();
        return form == Form::Interleaved ? interleaved() : sequential();
    }
    /// Whether all rows have names, and all non-blank characters may be in a sequence.
    bool hasLetters() const {
        return std::ranges::all_of(rows, [](const AlignmentRow& row) {
            return !row.name.empty() && std::ranges::all_of(row.pieces, [](const RowLine& piece) {
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
            why = fmt::format("{} after the first; expected a multiple of {}",
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
        for (const RowLine& line : lines_) {
            if (rows.empty() || lengthOf(rows.back()) >= size_.columns) {
                if (!rows.empty() && !isComplete(rows.back())) return false;
                if (rows.size() == size_.rows) {
                    why = fmt::format("line {} comes after the last row", line.line);
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

    void begin(const RowLine& line) {
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

    const std::vector<RowLine>& lines_;
    PhylipSize size_;
    Names names_;
};

PhylipSize sizeOf(const TextLines& lines, const std::string& source) {
    std::size_t position = 0;
    const std::string rows(lines.word(position));
    const std::string columns(lines.word(position));
    constexpr std::size_t kMaxDigits = 9;
    if (!isDigits(rows) || !isDigits(columns) || rows.size() > kMaxDigits || columns.size() > kMaxDigits ||
        std::stoul(rows) == 0 || std::stoul(columns) == 0)
        throw InputError(fmt::format("{}: line {}: expected the numbers of rows and columns, found '{}'",
                                     source, lines.number(), excerpt(lines.line())));
    return {std::stoul(rows), std::stoul(columns)};
}
std::vector<AlignmentRow> phylipRows(std::string_view text, const std::string& source,
                                     std::vector<std::string>& notes) {
    TextLines lines(text);
    std::optional<PhylipSize> size;
    std::vector<RowLine> pieces;
    while (lines.next()) {
        if (lines.isEmpty()) continue;
        if (!size)
            size = sizeOf(lines, source);
        else
            pieces.push_back(lines.pieceFrom(0));
    }
    if (!size || pieces.size() < size->rows)
        throw InputError(fmt::format("{}: has {} after the first; expected at least {}, one per row", source,
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

constexpr std::size_t kHead = std::size_t{64} << 10;

std::string readAll(io::TextStream& stream) {
    constexpr std::size_t kBuffer = std::size_t{1} << 16;
    constexpr std::size_t kBetween = std::size_t{64} << 20;
    std::string text;
    for (std::size_t came = 1; came > 0;) {
        const std::size_t size = text.size();
        // Room for the text and, later, the rows.
        if ((size + kBuffer) / kBetween > size / kBetween)
            requireHostMemory(fmt::format("{}: its text", stream.name()), 4.0 * static_cast<double>(size));
        text.resize(size + kBuffer);
        came = stream.read(std::span(text).subspan(size));
        text.resize(size + came);
    }
    return text;
}

/// Converts rows of any format to uniform letters.
class RowReader {
  public:
    RowReader(const std::string& source, AlignmentFormat format, const AlignmentReading& reading)
        : source_(source), format_(format), reading_(reading) {}

    MultipleAlignment read(const std::vector<AlignmentRow>& rows) {
        if (rows.size() < std::max<std::size_t>(reading_.fewest, 1))
            throw InputError(fmt::format("{}: has {}; expected at least {}", source_,
                                         formatCount(rows.size(), "row"),
                                         std::max<std::size_t>(reading_.fewest, 1)));
        MultipleAlignment alignment;
        AlphabetGuess guess;
        std::unordered_map<std::string_view, std::size_t> numbers;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (rows[k].name.empty()) throw InputError(fmt::format("{}: row {} has no name", source_, k + 1));
            if (const auto [first, isNew] = numbers.emplace(rows[k].name, k); !isNew)
                throw InputError(
                    fmt::format("{}: rows {} and {} are both named '{}'; expected each name once", source_,
                                first->second + 1, k + 1, excerpt(rows[k].name)));
            std::string letters = lettersOf(rows[k]);
            if (letters.find_first_not_of('-') == letters.npos)
                throw InputError(
                    fmt::format("{}: row {} ('{}') has no letters", source_, k + 1, excerpt(rows[k].name)));
            if (k > 0 && letters.size() != alignment.columns())
                throw InputError(fmt::format(
                    "{0}: row {1} ('{2}') has {3} columns; expected {4}, as row 1 ('{5}') has: the "
                    "sequences must be aligned. Align them first: glycine align {0} -o aligned.fa",
                    source_, k + 1, excerpt(rows[k].name), letters.size(), alignment.columns(),
                    excerpt(rows[0].name)));
            guess.count(letters);
            alignment.names.push_back(rows[k].name);
            alignment.rows.push_back(std::move(letters));
        }
        alignment.alphabet = reading_.alphabet.value_or(guess.alphabet());
        return alignment;
    }

  private:
    std::string lettersOf(const AlignmentRow& row) const {
        std::string letters;
        letters.reserve(lengthOf(row));
        for (const RowLine& piece : row.pieces)
            for (std::size_t k = 0; k < piece.text.size(); ++k) {
                const char c = piece.text[k];
                if (isRowBlank(c)) continue;
                letters += letterOf(c, row, piece.line, piece.column + k);
            }
        return letters;
    }

    char letterOf(char c, const AlignmentRow& row, std::size_t line, std::size_t column) const {
        const bool isDot = c == '.' && format_ == AlignmentFormat::Phylip;
        if (c == '~' && format_ == AlignmentFormat::Msf) return '-';
        const std::uint8_t code = codeOf(reading_.alphabet.value_or(Alphabet::Protein), c);
        if (code == kNoCode || isDot)
            throw InputError(fmt::format(
                "{}: row '{}', line {}, column {}: {} was found{}; expected a letter of the alphabet {}, or "
                "a gap ('-'{})",
                source_, excerpt(row.name), line, column,
                io::describeCharacter(static_cast<unsigned char>(c)),
                isDot ? ", which stands for the first row's letter in PHYLIP's files and for a gap elsewhere"
                      : "",
                reading_.alphabet ? toString(*reading_.alphabet) : "protein, dna or rna",
                format_ == AlignmentFormat::Phylip ? "" : " or '.'"));
        if (code == kGapCode) return '-';
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }

    const std::string& source_;
    AlignmentFormat format_;
    const AlignmentReading& reading_;
};

ReadAlignment readAlignedFasta(std::string_view text, const std::string& source,
                               const AlignmentReading& reading) {
    io::TextStream stream(io::openMemory(std::as_bytes(std::span(text)), source));
    ReadSequences read =
        readSequences(stream, {.alphabet = reading.alphabet, .areAligned = true, .fewest = reading.fewest});
    ReadAlignment result;
    result.alignment.alphabet = read.sequences.alphabet;
    result.alignment.names = std::move(read.sequences.names);
    result.alignment.rows = std::move(read.sequences.letters);
    result.notes = std::move(read.notes);
    return result;
}

/// Whether a line is the one that precedes the names in MSF files.
bool isMsfLine(std::string_view line) {
    const std::size_t end = line.find_last_not_of(" \t");
    return line.find("MSF:") != line.npos && end != line.npos && line.substr(0, end + 1).ends_with("..");
}

}  // namespace

std::optional<AlignmentFormat> formatOfContents(std::string_view head) {
    TextLines lines(head);
    bool isFirst = true;
    while (lines.next()) {
        if (lines.isEmpty()) continue;
        const std::string_view line = lines.line();
        if (isFirst) {
            if (line.starts_with('>')) return AlignmentFormat::Fasta;
            const std::string lower = lowerCase(line);
            for (const std::string_view program : {"clustal", "muscle", "probcons", "kalign"})
                if (lower.starts_with(program)) return AlignmentFormat::Clustal;
            if (lower.starts_with("# stockholm")) return AlignmentFormat::Stockholm;
            for (const std::string_view begin : {"!!aa_multiple", "!!na_multiple", "pileup"})
                if (lower.starts_with(begin)) return AlignmentFormat::Msf;
            std::size_t position = 0;
            const std::string_view rows = lines.word(position);
            const std::string_view columns = lines.word(position);
            if (isDigits(rows) && isDigits(columns)) return AlignmentFormat::Phylip;
        }
        isFirst = false;
        if (isMsfLine(line)) return AlignmentFormat::Msf;
    }
    return std::nullopt;
}

std::optional<AlignmentFormat> formatOfFile(const std::filesystem::path& path) {
    const std::unique_ptr<io::TextStream> stream = io::openText(path);
    std::string head(kHead, '\0');
    std::size_t filled = 0;
    for (std::size_t came = 1; came > 0 && filled < kHead; filled += came)
        came = stream->read(std::span(head).subspan(filled));
    return formatOfContents(std::string_view(head).substr(0, filled));
}

ReadAlignment readAlignment(io::TextStream& stream, const AlignmentReading& reading) {
    const std::string text = readAll(stream);
    const std::string& source = stream.name();
    const std::optional<AlignmentFormat> format = formatOfContents(std::string_view(text).substr(0, kHead));
    if (!format)
        throw InputError(
            fmt::format("{}: has no aligned sequences; expected FASTA, Clustal, PHYLIP, Stockholm or MSF{}",
                        source, inspectAdvice(source)));
    if (*format == AlignmentFormat::Fasta) return readAlignedFasta(text, source, reading);
    ReadAlignment result{.alignment = {}, .format = *format};
    Markup markup;
    const std::vector<AlignmentRow> rows =
        *format == AlignmentFormat::Clustal     ? clustalRows(text, source)
        : *format == AlignmentFormat::Phylip    ? phylipRows(text, source, result.notes)
        : *format == AlignmentFormat::Stockholm ? stockholmRows(text, source, markup)
                                                : msfRows(text, source, result.notes);
    result.alignment = RowReader(source, *format, reading).read(rows);
    takeConfidence(markup, source, result.alignment);
    return result;
}

ReadSequences readUnaligned(const std::filesystem::path& path, const SequenceReading& reading) {
    const std::optional<AlignmentFormat> format = formatOfFile(path);
    // Anything else gets the error message of the FASTA reader.
    if (!format || *format == AlignmentFormat::Fasta) return readSequences(path, reading);
    ReadAlignment read = readAlignment(path, {.alphabet = reading.alphabet, .fewest = reading.fewest});
    ReadSequences result{.sequences = withoutGaps(read.alignment), .notes = std::move(read.notes)};
    const std::size_t gaps = read.alignment.size() * read.alignment.columns() - result.sequences.total();
    if (gaps > 0) result.notes.push_back(fmt::format("{} removed", formatCount(gaps, "gap")));
    return result;
}

}  // namespace glycine
