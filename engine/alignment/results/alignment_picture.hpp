#pragma once

#include <filesystem>
#include <string>

#include "engine/sequences/alignment.hpp"

/// Alignments for people's eyes, coloured as Clustal X does (residue_colors.hpp).
namespace glycine::align {

struct AlignmentPicture {
    std::string title;
    std::string footer;
};

/// Whether a name ends in .html or .htm.
bool isHtmlFile(const std::filesystem::path& path);

/// Draws the alignment as PNG, SVG or PDF: blocks of 100 columns with names, a ruler, the rows in their
/// order, what the columns conserve (Clustal's signs, and conservation() as bars), and the confidence as bars
/// where there is one. What is higher than picture::kLargestSide becomes several pages of PDF; of PNG and
/// SVG, and where a single block is too high, an overview is drawn instead: all columns side by side without
/// letters; of more rows or columns than it can show every n-th. Returns what a user should know: that it is
/// an overview, and which file has the letters; mostly empty. Throws UsageError for another ending, Error.
std::string writeAlignmentPicture(const std::filesystem::path& path, const MultipleAlignment& alignment,
                                  const AlignmentPicture& picture);

/// The same as one HTML file that needs no other: rows as long as they are, which scroll beside their names
/// and below the ruler and the consensus. Its script (resources/pages/alignment.js) searches sequences and
/// names, shows dots where a letter is that of the consensus, hides columns of gaps, and draws an overview.
void writeAlignmentHtml(const std::filesystem::path& path, const MultipleAlignment& alignment,
                        const AlignmentPicture& picture);

}  // namespace glycine::align
