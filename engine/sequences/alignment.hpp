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

/// Of ClustalW 2.1, which programs that read the format expect.
inline constexpr std::string_view kClustalTitle = "2.1 multiple sequence alignment";

/// Sequences that have been aligned, all at once.
struct MultipleAlignment {
    Alphabet alphabet = Alphabet::Protein;
    std::vector<std::string> names;  ///< unique, none empty, without blanks
    /// Letters in upper case and '-', of equal length, in the order of the input.
    std::vector<std::string> rows;
    /// Rows as they were joined; empty: nobody knows, as of an alignment that was read.
    std::vector<std::size_t> order{};
    /// Of each column, 0 … 1: how sure the method is of it. Empty where it does not say.
    std::vector<double> confidence{};
    /// The same of each residue of each row. Empty where the method does not say.
    std::vector<std::vector<double>> residueConfidence{};
    trees::Tree guideTree{};  ///< as it is written; without nodes where there is none
    /// What its first line in the Clustal format says behind "CLUSTAL".
    std::string clustalTitle{kClustalTitle};

    std::size_t size() const { return rows.size(); }
    std::size_t columns() const { return rows.empty() ? 0 : rows.front().size(); }
    bool hasGuideTree() const { return !guideTree.nodes.empty(); }
};

/// In which order rows are written.
enum class RowOrder {
    Input,
    Aligned,  ///< as they were joined: similar ones beside each other
};
constexpr auto namesOf(RowOrder) {
    return namesAre<RowOrder>("order", {{RowOrder::Input, "input"}, {RowOrder::Aligned, "aligned"}});
}

/// The same alignment with its rows in this order, and `order` counted anew; as it is where nothing is known
/// of the order in which they were joined. The leaves of the guide tree keep their numbers.
MultipleAlignment inOrder(const MultipleAlignment& alignment, RowOrder order);

/// How sure the method is of a row's residues: of each column, NaN where the row has a gap. The alignment has
/// residueConfidence.
std::vector<double> confidenceOfRow(const MultipleAlignment& alignment, std::size_t row);

/// The sequences, without gaps.
Sequences withoutGaps(const MultipleAlignment& alignment);

/// Rows with their letters as codes, gaps as kGapCode.
std::vector<std::vector<std::uint8_t>> codedRows(const MultipleAlignment& alignment);

/// Letters of rows of codes that hold these sequences and gaps: those of the sequences, and '-'. Throws
/// std::logic_error where a row has other letters, or rows are of different lengths: no method may lose,
/// change or reorder a residue.
std::vector<std::string> letteredRows(const Sequences& sequences,
                                      const std::vector<std::vector<std::uint8_t>>& rows);
/// The same of an alignment of so many columns, given where the residues of each sequence stand. Throws
/// std::logic_error where a sequence has more or fewer of them, or they do not ascend.
std::vector<std::string> letteredRows(const Sequences& sequences,
                                      const std::vector<std::vector<std::uint32_t>>& columns,
                                      std::size_t width);
/// The inverse: in which column each residue of each row stands.
std::vector<std::vector<std::uint32_t>> residueColumns(const MultipleAlignment& alignment);

/// What a file of aligned sequences is.
enum class AlignmentFormat {
    Clustal,    ///< .aln, .clustal: as ClustalW 2.1 writes it
    Fasta,      ///< .fa, .fasta, .fas, .afa
    Phylip,     ///< .phy, .phylip
    Stockholm,  ///< .sto, .stk, .stockholm: as Pfam and HMMER have it
    Msf,        ///< .msf: GCG's multiple sequence format
};
constexpr auto namesOf(AlignmentFormat) {
    using enum AlignmentFormat;
    return namesAre<AlignmentFormat>(
        "alignment format",
        {{Clustal, "clustal"}, {Fasta, "fasta"}, {Phylip, "phylip"}, {Stockholm, "stockholm"}, {Msf, "msf"}});
}

// ---- checks

// What the typed calls about sequences throw for them, before any backend is involved.

/// Throws UsageError for an unknown alphabet, and for names, letters and codes of different numbers;
/// InputError, naming the sequence, for a name that is empty or there twice, and for a sequence without
/// letters, with a letter that the alphabet lacks (gaps are none of its letters), or with codes that are not
/// those of its letters.
void checkSequences(const Sequences& sequences);

/// Throws InputError unless the tree is one (trees::checkTree) whose leaves are so many sequences.
void checkGuideTree(const trees::Tree& tree, std::size_t sequences);

/// Throws UsageError for an unknown alphabet, and for names, rows, order and confidence of different numbers;
/// InputError, naming the row, for no rows, rows of different lengths or with characters that are
/// neither letters of the alphabet nor '-', and names that are empty or there twice.
/// Not aligned: their lengths may differ.
void checkRows(const MultipleAlignment& alignment, bool areAligned = true);

/// The checksum of a sequence in GCG's files, 0 … 9999: each character's code in upper case, times its place
/// counted from 1 to 57 over and over, modulo 10,000. Gaps count, as they are written.
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
