#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

/// FASTA, plain or packed by gzip, sequence by sequence.
class FastaRecords {
  public:
    /// `expected`: what messages say of a file that begins with something else: "aligned FASTA".
    FastaRecords(TextStream& stream, std::string_view expected);
    FastaRecords(FastaRecords&&) noexcept;
    ~FastaRecords();

    /// Goes to the next sequence; false after the last one. Throws InputError that names the sequence: no
    /// name, FASTQ, text before the first '>', more than 2³¹ − 1 letters.
    bool next();
    /// Throws InputError where an earlier sequence that this was asked of has the same name.
    void requireNewName();
    /// Of sequences so far.
    std::size_t count() const;
    /// The first word behind '>'.
    std::string_view name() const;
    /// Any bytes but ends of lines. Valid until the next sequence.
    std::string_view letters() const;
    /// "sequence 3 ('name')".
    std::string describe() const;
    /// Where letter `index` of the sequence stands, for messages: "line 17, column 4", from 1.
    std::string placeOf(std::size_t index) const;
    /// The name of the stream.
    const std::string& source() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// How a message shows a character: "'J'", or "byte 0x07".
std::string describeCharacter(unsigned char c);

/// Aligned sequences.
struct Alignment {
    std::vector<std::string> names;  ///< the first word behind '>'; unique
    Matrix<std::uint8_t> letters;    ///< sequences × sites: 'A' … 'Z' in upper case, '-', '.', '*' or '?'
};

/// Whether `letter` may stand in a sequence: a Latin letter in either case, '-', '.', '*' or '?'.
bool isSequenceLetter(char letter);

/// Reads aligned FASTA, plain or packed by gzip, sequence by sequence: memory is one byte a site.
///
/// Throws InputError that names the sequence: sequences of different lengths, the same name twice, no name, a
/// character that isSequenceLetter refuses (with its position, from 1), FASTQ, text before the first '>', or
/// no sequence or site at all.
Alignment readAlignment(TextStream& stream);
inline Alignment readAlignment(const std::filesystem::path& path) {
    return readAlignment(*openText(path));
}

/// Writes FASTA, atomically: a line with the name of each sequence, then its letters, 60 a line.
void writeFasta(const std::filesystem::path& path, std::span<const std::string> names,
                std::span<const std::string> letters);

}  // namespace glycine::io
