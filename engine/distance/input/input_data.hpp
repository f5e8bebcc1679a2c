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

namespace glycine {
class ProcessTeam;
namespace io {
class MappedNpy;
}
}  // namespace glycine

namespace glycine::distance {

/// The type of an input's entries.
enum class DataKind {
    Automatic,   ///< chosen by the file's format and contents
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

/// How a letter outside the alphabet counts in a sequence.
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
    /// N, X, R, Y, B, Z, ?, * and any other character that is not a plain letter.
    LetterRule ambiguous = LetterRule::Missing;
    /// VCF: genotypes only have to be equal or different, so sites with any number of alleles are compared as
    /// symbols. Otherwise sites with more than two alleles are left out.
    bool anyAlleles = false;
    bool strict = false;  ///< VCF: throws an error instead of leaving out sites because of their alleles
    /// .bed, VCF: leaves out the variants that PLINK 1.9's --distance leaves out: chromosomes X, Y and MT
    /// (not XY), haploid chromosomes, and variants with a negative position.
    bool autosomesOnly = false;
    io::ChromosomeSet chromosomes;  ///< of the species; only used by autosomesOnly
    std::string extract{};          ///< .bed, VCF: a file with the identifiers of the variants; empty: all
    bool transpose = false;         ///< tables and .npy: instances are columns
    std::optional<bool> header;     ///< tables: whether there is a header line; guessed if absent
    /// .bed, and .npy by rows: the processes that all read this input with these options. If they see the
    /// same file, each checks its part of it, and reads other instances when it needs them. Null: this
    /// process alone.
    ProcessTeam* team = nullptr;
};

/// Sites of the input that cannot be compared.
struct LeftOutSites {
    std::size_t sites = 0;
    std::size_t of = 0;  ///< total number of sites
    std::string reason;  ///< "more than two alleles"
    double share() const { return static_cast<double>(sites) / static_cast<double>(of); }
    /// "12 of 600 sites (2 %): more than two alleles"
    std::string text() const;
};

/// One input, completely read.
struct DataSet {
    DataKind kind = DataKind::Genotypes;  ///< never Automatic
    std::unique_ptr<DiscreteSource> discrete;
    CoordinateMatrix coordinates;  ///< float32 if every number of the file is a float32
    /// Coordinates that stay in their file, instead of `coordinates`; null: none do. Values that come from
    /// them are valid once its requireUnchanged() has returned.
    std::shared_ptr<const io::MappedNpy> inFile{};
    std::vector<std::string> names;  ///< one per instance, unique; "1", "2", … if the file has none
    /// PLINK's family and individual identifiers; the name twice if the file has no families.
    std::vector<std::pair<std::string, std::string>> familyIds;
    std::vector<bool> founders;         ///< .fam: both parents are 0; empty: all are
    std::string description;            ///< one line: "515 sequences × 2871 sites (dna) of seqs.fa.gz"
    std::vector<LeftOutSites> leftOut;  ///< has the largest effect on results, so reports begin with it
    std::vector<std::string> notes;     ///< anything else that was left out or converted, with counts
    std::size_t variantsLeftOut = 0;    ///< .bed, VCF: by --extract, chromosome and alleles
    DataView view() const;
};

/// A data set of only these instances, in memory.
DataSet selectInstances(const DataView& data, const std::vector<std::size_t>& instances);

/// A family of formats with a common reader, and so with the same options.
struct InputFamily {
    std::string_view name;   ///< "plink", "calls", "sequences", "array", "table"
    std::string_view words;  ///< "a PLINK set"
};
/// Chooses the family by the file name: .bed (or the prefix of a .bed/.bim/.fam triple), .vcf, .bcf; FASTA as
/// .fa, .fasta, .fas, .fna, .faa, .afa, .aln; Clustal as .aln, .clustal; .phy, .phylip; .sto, .stk,
/// .stockholm; .msf; .npy; .csv, .tsv, .txt (.vcf, sequences and tables also with .gz or .bgz). Throws
/// UsageError with this list for any other name.
InputFamily inputFamily(const std::filesystem::path& path);

/// The files that readDataSet would read: three for PLINK.
std::vector<std::filesystem::path> inputFiles(const std::filesystem::path& path);

/// Reads a data set. A .bed file is mapped, not copied; so are arrays that a team shares.
///
/// DataKind::Automatic: .bed, .vcf and .bcf are genotypes. FASTA is dna if all letters are IUPAC nucleotide
/// codes, else protein. .npy holds genotypes if its elements are integers, else coordinates. A table holds
/// genotypes if every entry is 0, 1, 2 or missing (NA, -1, -9, …; see io::NumberTable), else coordinates.
/// Missing in .npy: -1, -9, -127 or NaN. Coordinates are float32 if they come from arrays of float32 or of
/// integers of up to 16 bits, else float64.
///
/// Throws InputError naming file and place. Throws UsageError for a kind that the format cannot hold, and for
/// `transpose` of anything but a table or an array.
DataSet readDataSet(const std::filesystem::path& path, const InputOptions& options);

}  // namespace glycine::distance
