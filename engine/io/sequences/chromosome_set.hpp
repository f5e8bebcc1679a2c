#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What PLINK 1.9 makes of the names of chromosomes: the same for every file of variants.
/// Source: PLINK 1.9, --chr-set and the flags of species; which of them --distance leaves out.
namespace glycine::io {

/// What a chromosome is to analyses of autosomes.
enum class ChromosomeRole {
    Autosome,  ///< and what counts as one: the pseudo-autosomal region, 0 (unplaced), names of no species
    X,
    Y,
    Mitochondrial,
    Haploid,  ///< of a species all of whose chromosomes are
    Absent,   ///< a number or letter that stands for a chromosome, but for none of this species
};

/// The chromosomes of a species: N autosomes 1 … N, then X (N + 1), Y (N + 2), XY (N + 3) and MT (N + 4), as
/// far as it has them. Numbers, X, Y, XY, M and MT are known, all in upper or lower case, also with "chr"
/// before them, those of one character also with a leading zero.
class ChromosomeSet {
  public:
    /// Humans: 22 autosomes, X, Y, XY, MT.
    ChromosomeSet();
    /// By name: "human", "cow", "dog", "horse", "mouse", "rice", "sheep". Throws UsageError for another.
    static ChromosomeSet ofSpecies(std::string_view name);
    /// The names that PLINK 1.9 has flags for: all of the above but "human".
    static std::vector<std::string_view> species();
    /// What stands behind --chr-set: the number of autosomes, 1 … 95, and which of "no-x", "no-y", "no-xy",
    /// "no-mt" hold; a number below 0: so many haploid chromosomes. Throws UsageError for anything else.
    static ChromosomeSet parse(const std::vector<std::string>& words);

    ChromosomeRole role(std::string_view chromosome) const;
    /// Those that are no autosomes: "the chromosomes X, Y and MT", "haploid chromosomes".
    std::string leftOut() const;
    /// "1 – 22, X (23), Y (24), XY (25), MT (26)".
    std::string describe() const;

  private:
    static constexpr int kMostAutosomes = 95;
    /// The largest number that has a meaning.
    int largestCode() const;

    int autosomes_ = 22;
    bool hasX_ = true, hasY_ = true, hasXy_ = true, hasMt_ = true;
    bool isHaploid_ = false;
};

}  // namespace glycine::io
