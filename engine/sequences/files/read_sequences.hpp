#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/io/text/text_stream.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine {

struct SequenceReading {
    std::optional<Alphabet> alphabet{};  ///< told; else recognised (AlphabetGuess)
    /// The sequences must be aligned: gaps stay ('.' becomes '-') and lengths are equal. Otherwise gaps go.
    bool areAligned = false;
    std::size_t fewest = 2;  ///< sequences that there must be
};

struct ReadSequences {
    Sequences sequences;
    std::vector<std::string> notes{};  ///< what was left out or taken for something else, a sentence each
};

/// Reads FASTA, plain or packed by gzip.
///
/// Throws InputError that names the sequence, and for a letter its line and column: names that are missing or
/// there twice, letters outside the alphabet, a sequence without letters, fewer sequences than asked for,
/// different lengths where they must be aligned; MemoryError for more letters than memory holds.
ReadSequences readSequences(io::TextStream& stream, const SequenceReading& reading);
inline ReadSequences readSequences(const std::filesystem::path& path, const SequenceReading& reading) {
    return readSequences(*io::openText(path), reading);
}

}  // namespace glycine
