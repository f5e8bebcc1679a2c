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
    std::optional<Alphabet> alphabet{};  ///< if absent, recognised (AlphabetGuess)
    /// The sequences must be aligned: gaps are kept ('.' becomes '-') and lengths must be equal. Otherwise
    /// gaps are removed.
    bool areAligned = false;
    std::size_t fewest = 2;  ///< least number of sequences
};

struct ReadSequences {
    Sequences sequences;
    std::vector<std::string> notes{};  ///< what was skipped or reinterpreted, one sentence each
};

/// Reads FASTA, plain or gzip-compressed.
///
/// Throws InputError, naming the sequence and for a letter its line and column, for missing or repeated
/// names, letters outside the alphabet, a sequence without letters, too few sequences, and different lengths
/// if they must be aligned. Throws MemoryError if the letters exceed the memory.
ReadSequences readSequences(io::TextStream& stream, const SequenceReading& reading);
inline ReadSequences readSequences(const std::filesystem::path& path, const SequenceReading& reading) {
    return readSequences(*io::openText(path), reading);
}

// ---- substitution matrices

/// Reads a substitution matrix in NCBI's format (parseMatrix), plain or gzip-compressed.
SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet);
inline SubstitutionMatrix readMatrix(const std::filesystem::path& path, Alphabet alphabet) {
    return readMatrix(*io::openText(path), alphabet);
}

/// The matrix that a user names: one of matrixNames(), or a file.
SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet);

}  // namespace glycine
