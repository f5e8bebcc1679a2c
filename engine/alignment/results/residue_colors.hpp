#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/picture/canvas.hpp"
#include "engine/sequences/alignment.hpp"

/// The colours of residues in a picture of an alignment, as in Clustal X.
namespace glycine::align {

enum class Paint : unsigned char { None, Blue, Red, Magenta, Green, Pink, Orange, Yellow, Cyan };

/// The colours of a column, one per row.
///
/// Proteins: a letter is coloured if the column meets one of its conditions, each a least percentage of
/// certain letters among all rows, gaps included. These are Clustal X's default rules. A, L, I, V, M, F, W
/// and C are blue in hydrophobic columns, H and Y cyan. K and R are red, D and E magenta, S, T, N and Q green
/// among similar residues. C is pink where it is conserved. G is orange and P yellow everywhere. Nucleotides:
/// A orange, C red, G green, T and U blue everywhere.
///
/// Source: colprot.par and the help of Clustal X (J. D. Thompson, T. J. Gibson, F. Plewniak, F. Jeanmougin,
/// D. G. Higgins, Nucleic Acids Research 25 (1997), 4876–4882). If both colours of C apply, the rarer one is
/// used. The shades are ours.
std::vector<Paint> columnPaints(const MultipleAlignment& alignment, std::size_t column);

/// Paint::None is white.
picture::Color colorOf(Paint paint);

/// The meaning of a colour in the legend, such as "hydrophobic".
struct PaintMeaning {
    Paint paint;
    std::string_view meaning;
};
std::span<const PaintMeaning> paintMeanings(Alphabet alphabet);

}  // namespace glycine::align
