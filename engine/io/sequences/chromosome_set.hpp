#pragma once

#include <string>
#include <string_view>
#include <vector>

/// PLINK 1.9's interpretation of chromosome names, the same for every file of variants. Source: PLINK 1.9,
/// --chr-set and the species flags; which chromosomes --distance leaves out.
namespace glycine::io {

/// Role of a chromosome in analyses of autosomes.
enum class ChromosomeRole {
    Autosome,  ///< or treated as one: pseudo-autosomal region, 0 (unplaced), names that no species has
    X,
    Y,
    Mitochondrial,
    Haploid,  ///< of a species whose chromosomes are all haploid
    Absent,   ///< a number or letter of a chromosome that this species does not have
};

/// The chromosomes of a species: N autosomes 1 … N, then X (N + 1), Y (N + 2), XY (N + 3) and MT (N + 4), as
/// far as it has them. Recognises numbers, X, Y, XY, M and MT, case-insensitively, also after "chr"; those of
/// one character also with a leading zero.
class ChromosomeSet {
  public:
    /// Humans: 22 autosomes, X, Y, XY, MT.
    ChromosomeSet();
    /// By name: "human", "cow", "dog", "horse", "mouse", "rice", "sheep". Throws UsageError for any other
    /// name.
    static ChromosomeSet ofSpecies(std::string_view name);
    /// The names for which PLINK 1.9 has flags: all of the above except "human".
    static std::vector<std::string_view> species();
    /// Parses the arguments of --chr-set: the number of autosomes, 1 … 95, followed by any of "no-x", "no-y",
    /// "no-xy", "no-mt". A negative number means that many haploid chromosomes. Throws UsageError for
    /// anything else.
    static ChromosomeSet parse(const std::vector<std::string>& words);

    ChromosomeRole role(std::string_view chromosome) const;
    /// The chromosomes that are no autosomes: "the chromosomes X, Y and MT", "haploid chromosomes".
    std::string leftOut() const;
    /// "1 – 22, X (23), Y (24), XY (25), MT (26)".
    std::string describe() const;

  private:
    static constexpr int kMaxAutosomes = 95;
    /// The largest meaningful number.
    int largestCode() const;

    int autosomes_ = 22;
    bool hasX_ = true, hasY_ = true, hasXy_ = true, hasMt_ = true;
    bool isHaploid_ = false;
    bool namesAll_ = false;  ///< no number beyond the autosomes is one: PLINK takes 32 of cattle as such
};

}  // namespace glycine::io
