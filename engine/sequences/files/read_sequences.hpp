#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/io/text/text_stream.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/sequences/substitution.hpp"

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

// ---- substitution matrices

/// Reads a substitution matrix in NCBI's format (parseMatrix), plain or packed by gzip.
SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet);
inline SubstitutionMatrix readMatrix(const std::filesystem::path& path, Alphabet alphabet) {
    return readMatrix(*io::openText(path), alphabet);
}

/// The matrix that a user names: one of matrixNames(), or a file.
SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet);

}  // namespace glycine
