#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "engine/sequences/alignment.hpp"

/// Files of alignments and guide trees.
namespace glycine::align {

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
