#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/picture/canvas.hpp"
#include "engine/sequences/alignment.hpp"

/// The colours of residues in a picture of an alignment, as Clustal X has them.
namespace glycine::align {

enum class Paint : unsigned char { None, Blue, Red, Magenta, Green, Pink, Orange, Yellow, Cyan };

/// One a row, of a column.
///
/// Proteins: a letter gets its colour where the column meets one of its conditions, a share of some letters
/// among all rows, gaps included, of at least so many percent. Clustal X's default rules: A, L, I, V, M, F, W
/// and C blue in hydrophobic columns, H and Y cyan; K and R red, D and E magenta, S, T, N and Q green beside
/// their like; C pink where it is conserved; G orange and P yellow anywhere. Nucleotides: A orange, C red, G
/// green, T and U blue anywhere.
///
/// Source: colprot.par and the help of Clustal X (J. D. Thompson, T. J. Gibson, F. Plewniak, F. Jeanmougin,
/// D. G. Higgins, Nucleic Acids Research 25 (1997), 4876–4882). Of C's two colours the rarer one is taken
/// where both apply. The shades are ours.
std::vector<Paint> columnPaints(const MultipleAlignment& alignment, std::size_t column);

/// None: white.
picture::Color colorOf(Paint paint);

/// What a colour stands for: "hydrophobic".
struct PaintMeaning {
    Paint paint;
    std::string_view meaning;
};
std::span<const PaintMeaning> paintMeanings(Alphabet alphabet);

}  // namespace glycine::align
