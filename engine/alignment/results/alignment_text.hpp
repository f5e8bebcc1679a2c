#pragma once

#include <string>
#include <string_view>

#include "engine/sequences/alignment.hpp"

/// Alignments as text, in the order of their rows. The alignment has rows, and columns.
namespace glycine::align {

/// A row of aligned FASTA, 60 letters a line: the text of all is one row after the other.
std::string fastaRow(const MultipleAlignment& alignment, std::size_t row);

/// PHYLIP: numbers of rows and columns, then a line a row. Names are padded to ten characters, or the longest
/// if that is longer, and a blank follows: programs that take ten characters read names of up to ten, others
/// all of them, and the line of a row is the same whether rows are expected one after the other or
/// interleaved.
std::string phylipText(const MultipleAlignment& alignment);

/// Stockholm 1.0, a line a row. Where there is a confidence it stands below as #=GC PP_cons, as HMMER writes
/// it: 0 for less than 0.05, 1 to 9 for 0.1 to 0.9 rounded, * for 0.95 and more.
///
/// Source: "The Stockholm file format", Pfam; S. R. Eddy, "HMMER User's Guide" (2023), on PP_cons.
std::string stockholmText(const MultipleAlignment& alignment);

/// GCG's multiple sequence format: the checksum of each row and of all, then blocks of 50 columns in groups
/// of ten; gaps are dots. `name`: that of the file. The type is P or N, all weights are 1.
std::string msfText(const MultipleAlignment& alignment, std::string_view name);

}  // namespace glycine::align
