#include "engine/sequences/files/substitution_file.hpp"

namespace glycine {

SubstitutionMatrix readMatrix(io::TextStream& stream, Alphabet alphabet) {
    io::LineReader lines(stream);
    return parseMatrix(stream.name(), alphabet, [&lines] { return lines.next(); });
}

SubstitutionMatrix matrixNamed(const std::string& nameOrFile, Alphabet alphabet) {
    if (isMatrixName(nameOrFile) || !std::filesystem::exists(nameOrFile))
        return namedMatrix(nameOrFile, alphabet);
    return readMatrix(std::filesystem::path(nameOrFile), alphabet);
}

}  // namespace glycine
