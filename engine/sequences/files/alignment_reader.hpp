#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/text_stream.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/sequences/files/read_sequences.hpp"

namespace glycine {

struct AlignmentReading {
    std::optional<Alphabet> alphabet{};  ///< if absent, recognised (AlphabetGuess)
    std::size_t fewest = 1;              ///< least number of rows
};

struct ReadAlignment {
    MultipleAlignment alignment;  ///< without order and tree
    AlignmentFormat format = AlignmentFormat::Fasta;
    std::vector<std::string> notes{};  ///< what was skipped or reinterpreted, one sentence each
};

/// Recognises the format from the first bytes of a file. FASTA: '>'. Clustal: a line that begins with
/// CLUSTAL, MUSCLE, PROBCONS or Kalign. Stockholm: "# STOCKHOLM". MSF: "!!AA_MULTIPLE", "!!NA_MULTIPLE",
/// PileUp, or a line with "MSF:" that ends in "..". PHYLIP: two integers. Empty for anything else.
std::optional<AlignmentFormat> formatOfContents(std::string_view head);
/// The same for a file, plain or gzip-compressed. It consumes the first bytes, so a pipe cannot be read
/// again.
std::optional<AlignmentFormat> formatOfFile(const std::filesystem::path& path);

/// Reads aligned sequences, plain or gzip-compressed, in any format; the contents determine the format.
///
/// Clustal: lines below the rows and numbers after them are ignored. PHYLIP: interleaved or sequential. Names
/// end at the first blank; if the lengths then do not match the first line, names have ten characters, and
/// blanks in them become '_'. Stockholm: one alignment. Of the #=G lines, the confidences of columns and
/// residues (PP_cons, PP; in tenths) are read; the others are ignored. MSF: differing checksums are noted.
/// Gaps are '-' and '.', in MSF also '~'. In PHYLIP, where a dot means the first row's letter, only '-' is a
/// gap.
///
/// Throws InputError, naming the row or line, for another format, missing or repeated names, letters outside
/// the alphabet, rows of different lengths or without letters, too few rows, and a truncated file. Throws
/// MemoryError if the text exceeds the memory.
ReadAlignment readAlignment(io::TextStream& stream, const AlignmentReading& reading);
inline ReadAlignment readAlignment(const std::filesystem::path& path, const AlignmentReading& reading) {
    return readAlignment(*io::openText(path), reading);
}

/// Reads sequences to be aligned: FASTA, aligned or not, or any format of readAlignment. Gaps are removed.
/// Throws what readSequences and readAlignment throw.
ReadSequences readUnaligned(const std::filesystem::path& path, const SequenceReading& reading);

}  // namespace glycine
