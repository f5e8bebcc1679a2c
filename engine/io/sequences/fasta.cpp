#include "engine/io/sequences/fasta.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/inspect_advice.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/text.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::io {

namespace {

enum class Fault { None, NoName, Fastq };

/// A sequence in the text of a batch.
struct SequenceText {
    std::string_view text;  ///< from '>' to the end of its last line
    std::string_view name;
    std::size_t lines = 0;  ///< of the text
    Fault fault = Fault::None;
};

/// As C's isspace, whatever the locale.
bool endsName(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Finds the first '>' that begins a line, from `begin` on; the text's size if there is none. Requires that
/// the text's first line is before `begin`.
std::size_t findHeader(std::string_view text, std::size_t begin) {
    for (;; ++begin) {
        begin = text.find('>', begin);
        if (begin == std::string_view::npos) return text.size();
        if (text[begin - 1] == '\n') return begin;
    }
}

/// Finds the last '>' that begins a line after the first one; 0 if there is none.
std::size_t findLastHeader(std::string_view text) {
    for (std::size_t place = text.rfind('>'); place != std::string_view::npos && place > 0;
         place = text.rfind('>', place - 1))
        if (text[place - 1] == '\n') return place;
    return 0;
}

/// Splits lines, without their ends ("\n" or "\r\n"), off the front of `text`.
std::string_view takeFastaLine(std::string_view& text) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// Reads the sequence at the beginning of `text`, up to the next header or the text's end. Its letters go to
/// `letters`, which has room for the text; returns how many there are.
std::size_t readRecord(std::string_view text, SequenceText& record, char* letters) {
    std::string_view rest = text;
    const std::string_view header = takeFastaLine(rest).substr(1);
    record.name =
        header.substr(0, static_cast<std::size_t>(std::ranges::find_if(header, endsName) - header.begin()));
    if (record.name.empty()) record.fault = Fault::NoName;
    record.lines = 1;
    char* end = letters;
    while (!rest.empty() && rest.front() != '>') {
        if (rest.front() == '+' || rest.front() == '@') record.fault = Fault::Fastq;
        const std::string_view line = takeFastaLine(rest);
        end = std::copy(line.begin(), line.end(), end);
        ++record.lines;
    }
    record.text = text.substr(0, text.size() - rest.size());
    return static_cast<std::size_t>(end - letters);
}

/// Upper case of the characters allowed in a sequence; 0 for others. Bit operations alone, so that compilers
/// vectorise loops over it.
constexpr std::uint8_t sequenceLetter(char letter) {
    const auto c = static_cast<std::uint8_t>(letter);
    const auto upper = static_cast<std::uint8_t>(c & 0xdfU);
    const unsigned isLetter = static_cast<std::uint8_t>(upper - 'A') < 26 ? 0xff : 0;
    const unsigned isOther =
        (c == '-' ? 0xffU : 0U) | (c == '.' ? 0xffU : 0U) | (c == '*' ? 0xffU : 0U) | (c == '?' ? 0xffU : 0U);
    return static_cast<std::uint8_t>((upper & isLetter) | (c & isOther));
}

class AlignmentReader {
  public:
    explicit AlignmentReader(TextStream& stream)
        : records_(stream, "aligned FASTA"),
          bytesByThread_(static_cast<std::size_t>(omp_get_max_threads())) {}

    Alignment read() {
        while (records_.nextBatch()) addBatch();
        if (!rows_)
            throw InputError(fmt::format("{}: has no sequences; expected aligned FASTA", records_.source()));
        CharacterSet has{};
        for (const ByteSet& found : bytesByThread_)
            for (std::size_t c = 0; c < has.size(); ++c) has[c] = has[c] || found.bytes[c] != 0;
        return {std::move(names_), std::move(*rows_), has};
    }

  private:
    /// 1 for every byte that a thread has found.
    struct alignas(64) ByteSet {
        std::array<std::uint8_t, 256> bytes{};
    };

    /// Converts the letters on all threads. Reports the first fault of the file: if a sequence has one, the
    /// letters of those before it are still converted and checked.
    void addBatch() {
        std::vector<std::uint8_t*> targets;
        std::exception_ptr failure;
        try {
            while (records_.next()) targets.push_back(addSequence());
        } catch (...) {
            failure = std::current_exception();
        }
        const std::span<const std::string_view> batch = records_.batch();
        // Each task converts several sequences, since some are short.
        constexpr std::size_t kLettersAtOnce = std::size_t{128} << 10;
        const std::size_t sequencesAtOnce =
            rows_ ? std::max<std::size_t>(1, kLettersAtOnce / rows_->columns()) : 1;
        const std::vector<Range> runs = splitRange(targets.size(), sequencesAtOnce);
        std::vector<char> isGood(targets.size());
        parallelFor(static_cast<int>(bytesByThread_.size()), runs.size(),
                    [&](std::size_t run, std::size_t thread) {
                        for (std::size_t k = runs[run].begin; k < runs[run].end; ++k)
                            isGood[k] = convert(batch[k], targets[k], bytesByThread_[thread]) ? 1 : 0;
                    });
        const auto bad = std::ranges::find(isGood, 0);
        if (bad != isGood.end()) {
            const auto index = static_cast<std::size_t>(bad - isGood.begin());
            refuseLetter(names_.size() - targets.size() + index, batch[index], targets[index]);
        }
        if (failure) std::rethrow_exception(failure);
    }

    /// Checks the current sequence, except for its letters; returns where they go.
    std::uint8_t* addSequence() {
        const std::string_view letters = records_.letters();
        if (!rows_) {
            if (letters.empty())
                throw InputError(fmt::format("{}: {} has no sites", records_.source(), records_.describe()));
            rows_.emplace(letters.size());
        }
        if (letters.size() != rows_->columns())
            throw InputError(
                fmt::format("{0}: {1} has {2} sites; expected {3}, as sequence 1 ('{4}') has: the sequences "
                            "must be aligned. Align them first: glycine align {0} -o aligned.fa",
                            records_.source(), records_.describe(), letters.size(), rows_->columns(),
                            excerpt(names_.front())));
        records_.requireNewName();
        std::uint8_t* const row = rows_->append();
        names_.emplace_back(records_.name());
        return row;
    }

    /// Writes letters in upper case; returns whether all are allowed.
    static bool convert(std::string_view letters, std::uint8_t* target, ByteSet& found) {
        // Few enough to stay in the nearest cache between the two loops.
        constexpr std::size_t kBlock = 8192;
        std::uint8_t least = std::numeric_limits<std::uint8_t>::max();
        for (std::size_t begin = 0; begin < letters.size(); begin += kBlock) {
            const char* const source = letters.data() + begin;
            std::uint8_t* const block = target + begin;
            const std::size_t count = std::min(kBlock, letters.size() - begin);
#pragma omp simd reduction(min : least)
            for (std::size_t k = 0; k < count; ++k) {
                const std::uint8_t letter = sequenceLetter(source[k]);
                block[k] = letter;
                least = letter < least ? letter : least;
            }
            for (std::size_t k = 0; k < count; ++k) found.bytes[block[k]] = 1;
        }
        return least != 0;
    }

    [[noreturn]] void refuseLetter(std::size_t sequence, std::string_view letters,
                                   const std::uint8_t* target) const {
        const auto place = static_cast<std::size_t>(std::find(target, target + letters.size(), 0) - target);
        throw InputError(
            fmt::format("{}: sequence {} ('{}'), site {}: {} was found; expected a letter, a gap ('-' or "
                        "'.'), '*' or '?'",
                        records_.source(), sequence + 1, excerpt(names_[sequence]), place + 1,
                        describeCharacter(static_cast<unsigned char>(letters[place]))));
    }

    FastaRecords records_;
    std::optional<RowCollector<std::uint8_t>> rows_;
    std::vector<std::string> names_;
    std::vector<ByteSet> bytesByThread_;  ///< by thread
};

}  // namespace

struct FastaRecords::State {
    State(TextStream& stream, std::string_view whatIsExpected)
        : source(stream.name()), expected(whatIsExpected), window(stream, "a sequence") {}

    void readRecords();

    std::string source;
    std::string expected;
    TextWindow window;
    std::size_t batchBytes = std::size_t{1} << 20;  ///< least size of the next batch
    std::size_t linesBefore = 0;                    ///< lines before the batch
    std::vector<SequenceText> records;              ///< sequences of the batch
    std::vector<std::string_view> letters;
    std::unique_ptr<char[]> letterBytes;
    std::size_t letterRoom = 0;                            ///< bytes of letterBytes
    std::size_t taken = 0;                                 ///< records that `next` returned
    std::size_t before = 0;                                ///< sequences before the batch
    std::unordered_map<std::string, std::size_t> numbers;  ///< number of the sequence with each name
};

/// Reads all sequences of the window's text. Leaves out the last one if it may continue after the window.
void FastaRecords::State::readRecords() {
    std::string_view text = window.text();
    if (!window.isAtEnd()) text = text.substr(0, findLastHeader(text));
    if (letterRoom < text.size()) {
        letterRoom = text.size() + text.size() / 4;
        letterBytes = std::make_unique_for_overwrite<char[]>(letterRoom);
    }
    struct Piece {
        std::vector<SequenceText> records{};
        std::vector<std::string_view> letters{};
    };
    constexpr std::size_t kPiece = std::size_t{128} << 10;
    const std::vector<Range> ranges = splitRange(text.size(), kPiece);
    std::vector<Piece> pieces(ranges.size());
    // Each piece reads the sequences that begin in it, to their end.
    parallelFor(omp_get_max_threads(), ranges.size(), [&](std::size_t index, std::size_t) {
        std::size_t place = ranges[index].begin;
        if (place > 0) place = findHeader(text, place);
        while (place < ranges[index].end) {
            SequenceText record;
            char* const target = letterBytes.get() + place;
            const std::size_t count = readRecord(text.substr(place), record, target);
            pieces[index].records.push_back(record);
            pieces[index].letters.emplace_back(target, count);
            place += record.text.size();
        }
    });
    for (const Piece& piece : pieces) {
        records.insert(records.end(), piece.records.begin(), piece.records.end());
        letters.insert(letters.end(), piece.letters.begin(), piece.letters.end());
    }
}

FastaRecords::FastaRecords(TextStream& stream, std::string_view expected)
    : state_(std::make_unique<State>(stream, expected)) {}
FastaRecords::FastaRecords(FastaRecords&&) noexcept = default;
FastaRecords::~FastaRecords() = default;

bool FastaRecords::nextBatch() {
    State& state = *state_;
    for (const SequenceText& record : state.records) {
        state.linesBefore += record.lines;
        state.window.drop(record.text.size());
    }
    state.before += state.records.size();
    state.records.clear();
    state.letters.clear();
    state.taken = 0;
    constexpr std::size_t kMostBytes = std::size_t{8} << 20;
    for (std::size_t bytes = state.batchBytes; state.records.empty();
         bytes = std::max(bytes, 2 * state.window.text().size())) {
        state.window.grow(bytes);
        const std::string_view text = state.window.text();
        if (text.empty()) return false;
        if (text.front() != '>')
            throw InputError(fmt::format("{}: begins with {}; expected '>', {}{}", state.source,
                                         describeCharacter(static_cast<unsigned char>(text.front())),
                                         state.expected, inspectAdvice(state.source)));
        state.readRecords();
    }
    state.batchBytes = std::min(2 * state.batchBytes, kMostBytes);
    // A file may end with a lone '>'.
    if (state.records.back().text == ">") {
        state.records.pop_back();
        state.letters.pop_back();
    }
    return !state.records.empty();
}

std::span<const std::string_view> FastaRecords::batch() const {
    return state_->letters;
}

bool FastaRecords::next() {
    State& state = *state_;
    if (state.taken == state.records.size()) return false;
    const SequenceText& record = state.records[state.taken++];
    if (letters().size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw InputError(fmt::format("{}: {} has {} sites; at most {} are read", state.source, describe(),
                                     letters().size(), std::numeric_limits<int>::max()));
    if (record.fault == Fault::Fastq)
        throw InputError(
            fmt::format("{}: {} or the line after it is FASTQ (it begins with '+' or '@'); expected FASTA",
                        state.source, describe()));
    if (record.fault == Fault::NoName)
        throw InputError(
            fmt::format("{}: sequence {} has no name; expected one right after '>'", state.source, count()));
    return true;
}

void FastaRecords::requireNewName() {
    const auto [first, isNew] = state_->numbers.emplace(std::string(name()), count());
    if (!isNew)
        throw InputError(fmt::format("{}: sequences {} and {} are both named '{}'; expected each name once",
                                     state_->source, first->second, count(), excerpt(first->first)));
}

std::size_t FastaRecords::count() const {
    return state_->before + state_->taken;
}

std::string_view FastaRecords::name() const {
    return state_->records[state_->taken - 1].name;
}

std::string_view FastaRecords::letters() const {
    return state_->letters[state_->taken - 1];
}

std::string FastaRecords::describe() const {
    return fmt::format("sequence {} ('{}')", count(), excerpt(name()));
}

std::string FastaRecords::placeOf(std::size_t index) const {
    std::size_t line = state_->linesBefore + 2;
    for (std::size_t k = 0; k + 1 < state_->taken; ++k) line += state_->records[k].lines;
    std::string_view text = state_->records[state_->taken - 1].text;
    (void)takeFastaLine(text);
    for (std::string_view letters = takeFastaLine(text); index >= letters.size() && !text.empty(); ++line) {
        index -= letters.size();
        letters = takeFastaLine(text);
    }
    return fmt::format("line {}, column {}", line, index + 1);
}

const std::string& FastaRecords::source() const {
    return state_->source;
}

std::string describeCharacter(unsigned char c) {
    return c > ' ' && c < 0x7f ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("byte {:#04x}", c);
}

bool isSequenceLetter(char letter) {
    return sequenceLetter(letter) != 0;
}

Alignment readAlignment(TextStream& stream) {
    return AlignmentReader(stream).read();
}

void writeFasta(const std::filesystem::path& path, std::span<const std::string> names,
                std::span<const std::string> letters) {
    constexpr std::size_t kLine = 60;
    BufferedText file(path);
    BackgroundWork work("writing " + path.filename().string(), static_cast<double>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
        file.text() += '>';
        file.text() += names[i];
        file.endLine();
        for (std::size_t begin = 0; begin < letters[i].size(); begin += kLine) {
            file.text().append(letters[i], begin, kLine);
            file.endLine();
        }
        work.advance(1);
    }
    file.commit();
}

}  // namespace glycine::io
