#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/trees/tree.hpp"

namespace glycine {

/// The title of ClustalW 2.1, which programs that read the format expect.
inline constexpr std::string_view kClustalTitle = "2.1 multiple sequence alignment";

/// A multiple sequence alignment.
struct MultipleAlignment {
    Alphabet alphabet = Alphabet::Protein;
    std::vector<std::string> names;  ///< unique, not empty, without blanks
    /// Letters in upper case and '-', of equal length, in input order.
    std::vector<std::string> rows;
    /// Rows in the order of joining; empty if unknown, as for an alignment that was read.
    std::vector<std::size_t> order{};
    /// The confidence of each column, 0 … 1. Empty if the method gives none.
    std::vector<double> confidence{};
    /// The confidence of each residue of each row, 0 … 1. Empty if the method gives none.
    std::vector<std::vector<double>> residueConfidence{};
    trees::Tree guideTree{};  ///< as it is written; without nodes if there is none
    /// The text after "CLUSTAL" in the first line of the Clustal format.
    std::string clustalTitle{kClustalTitle};

    std::size_t size() const { return rows.size(); }
    std::size_t columns() const { return rows.empty() ? 0 : rows.front().size(); }
    bool hasGuideTree() const { return !guideTree.nodes.empty(); }
};

/// The order in which rows are written.
enum class RowOrder {
    Input,
    Aligned,  ///< the order of joining: similar rows are adjacent
};
constexpr auto namesOf(RowOrder) {
    return namesAre<RowOrder>("order", {{RowOrder::Input, "input"}, {RowOrder::Aligned, "aligned"}});
}

/// The same alignment with its rows in this order and `order` renumbered; unchanged if the order of joining
/// is unknown. The leaves of the guide tree keep their numbers.
MultipleAlignment inOrder(const MultipleAlignment& alignment, RowOrder order);

/// The confidence of a row's residues, one value per column, NaN for gaps. The alignment must have
/// residueConfidence.
std::vector<double> confidenceOfRow(const MultipleAlignment& alignment, std::size_t row);

/// The sequences without gaps.
Sequences withoutGaps(const MultipleAlignment& alignment);

/// Rows as codes, gaps as kGapCode.
std::vector<std::vector<std::uint8_t>> codedRows(const MultipleAlignment& alignment);

/// Converts rows of codes, which hold these sequences and gaps, to letters and '-'. Throws std::logic_error
/// if a row has other letters or another length: no method may lose, change or reorder a residue.
std::vector<std::string> letteredRows(const Sequences& sequences,
                                      const std::vector<std::vector<std::uint8_t>>& rows);
/// The same for an alignment of `width` columns, given the column of each residue. Throws std::logic_error if
/// a sequence has another number of residues, or if their columns do not ascend.
std::vector<std::string> letteredRows(const Sequences& sequences,
                                      const std::vector<std::vector<std::uint32_t>>& columns,
                                      std::size_t width);
/// The inverse: the column of each residue of each row.
std::vector<std::vector<std::uint32_t>> residueColumns(const MultipleAlignment& alignment);

/// The format of a file of aligned sequences.
enum class AlignmentFormat {
    Clustal,    ///< .aln, .clustal: as ClustalW 2.1 writes it
    Fasta,      ///< .fa, .fasta, .fas, .afa
    Phylip,     ///< .phy, .phylip
    Stockholm,  ///< .sto, .stk, .stockholm: as Pfam and HMMER use it
    Msf,        ///< .msf: GCG's multiple sequence format
};
constexpr auto namesOf(AlignmentFormat) {
    using enum AlignmentFormat;
    return namesAre<AlignmentFormat>(
        "alignment format",
        {{Clustal, "clustal"}, {Fasta, "fasta"}, {Phylip, "phylip"}, {Stockholm, "stockholm"}, {Msf, "msf"}});
}

// ---- checks

// Checks of arguments that sequence computations make before any backend is involved.

/// Throws UsageError for an unknown alphabet, or if there are different numbers of names, letters and codes.
/// Throws InputError, naming the sequence, for an empty or repeated name, a sequence without letters, a
/// letter outside the alphabet (gaps are outside), or codes that do not match the letters.
void checkSequences(const Sequences& sequences);

/// Throws InputError unless the tree is valid (trees::checkTree) and has `sequences` leaves.
void checkGuideTree(const trees::Tree& tree, std::size_t sequences);

/// Throws UsageError for an unknown alphabet, or if the numbers of names, rows, order and confidences differ.
/// Throws InputError, naming the row, for no rows, rows of different lengths, characters that are neither
/// letters of the alphabet nor '-', and empty or repeated names. Without `areAligned`, lengths may differ.
void checkRows(const MultipleAlignment& alignment, bool areAligned = true);

/// The checksum of a sequence in GCG's files, 0 … 9999: the sum of each upper-case character's code times its
/// position, which counts from 1 to 57 repeatedly, modulo 10,000. Gaps count as written.
///
/// Source: the program manual of the Wisconsin Package (Genetics Computer Group), "Checksums"; EMBOSS,
/// "Sequence formats", msf.
constexpr std::size_t gcgChecksum(std::string_view sequence) {
    constexpr std::size_t kCycle = 57;
    constexpr std::size_t kModulus = 10000;
    std::size_t sum = 0;
    for (std::size_t k = 0; k < sequence.size(); ++k) {
        const char c = sequence[k];
        const auto upper = static_cast<unsigned char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        sum = (sum + (k % kCycle + 1) * upper) % kModulus;
    }
    return sum;
}

}  // namespace glycine
