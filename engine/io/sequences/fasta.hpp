#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/row_collector.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

/// Reads FASTA, plain or gzipped. All threads read a batch of sequences, which are then taken one by one:
/// `while (records.nextBatch()) while (records.next()) …`.
class FastaRecords {
  public:
    /// `expected` is what messages name if a file begins with something else: "aligned FASTA".
    FastaRecords(TextStream& stream, std::string_view expected);
    FastaRecords(FastaRecords&&) noexcept;
    ~FastaRecords();

    /// Reads the next sequences, a few MiB or one; returns false after the last one. Throws InputError for
    /// text before the first '>', and what the stream throws. All of the last batch must have been taken.
    bool nextBatch();
    /// The letters of the batch's sequences, for work on all threads before they are checked and taken. Valid
    /// until the next batch.
    std::span<const std::string_view> batch() const;
    /// Advances to the next sequence of the batch; returns false after its last one. Throws InputError,
    /// naming the sequence, for a missing name, FASTQ, or more than 2³¹ − 1 letters.
    bool next();
    /// Throws InputError if an earlier sequence checked by this function has the same name.
    void requireNewName();
    /// Number of sequences so far.
    std::size_t count() const;
    /// The first word after '>'.
    std::string_view name() const;
    /// Any bytes except line ends. Valid until the next batch.
    std::string_view letters() const;
    /// "sequence 3 ('name')".
    std::string describe() const;
    /// Position of letter `index` of the sequence, for messages: "line 17, column 4", from 1.
    std::string placeOf(std::size_t index) const;
    /// The stream's name.
    const std::string& source() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A character in a message: "'J'", or "byte 0x07".
std::string describeCharacter(unsigned char c);

/// For each character, whether a text has it.
using CharacterSet = std::array<bool, 256>;

/// Aligned sequences.
struct Alignment {
    std::vector<std::string> names;  ///< first word after '>'; unique
    /// Sequences × sites: 'A' … 'Z' in upper case, '-', '.', '*' or '?'.
    RowCollector<std::uint8_t> letters;
    CharacterSet has;  ///< among the letters
};

/// Whether a sequence may contain `letter`: a Latin letter in either case, '-', '.', '*' or '?'.
bool isSequenceLetter(char letter);

/// Reads aligned FASTA, plain or gzipped, on all threads. Takes one byte per site.
///
/// Throws InputError, naming the sequence, for different lengths, repeated or missing names, a character that
/// isSequenceLetter refuses (with its position, from 1), FASTQ, text before the first '>', and files without
/// sequences or sites.
Alignment readAlignment(TextStream& stream);
inline Alignment readAlignment(const std::filesystem::path& path) {
    return readAlignment(*openText(path));
}

/// Writes FASTA, atomically: a line with the name of each sequence, then its letters, 60 per line.
void writeFasta(const std::filesystem::path& path, std::span<const std::string> names,
                std::span<const std::string> letters);

}  // namespace glycine::io
