#include "engine/sequences/files/alignment_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/sequences/files/alignment_rows.hpp"

namespace glycine {

namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;

std::string readAll(io::TextStream& stream) {
    constexpr std::size_t kBuffer = std::size_t{1} << 16;
    constexpr std::size_t kBetween = std::size_t{64} << 20;
    std::string text;
    for (std::size_t came = 1; came > 0;) {
        const std::size_t size = text.size();
        // The text, and later the rows beside it.
        if ((size + kBuffer) / kBetween > size / kBetween)
            requireHostMemory(fmt::format("{}: its text", stream.name()), 4.0 * static_cast<double>(size));
        text.resize(size + kBuffer);
        came = stream.read(std::span(text).subspan(size));
        text.resize(size + came);
    }
    return text;
}

/// Letters of rows, as all formats are to have them.
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
                throw InputError(
                    fmt::format("{}: row {} ('{}') has {} columns; expected {}, as row 1 ('{}') has: the "
                                "sequences must be aligned",
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
        for (const RowPiece& piece : row.pieces)
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

/// Whether a line of a head is the one that MSF's files have before the names.
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

ReadAlignment readAlignment(io::TextStream& stream, const AlignmentReading& reading) {
    const std::string text = readAll(stream);
    const std::string& source = stream.name();
    const std::optional<AlignmentFormat> format = formatOfContents(std::string_view(text).substr(0, kHead));
    if (!format)
        throw InputError(fmt::format(
            "{}: is no aligned sequences; expected FASTA, Clustal, PHYLIP, Stockholm or MSF", source));
    if (*format == AlignmentFormat::Fasta) return readAlignedFasta(text, source, reading);
    ReadAlignment result{.alignment = {}, .format = *format};
    std::vector<double> confidence;
    const std::vector<AlignmentRow> rows =
        *format == AlignmentFormat::Clustal     ? clustalRows(text, source)
        : *format == AlignmentFormat::Phylip    ? phylipRows(text, source, result.notes)
        : *format == AlignmentFormat::Stockholm ? stockholmRows(text, source, confidence)
                                                : msfRows(text, source, result.notes);
    result.alignment = RowReader(source, *format, reading).read(rows);
    if (!confidence.empty() && confidence.size() != result.alignment.columns())
        throw InputError(fmt::format("{}: #=GC PP_cons has {} columns; expected {}, as the rows have", source,
                                     confidence.size(), result.alignment.columns()));
    result.alignment.confidence = std::move(confidence);
    return result;
}

ReadSequences readUnaligned(const std::filesystem::path& path, const SequenceReading& reading) {
    const std::unique_ptr<io::TextStream> stream = io::openText(path);
    std::string head(kHead, '\0');
    std::size_t filled = 0;
    for (std::size_t came = 1; came > 0 && filled < kHead; filled += came)
        came = stream->read(std::span(head).subspan(filled));
    head.resize(filled);
    const std::optional<AlignmentFormat> format = formatOfContents(head);
    // What is none of them gets the message of the reader of FASTA.
    if (!format || *format == AlignmentFormat::Fasta) return readSequences(path, reading);
    ReadAlignment read = readAlignment(path, {.alphabet = reading.alphabet, .fewest = reading.fewest});
    ReadSequences result{.sequences = withoutGaps(read.alignment), .notes = std::move(read.notes)};
    const std::size_t gaps = read.alignment.size() * read.alignment.columns() - result.sequences.total();
    if (gaps > 0) result.notes.push_back(fmt::format("{} removed", formatCount(gaps, "gap")));
    return result;
}

}  // namespace glycine
