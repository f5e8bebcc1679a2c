#pragma once

#include <filesystem>
#include <string>

#include "engine/sequences/alignment.hpp"

/// Pictures of alignments, coloured as in Clustal X (residue_colors.hpp).
namespace glycine::align {

struct AlignmentPicture {
    std::string title;
    std::string footer;
};

/// Whether a name ends in .html or .htm.
bool isHtmlFile(const std::filesystem::path& path);

/// Draws the alignment as PNG, SVG or PDF: blocks of 100 columns with names, a ruler, the rows in order,
/// Clustal's conservation signs, and bars of conservation() and, if present, of the confidence. A drawing
/// higher than picture::kLargestSide becomes several pages of PDF. As PNG or SVG, or if a single block is too
/// high, an overview is drawn instead. It shows all columns without letters, or every n-th row or column if
/// there are too many. Returns a note for the user, usually empty: that it is an overview, and which file has
/// the letters. Throws UsageError for another ending, and Error.
std::string writeAlignmentPicture(const std::filesystem::path& path, const MultipleAlignment& alignment,
                                  const AlignmentPicture& picture);

/// Writes the same as one self-contained HTML file. Rows have their full length and scroll next to their
/// names, below the ruler and the consensus. Its script (resources/pages/alignment.js) searches sequences and
/// names, shows dots for letters equal to the consensus, hides columns of gaps, and draws an overview.
void writeAlignmentHtml(const std::filesystem::path& path, const MultipleAlignment& alignment,
                        const AlignmentPicture& picture);

}  // namespace glycine::align
