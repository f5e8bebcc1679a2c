#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

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

}  // namespace glycine::io
