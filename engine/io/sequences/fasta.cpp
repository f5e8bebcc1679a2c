#include "engine/io/sequences/fasta.hpp"

#include <fmt/format.h>
#include <htslib/kseq.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/row_collector.hpp"

namespace glycine::io {

namespace {

/// What kseq reads from. An exception must not pass through C code: it is kept until kseq has returned, and
/// kseq sees the end of the text.
struct GuardedStream {
    TextStream* stream = nullptr;
    std::optional<char> first;
    std::exception_ptr failure;
    /// Of the sequence that is being read, which kseq holds as a whole, however long it becomes.
    std::size_t held = 0;

    int read(unsigned char* target, int bytes) {
        try {
            const std::size_t count =
                stream->read({reinterpret_cast<char*>(target), static_cast<std::size_t>(bytes)});
            if (!first && count > 0) first = static_cast<char>(target[0]);
            // Twice as much is reserved as there is, and copied to it.
            constexpr std::size_t kBetween = std::size_t{64} << 20;
            if ((held + count) / kBetween > held / kBetween)
                requireHostMemory(
                    fmt::format("{}: a sequence of more than {}", stream->name(), formatBytes(held)),
                    2.0 * static_cast<double>(held));
            held += count;
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

/// Upper case of what may stand in a sequence; 0: what may not.
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

std::string describeCharacter(unsigned char c) {
    return c > ' ' && c < 0x7f ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("byte {:#04x}", c);
}

class AlignmentReader {
  public:
    explicit AlignmentReader(TextStream& stream)
        : name_(stream.name()), stream_{&stream, {}, {}, 0}, record_(kseq_init(&stream_)) {}

    Alignment read() {
        while (readRecord()) addSequence();
        if (!rows_) throw InputError(fmt::format("{}: has no sequences; expected aligned FASTA", name_));
        alignment_.letters = rows_->take();
        return std::move(alignment_);
    }

  private:
    std::string_view text(const kstring_t& string) const {
        return string.s == nullptr ? std::string_view() : std::string_view(string.s, string.l);
    }

    bool readRecord() {
        stream_.held = 0;
        const int status = kseq_read(record_.get());
        if (stream_.failure) std::rethrow_exception(stream_.failure);
        if (stream_.first && *stream_.first != '>')
            throw InputError(fmt::format("{}: begins with {}; expected '>', aligned FASTA", name_,
                                         describeCharacter(static_cast<unsigned char>(*stream_.first))));
        // kseq gives the length, or -1 at the end, as an int.
        if (record_->seq.l > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw InputError(fmt::format("{}: {} has {} sites; at most {} are read", name_, describe(),
                                         record_->seq.l, std::numeric_limits<int>::max()));
        if (status == -1) return false;
        if (status < 0 || record_->qual.l > 0 || record_->last_char == '@')
            throw InputError(fmt::format(
                "{}: {} or the line behind it is FASTQ (it begins with '+' or '@'); expected FASTA", name_,
                describe()));
        return true;
    }

    std::string describe() const {
        return fmt::format("sequence {} ('{}')", alignment_.names.size() + 1, excerpt(text(record_->name)));
    }

    void addSequence() {
        if (record_->name.l == 0)
            throw InputError(fmt::format("{}: sequence {} has no name; expected one right behind '>'", name_,
                                         alignment_.names.size() + 1));
        std::string_view letters = text(record_->seq);
        // kseq strips carriage returns, but not from an empty line in front of all others.
        if (letters.starts_with('\r')) letters.remove_prefix(1);
        if (!rows_) {
            if (letters.empty()) throw InputError(fmt::format("{}: {} has no sites", name_, describe()));
            rows_.emplace(letters.size());
        }
        if (letters.size() != rows_->columns())
            throw InputError(fmt::format(
                "{}: {} has {} sites; expected {}, as sequence 1 ('{}') has: the sequences must be aligned",
                name_, describe(), letters.size(), rows_->columns(), excerpt(alignment_.names.front())));
        const auto [first, isNew] =
            numbers_.emplace(std::string(text(record_->name)), alignment_.names.size() + 1);
        if (!isNew)
            throw InputError(
                fmt::format("{}: sequences {} and {} are both named '{}'; expected each name once", name_,
                            first->second, alignment_.names.size() + 1, excerpt(first->first)));
        copyLetters(letters, rows_->append());
        alignment_.names.emplace_back(first->first);
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
        throw InputError(fmt::format(
            "{}: {}, site {}: {} was found; expected a letter, a gap ('-' or '.'), '*' or '?'", name_,
            describe(), place + 1, describeCharacter(static_cast<unsigned char>(letters[place]))));
    }

    std::string name_;
    GuardedStream stream_;
    std::unique_ptr<kseq_t, DestroyRecord> record_;
    std::unordered_map<std::string, std::size_t> numbers_;
    std::optional<RowCollector<std::uint8_t>> rows_;
    Alignment alignment_;
};

}  // namespace

bool isSequenceLetter(char letter) {
    return kUpperCase[static_cast<unsigned char>(letter)] != 0;
}

Alignment readAlignment(TextStream& stream) {
    return AlignmentReader(stream).read();
}

}  // namespace glycine::io
