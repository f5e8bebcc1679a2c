#pragma once

#include <filesystem>
#include <string>

#include "engine/io/text/text_stream.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine {

/// Reads a substitution matrix in NCBI's format, plain or packed by gzip: lines that begin with '#' are
/// comments; a line of letters; then a line for each letter, with the letter in front or, in the order of the
/// first line, without it. Letters may stand in either case; letters that the file lacks, and the alphabet
/// has, score as matrixOf says. Its name is that of the file.
///
/// Throws InputError with the line: letters that the alphabet lacks or that are there twice, numbers that are
/// not whole or beyond kLargestScore, lines of another length, scores that are not symmetric, a missing
/// amino acid or nucleotide.
SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet);
inline SubstitutionMatrix readMatrix(const std::filesystem::path& path, Alphabet alphabet) {
    return readMatrix(*io::openText(path), alphabet);
}

/// The matrix that a user names: one of matrixNames(), or a file.
SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet);

}  // namespace glycine
