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
    std::optional<Alphabet> alphabet{};  ///< told; else recognised (AlphabetGuess)
    std::size_t fewest = 1;              ///< rows that there must be
};

struct ReadAlignment {
    MultipleAlignment alignment;  ///< with no order or tree
    AlignmentFormat format = AlignmentFormat::Fasta;
    std::vector<std::string> notes{};  ///< what was left out or taken for something else, a sentence each
};

/// What the first bytes of a file say: '>' FASTA; a line that begins with CLUSTAL, MUSCLE, PROBCONS or
/// Kalign Clustal; "# STOCKHOLM" Stockholm; "!!AA_MULTIPLE", "!!NA_MULTIPLE", PileUp, or a line with "MSF:"
/// that ends in ".." MSF; two whole numbers PHYLIP. Nothing for something else.
std::optional<AlignmentFormat> formatOfContents(std::string_view head);
/// The same of a file, plain or packed by gzip. Its first bytes are read, which a pipe has only once.
std::optional<AlignmentFormat> formatOfFile(const std::filesystem::path& path);

/// Reads aligned sequences in any format, plain or packed by gzip, told by their contents.
///
/// Clustal: what stands below the rows, and numbers behind them, is passed over. PHYLIP: interleaved or
/// sequential; names end at the first blank, or where that does not come to the lengths of the first line,
/// after ten characters (blanks in them become '_'). Stockholm: one alignment; of the #=G lines the
/// confidence of columns and residues (PP_cons, PP; in tenths) is read, the others are passed over.
/// MSF: checksums that differ are noted. Gaps are '-' and '.', in MSF also '~'; in PHYLIP, where a dot means
/// the first row's letter, '-' alone.
///
/// Throws InputError that names row or line: another format, names that are missing or there twice, letters
/// outside the alphabet, rows of different lengths or without letters, fewer rows than asked for, a file that
/// ends too early; MemoryError for more text than memory holds.
ReadAlignment readAlignment(io::TextStream& stream, const AlignmentReading& reading);
inline ReadAlignment readAlignment(const std::filesystem::path& path, const AlignmentReading& reading) {
    return readAlignment(*io::openText(path), reading);
}

/// Sequences to be aligned: FASTA, aligned or not, or what readAlignment reads. Gaps are removed. Throws as
/// readSequences and readAlignment.
ReadSequences readUnaligned(const std::filesystem::path& path, const SequenceReading& reading);

}  // namespace glycine
