#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance.hpp"
#include "engine/io/sequences/chromosome_set.hpp"

namespace glycine::distance {

/// What the entries of an input are.
enum class DataKind {
    Automatic,   ///< by the file's format and contents
    Genotypes,   ///< 0, 1, 2 copies of an allele
    Dna,         ///< A, C, G, T (U counts as T)
    Protein,     ///< the 20 amino acids
    Coordinates  ///< real numbers
};
constexpr auto namesOf(DataKind) {
    using enum DataKind;
    return namesAre<DataKind>("kind of data", {{Automatic, "auto"},
                                               {Genotypes, "genotypes"},
                                               {Dna, "dna"},
                                               {Protein, "protein"},
                                               {Coordinates, "coordinates"}});
}

/// What a letter outside the alphabet proper means in a sequence.
enum class LetterRule {
    Missing,  ///< the sequence has no value there
    State     ///< a symbol of its own, different from all others
};
constexpr auto namesOf(LetterRule) {
    using enum LetterRule;
    return namesAre<LetterRule>("rule for letters", {{Missing, "missing"}, {State, "state"}});
}

struct InputOptions {
    DataKind kind = DataKind::Automatic;
    LetterRule gaps = LetterRule::Missing;  ///< '-' and '.'
    /// N, X, R, Y, B, Z, ?, * and whatever else is no plain letter.
    LetterRule ambiguous = LetterRule::Missing;
    /// VCF: whether only differences count, so that genotypes of any number of alleles can be compared as
    /// symbols. Else sites with more than two alleles are left out.
    bool anyAlleles = false;
    bool strict = false;  ///< VCF: an error instead of leaving out sites for their alleles
    /// .bed, VCF: leave out what PLINK 1.9's --distance leaves out: the chromosomes X, Y and MT (not XY) and
    /// haploid ones, and variants with a negative position.
    bool autosomesOnly = false;
    io::ChromosomeSet chromosomes;  ///< of the species; autosomesOnly alone asks for them
    std::string extract{};          ///< .bed, VCF: a file with the identifiers of the variants; empty: all
    bool transpose = false;         ///< tables and .npy: instances are columns
    std::optional<bool> header;     ///< tables: whether a header line is there; guessed if absent
};

/// Sites of the input that could not be compared.
struct LeftOutSites {
    std::size_t sites = 0;
    std::size_t of = 0;  ///< among so many
    std::string reason;  ///< "more than two alleles"
    double share() const { return static_cast<double>(sites) / static_cast<double>(of); }
    /// "12 of 600 sites (2 %): more than two alleles"
    std::string text() const;
};

/// Everything about one input.
struct DataSet {
    DataKind kind = DataKind::Genotypes;  ///< never Automatic
    std::unique_ptr<DiscreteSource> discrete;
    CoordinateMatrix coordinates;    ///< float32 where every number of the file is one
    std::vector<std::string> names;  ///< one an instance, unique; "1", "2", … where the file has none
    /// PLINK's family and individual identifiers; names twice where the file has no families.
    std::vector<std::pair<std::string, std::string>> familyIds;
    std::vector<bool> founders;         ///< .fam: both parents are 0; empty: all are
    std::string description;            ///< one line: "515 sequences × 2871 sites (dna) of seqs.fa.gz"
    std::vector<LeftOutSites> leftOut;  ///< what changes results most: reports begin with it
    std::vector<std::string> notes;     ///< what else was left out or converted, with counts
    DataView view() const;
};

/// Some instances alone, in memory.
DataSet selectInstances(const DataView& data, const std::vector<std::size_t>& instances);

/// A family of formats that are read in one way, and so by the same options.
struct InputFamily {
    std::string_view name;   ///< "plink", "calls", "sequences", "array", "table"
    std::string_view words;  ///< "a PLINK set"
};
/// By the name of the file: .bed (or the prefix of a .bed/.bim/.fam triple), .vcf, .bcf; FASTA as .fa,
/// .fasta, .fas, .fna, .faa, .afa, .aln; Clustal as .aln, .clustal; .phy, .phylip; .sto, .stk, .stockholm;
/// .msf; .npy; .csv, .tsv, .txt (.vcf, sequences and tables also with .gz or .bgz). Throws UsageError with
/// this list for another name.
InputFamily inputFamily(const std::filesystem::path& path);

/// The files that readDataSet would read: three for PLINK.
std::vector<std::filesystem::path> inputFiles(const std::filesystem::path& path);

/// Reads a data set. A .bed file is mapped, not copied.
///
/// DataKind::Automatic: .bed, .vcf and .bcf are genotypes; FASTA is dna if all letters are IUPAC codes of
/// nucleotides, else protein; .npy holds genotypes if its elements are integers, else coordinates; a table
/// holds genotypes if every entry is 0, 1, 2 or missing (NA, -1, -9, …; see io::NumberTable), else
/// coordinates. Missing in .npy: -1, -9, -127 or NaN. Coordinates are float32 from arrays of float32 or of
/// integers of up to 16 bits, else float64.
///
/// Throws InputError naming file and place; UsageError for a kind that the format cannot hold, or `transpose`
/// of anything but a table or an array.
DataSet readDataSet(const std::filesystem::path& path, const InputOptions& options);

}  // namespace glycine::distance
