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

// Alignments as text, in row order. The alignment must have rows and columns.

/// A row of aligned FASTA, 60 letters per line. The file is the concatenation of all rows.
std::string fastaRow(const MultipleAlignment& alignment, std::size_t row);

/// PHYLIP: the numbers of rows and columns, then one line per row. Names are padded to ten characters, or to
/// the longest name if it is longer, followed by a blank. Programs that read ten characters get names of up
/// to ten; others read the whole name. A row's line is valid in both the sequential and the interleaved form.
std::string phylipText(const MultipleAlignment& alignment);

/// A row's confidence in HMMER's form, one character per column: 0 for less than 0.05, 1 to 9 for 0.1 to 0.9
/// rounded, * for 0.95 and more, a dot for NaN.
std::string confidenceText(std::span<const double> values);

/// Stockholm 1.0, one line per row. If there are confidences, those of residues follow each row as #=GR PP,
/// and those of columns follow all rows as #=GC PP_cons (confidenceText).
///
/// Source: "The Stockholm file format", Pfam; S. R. Eddy, "HMMER User's Guide" (2023), on PP and PP_cons.
std::string stockholmText(const MultipleAlignment& alignment);

/// GCG's multiple sequence format: the checksum of each row and of all rows, then blocks of 50 columns in
/// groups of ten; gaps are dots. `name`: the name of the file. The type is P or N; all weights are 1.
std::string msfText(const MultipleAlignment& alignment, std::string_view name);

// ---- ClustalW's

/// ClustalW 2.1's conservation sign of a column. '*': one residue. For proteins, ':': residues of one of the
/// strong groups (STA, NEQK, NHQK, NDEQ, QHRK, MILV, MILF, HY, FYW); '.': of one of the weak groups (CSA,
/// ATV, SAG, STNK, STPA, SGND, SNDEQK, NDEQHK, NEQHRK, FVLIM, HFY). ' ': otherwise, and for any column with a
/// gap.
char conservationSign(Alphabet alphabet, std::span<const std::string> rows, std::size_t column);

/// An alignment in ClustalW 2.1's format: blocks of 60 columns, or of 50 if a name has more than 20 letters.
/// Each row follows its name; a line of conservation signs ends each block. The name column is at least 10
/// wide. Names are never cut; ClustalW cuts them after 30 letters. `title`: follows "CLUSTAL" in the first
/// line.
///
/// `rows` are letters and '-', of equal length, in upper case.
std::string clustalText(Alphabet alphabet, std::span<const std::string> names,
                        std::span<const std::string> rows, std::string_view title = kClustalTitle);

/// The format for the ending of a file name; standard output is FASTA. Empty for an unknown ending.
std::optional<AlignmentFormat> alignmentFormat(const std::filesystem::path& path);

/// The endings of all formats, for messages and help: ".aln (Clustal), .fa …".
std::string_view alignmentEndings();

/// Throws InputError for a name that has another meaning in the file's format: in Stockholm, names that begin
/// with '#' or "//"; in MSF, with "//".
void checkNames(const std::filesystem::path& file, std::span<const std::string> names,
                AlignmentFormat format);

/// The text of the rows in this format and order. `name`: the name of the file. Throws what checkNames
/// throws.
std::string alignmentText(const MultipleAlignment& alignment, AlignmentFormat format,
                          const std::string& name);

/// Writes the alignment atomically. Throws what alignmentText throws, and Error.
void writeAlignment(const std::filesystem::path& path, const MultipleAlignment& alignment,
                    AlignmentFormat format);

/// Whether the name ends in .confidence.tsv or .confidence.npz, which writeConfidence writes.
bool isConfidenceFile(const std::filesystem::path& path);

/// Writes the confidence of residues atomically, one row per sequence. A .tsv file has a line of column
/// numbers, then each name with its values to four decimals, gaps empty. An .npz file has `confidence`
/// (sequences × columns in float64, NaN for gaps), `columns` (one per column) and `names`.
void writeConfidence(const std::filesystem::path& path, const MultipleAlignment& alignment);

/// Whether a tree file can have this name: .nwk, .tree, .dnd or .ph, or standard output.
bool isTreeFile(const std::filesystem::path& path);
/// The part of an error message that lists the known endings.
std::string_view treeEndingExpected();
/// Whether the file gets ClustalW's form: .dnd or .ph.
bool isClustalWTree(const std::filesystem::path& path);

/// Writes a tree in Newick format, atomically. With `isClustalW` it has the form of ClustalW 2.1's guide
/// trees (.dnd), unless a name has characters that are special in the format. Otherwise it is one line, with
/// lengths that read back to the same numbers. Returns a note for the report if `isClustalW` and a name
/// prevents that form, otherwise nothing.
std::string writeTree(const std::filesystem::path& path, const trees::Tree& tree,
                      std::span<const std::string> names, bool isClustalW);

}  // namespace glycine::align
