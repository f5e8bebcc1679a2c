#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/sequences/alignment.hpp"
#include "engine/sequences/sequences.hpp"

/// Files of alignments and guide trees.
namespace glycine::align {

// Alignments as text, in the order of their rows. The alignment has rows, and columns.

/// A row of aligned FASTA, 60 letters a line: the text of all is one row after the other.
std::string fastaRow(const MultipleAlignment& alignment, std::size_t row);

/// PHYLIP: numbers of rows and columns, then a line a row. Names are padded to ten characters, or the longest
/// if that is longer, and a blank follows: programs that take ten characters read names of up to ten, others
/// all of them, and the line of a row is the same whether rows are expected one after the other or
/// interleaved.
std::string phylipText(const MultipleAlignment& alignment);

/// A row's confidence as HMMER writes it, a character a column: 0 for less than 0.05, 1 to 9 for 0.1 to 0.9
/// rounded, * for 0.95 and more, a dot for NaN.
std::string confidenceText(std::span<const double> values);

/// Stockholm 1.0, a line a row. Where there is a confidence, that of residues stands below each row as #=GR
/// PP, and that of columns below all as #=GC PP_cons (confidenceText).
///
/// Source: "The Stockholm file format", Pfam; S. R. Eddy, "HMMER User's Guide" (2023), on PP and PP_cons.
std::string stockholmText(const MultipleAlignment& alignment);

/// GCG's multiple sequence format: the checksum of each row and of all, then blocks of 50 columns in groups
/// of ten; gaps are dots. `name`: that of the file. The type is P or N, all weights are 1.
std::string msfText(const MultipleAlignment& alignment, std::string_view name);

// ---- ClustalW's

/// What a column conserves, as ClustalW 2.1 signs it: '*' one residue; of proteins ':' residues of one of the
/// strong groups (STA, NEQK, NHQK, NDEQ, QHRK, MILV, MILF, HY, FYW), '.' of one of the weak ones (CSA, ATV,
/// SAG, STNK, STPA, SGND, SNDEQK, NDEQHK, NEQHRK, FVLIM, HFY); a column with a gap conserves nothing: ' '.
char conservationSign(Alphabet alphabet, std::span<const std::string> rows, std::size_t column);

/// An alignment as ClustalW 2.1 writes it: blocks of 60 columns, or of 50 where names have more than 20
/// letters, each row behind its name, and below each block what its columns conserve. The column of names is
/// at least 10 wide. Names are never cut, as ClustalW does behind 30 letters. `title`: behind "CLUSTAL" in
/// the first line.
///
/// `rows` are letters and '-', of equal length, in upper case.
std::string clustalText(Alphabet alphabet, std::span<const std::string> names,
                        std::span<const std::string> rows, std::string_view title = kClustalTitle);

/// By the ending of its name; standard output is FASTA. Nothing for another ending.
std::optional<AlignmentFormat> alignmentFormat(const std::filesystem::path& path);

/// The endings of all formats, for messages and help: ".aln (Clustal), .fa …".
std::string_view alignmentEndings();

/// Throws InputError for a name that the format of this file gives another meaning: of Stockholm one that
/// begins with '#' or "//", of MSF "//".
void checkNames(const std::filesystem::path& file, std::span<const std::string> names,
                AlignmentFormat format);

/// The rows as the format has them, in this order. `name`: that of the file. Throws as checkNames.
std::string alignmentText(const MultipleAlignment& alignment, AlignmentFormat format,
                          const std::string& name);

/// Writes it, atomically. Throws as alignmentText, and Error.
void writeAlignment(const std::filesystem::path& path, const MultipleAlignment& alignment,
                    AlignmentFormat format);

/// Whether writeConfidence knows the ending: .tsv or .npz.
bool isConfidenceFile(const std::filesystem::path& path);

/// Writes the confidence of residues, a row a sequence, atomically. As .tsv a line of column numbers, then
/// each name with four decimals of each column, gaps empty; as .npz `confidence` (sequences × columns in
/// float64, gaps NaN), `columns` (of each column) and `names`.
void writeConfidence(const std::filesystem::path& path, const MultipleAlignment& alignment);

/// Whether a tree can have this name: .nwk, .tree, .dnd or .ph, or standard output.
bool isTreeFile(const std::filesystem::path& path);
/// For the message about another one.
std::string_view treeEndingExpected();
/// Whether it is to be written as ClustalW writes it: .dnd or .ph.
bool isClustalWTree(const std::filesystem::path& path);

/// Writes a tree in Newick's form: where `isClustalW` as ClustalW 2.1 writes its guide trees (.dnd), unless a
/// name has characters that the format gives a meaning; else on one line, with lengths that give the same
/// numbers again. Atomically.
void writeTree(const std::filesystem::path& path, const trees::Tree& tree, std::span<const std::string> names,
               bool isClustalW);

}  // namespace glycine::align
