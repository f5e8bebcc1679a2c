#pragma once

#include <filesystem>
#include <string>

#include "engine/io/text/text_stream.hpp"
#include "engine/sequences/substitution.hpp"

namespace glycine {

/// Reads a substitution matrix in NCBI's format (parseMatrix), plain or packed by gzip.
SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet);
inline SubstitutionMatrix readMatrix(const std::filesystem::path& path, Alphabet alphabet) {
    return readMatrix(*io::openText(path), alphabet);
}

/// The matrix that a user names: one of matrixNames(), or a file.
SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet);

}  // namespace glycine
