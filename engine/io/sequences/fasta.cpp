#include "engine/io/sequences/fasta.hpp"

#include <fmt/format.h>
#include <htslib/kseq.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
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
#include "engine/core/host_memory.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/row_collector.hpp"
#include "engine/io/text/text_output.hpp"

namespace glycine::io {

namespace {

/// The lines of a sequence: line number of its header, and letters per line after it.
struct RecordLines {
    std::size_t header = 0;
    std::vector<std::uint32_t> letters{};
};

/// Tracks the lines of sequences in text as it is read. kseq's buffer is ahead of the sequence that it
/// returns.
class LineFollower {
  public:
    void follow(std::span<const char> text) {
        while (!text.empty()) {
            if (isLineStart_) beginLine(text.front());
            const auto end = std::find(text.begin(), text.end(), '\n');
            const auto length = static_cast<std::size_t>(end - text.begin());
            if (length > 0) endsInReturn_ = text[length - 1] == '\r';
            length_ += length;
            isLineStart_ = end != text.end();
            if (isLineStart_) endLine();
            text = text.subspan(length + (isLineStart_ ? 1 : 0));
        }
    }
    /// Drops the oldest sequence.
    void drop() {
        if (!records_.empty()) records_.pop_front();
    }
    /// Line and column of a letter of the oldest sequence, from 1.
    std::pair<std::size_t, std::size_t> place(std::size_t index) const {
        std::size_t line = 1;
        if (!records_.empty()) {
            line = records_.front().header + 1;
            for (const std::uint32_t letters : records_.front().letters) {
                if (index < letters) break;
                index -= letters;
                ++line;
            }
        }
        return {line, index + 1};
    }

  private:
    void beginLine(char first) {
        ++line_;
        length_ = 0;
        endsInReturn_ = false;
        isHeader_ = first == '>';
        if (isHeader_) records_.push_back({line_});
    }
    void endLine() {
        const std::size_t letters = length_ - (endsInReturn_ ? 1 : 0);
        if (!isHeader_ && !records_.empty())
            records_.back().letters.push_back(static_cast<std::uint32_t>(letters));
    }

    std::deque<RecordLines> records_;
    std::size_t line_ = 0;
    std::size_t length_ = 0;  ///< of the current line so far
    bool isLineStart_ = true;
    bool isHeader_ = false;
    bool endsInReturn_ = false;
};

/// The source that kseq reads. An exception must not pass through C code: it is kept until kseq returns, and
/// kseq sees the end of the text.
struct GuardedStream {
    TextStream* stream = nullptr;
    std::optional<char> first;
    std::exception_ptr failure;
    /// Bytes of the current sequence, which kseq holds as a whole, however long it becomes.
    std::size_t held = 0;
    LineFollower lines{};

    int read(unsigned char* target, int bytes) {
        try {
            const std::size_t count =
                stream->read({reinterpret_cast<char*>(target), static_cast<std::size_t>(bytes)});
            if (!first && count > 0) first = static_cast<char>(target[0]);
            // A growing buffer reserves twice its size and copies its contents.
            constexpr std::size_t kBetween = std::size_t{64} << 20;
            if ((held + count) / kBetween > held / kBetween)
                requireHostMemory(
                    fmt::format("{}: a sequence of more than {}", stream->name(), formatBytes(held)),
                    2.0 * static_cast<double>(held));
            held += count;
            lines.follow({reinterpret_cast<const char*>(target), count});
            return static_cast<int>(count);
        } catch (...) {
            failure = std::current_exception();
            return 0;
        }
    }
};

int readGuarded(GuardedStream* stream, unsigned char* target, int bytes) {
    return stream->read(target, bytes);
}

KSEQ_INIT(GuardedStream*, readGuarded)

struct DestroyRecord {
    void operator()(kseq_t* record) const { kseq_destroy(record); }
};

/// Upper case of the characters allowed in a sequence; 0 for others.
constexpr std::array<std::uint8_t, 256> kUpperCase = [] {
    std::array<std::uint8_t, 256> table{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        table[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(c);
        table[static_cast<unsigned char>(c - 'A' + 'a')] = static_cast<std::uint8_t>(c);
    }
    for (const char c : std::string_view("-.*?"))
        table[static_cast<unsigned char>(c)] = static_cast<std::uint8_t>(c);
    return table;
}();

std::string_view textOf(const kstring_t& string) {
    return string.s == nullptr ? std::string_view() : std::string_view(string.s, string.l);
}

class AlignmentReader {
  public:
    explicit AlignmentReader(TextStream& stream) : records_(stream, "aligned FASTA") {}

    Alignment read() {
        while (records_.next()) addSequence();
        if (!rows_)
            throw InputError(fmt::format("{}: has no sequences; expected aligned FASTA", records_.source()));
        alignment_.letters = rows_->take();
        return std::move(alignment_);
    }

  private:
    void addSequence() {
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
                            excerpt(alignment_.names.front())));
        records_.requireNewName();
        copyLetters(letters, rows_->append());
        alignment_.names.emplace_back(records_.name());
    }

    void copyLetters(std::string_view letters, std::uint8_t* target) const {
        bool isGood = true;
        for (std::size_t k = 0; k < letters.size(); ++k) {
            target[k] = kUpperCase[static_cast<unsigned char>(letters[k])];
            isGood &= target[k] != 0;
        }
        if (isGood) return;
        const std::size_t place =
            static_cast<std::size_t>(std::find(target, target + letters.size(), 0) - target);
        throw InputError(
            fmt::format("{}: {}, site {}: {} was found; expected a letter, a gap ('-' or '.'), '*' or '?'",
                        records_.source(), records_.describe(), place + 1,
                        describeCharacter(static_cast<unsigned char>(letters[place]))));
    }

    FastaRecords records_;
    std::optional<RowCollector<std::uint8_t>> rows_;
    Alignment alignment_;
};

}  // namespace

struct FastaRecords::State {
    explicit State(TextStream& stream, std::string_view whatIsExpected)
        : source(stream.name()),
          expected(whatIsExpected),
          guarded{&stream, {}, {}, 0},
          record(kseq_init(&guarded)) {}

    std::string source;
    std::string expected;
    GuardedStream guarded;
    std::unique_ptr<kseq_t, DestroyRecord> record;
    std::unordered_map<std::string, std::size_t> numbers;  ///< of each name
    std::size_t begun = 0;                                 ///< sequences, including the current one
    std::string_view letters;
};

FastaRecords::FastaRecords(TextStream& stream, std::string_view expected)
    : state_(std::make_unique<State>(stream, expected)) {}
FastaRecords::FastaRecords(FastaRecords&&) noexcept = default;
FastaRecords::~FastaRecords() = default;

bool FastaRecords::next() {
    State& state = *state_;
    const kseq_t* const record = state.record.get();
    state.guarded.held = 0;
    if (state.begun > 0) state.guarded.lines.drop();
    ++state.begun;
    const int status = kseq_read(state.record.get());
    if (state.guarded.failure) std::rethrow_exception(state.guarded.failure);
    if (const auto first = state.guarded.first; first && *first != '>')
        throw InputError(fmt::format("{}: begins with {}; expected '>', {}", state.source,
                                     describeCharacter(static_cast<unsigned char>(*first)), state.expected));
    // kseq returns the length, or -1 at the end, as an int.
    if (record->seq.l > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw InputError(fmt::format("{}: {} has {} sites; at most {} are read", state.source, describe(),
                                     record->seq.l, std::numeric_limits<int>::max()));
    if (status == -1) {
        --state.begun;
        return false;
    }
    if (status < 0 || record->qual.l > 0 || record->last_char == '@')
        throw InputError(
            fmt::format("{}: {} or the line behind it is FASTQ (it begins with '+' or '@'); expected FASTA",
                        state.source, describe()));
    if (record->name.l == 0)
        throw InputError(fmt::format("{}: sequence {} has no name; expected one right behind '>'",
                                     state.source, state.begun));
    state.letters = textOf(record->seq);
    // kseq strips carriage returns, except from an empty line before all others.
    if (state.letters.starts_with('\r')) state.letters.remove_prefix(1);
    return true;
}

void FastaRecords::requireNewName() {
    const auto [first, isNew] = state_->numbers.emplace(std::string(name()), state_->begun);
    if (!isNew)
        throw InputError(fmt::format("{}: sequences {} and {} are both named '{}'; expected each name once",
                                     state_->source, first->second, state_->begun, excerpt(first->first)));
}

std::size_t FastaRecords::count() const {
    return state_->begun;
}

std::string_view FastaRecords::name() const {
    return textOf(state_->record->name);
}

std::string_view FastaRecords::letters() const {
    return state_->letters;
}

std::string FastaRecords::describe() const {
    return fmt::format("sequence {} ('{}')", state_->begun, excerpt(name()));
}

std::string FastaRecords::placeOf(std::size_t index) const {
    const auto [line, column] = state_->guarded.lines.place(index);
    return fmt::format("line {}, column {}", line, column);
}

const std::string& FastaRecords::source() const {
    return state_->source;
}

std::string describeCharacter(unsigned char c) {
    return c > ' ' && c < 0x7f ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("byte {:#04x}", c);
}

bool isSequenceLetter(char letter) {
    return kUpperCase[static_cast<unsigned char>(letter)] != 0;
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
