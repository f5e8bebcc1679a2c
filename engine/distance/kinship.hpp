#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine {
class ProcessTeam;
}

/// KING-robust kinship of pairs of genotypes.
///
/// Source: A. Manichaikul, J. C. Mychaleckyj, S. S. Rich et al., "Robust relationship inference in
/// genome-wide association studies", Bioinformatics 26 (2010), 2867–2873, equation 11 (between families).
namespace glycine::distance {

/// Counts of a pair over the attributes known in both instances.
struct KinshipPair {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< less than the row
    std::uint32_t inCommon = 0;
    std::uint32_t hetHet = 0;  ///< both are heterozygous
    std::uint32_t ibs0 = 0;    ///< opposite homozygotes
    std::uint32_t ibs1 = 0;    ///< a heterozygote and a homozygote
    std::uint32_t hets = 0;    ///< heterozygotes of the instance with fewer of them

    bool operator==(const KinshipPair&) const = default;
    std::uint32_t ibs2() const { return inCommon - ibs0 - ibs1; }
    /// 1/2 for twins, 1/4 for first degree. −∞ or NaN if an instance has no heterozygote.
    double kinship() const { return 0.5 - (4.0 * ibs0 + ibs1) / (4.0 * hets); }
};

/// Degrees of relationship by kinship, with the limits of Manichaikul et al.: 2^(−3/2), 2^(−5/2) …
enum class Degree { Duplicate, First, Second, Third, Unrelated };
constexpr auto namesOf(Degree) {
    using enum Degree;
    return namesAre<Degree>("degree", {{Duplicate, "duplicate"},
                                       {First, "first"},
                                       {Second, "second"},
                                       {Third, "third"},
                                       {Unrelated, "unrelated"}});
}
Degree degreeOf(double kinship);
inline constexpr double kLeastKinshipOfRelatives = 0.0442;
/// Number of pairs of each degree.
using DegreeCounts = std::array<std::size_t, namesOf(Degree()).table.size()>;

/// Replaces `pairs` by the pairs of row `row` of a tile, ascending by column. Several threads may call it.
using KinshipRow = std::function<void(std::size_t row, std::vector<KinshipPair>& pairs)>;

/// Receives the pairs of a run as they are counted.
struct KinshipTable {
    double least = -std::numeric_limits<double>::infinity();  ///< smallest kinship of pairs that are kept
    std::vector<KinshipPair> pairs{};                         ///< the kept ones, tile by tile
    DegreeCounts degrees{};                                   ///< of all pairs
    /// If given, takes all pairs of each tile, kept or not, one tile at a time. Calls rowOf for every row.
    std::function<void(const pairs::PairTile& tile, const KinshipRow& rowOf)> take{};

    /// After the last tile: moves the pairs of all processes to the lead's table, and adds up the degrees.
    /// All processes must call it, like completeParts().
    void moveToLead(ProcessTeam& team);
};

/// The genotypes that are marked.
enum class Mark { Heterozygotes, Zeros };

/// Counts marked genotypes by means of the engines' counts of symbols. Instance N + i has the symbol 0 where
/// instance i of the genotypes is marked, and is missing elsewhere. Instance j has 0 where it is marked, else
/// 1. So (N + i, j) has in common the marked genotypes of i that are known in j, and differs where j is not
/// marked.
class MarkedSource final : public DiscreteSource {
  public:
    MarkedSource(const DiscreteSource& genotypes, Mark mark) : genotypes_(genotypes), mark_(mark) {
        shape_ = shapeFor(genotypes.shape());
    }
    static DiscreteShape shapeFor(const DiscreteShape& genotypes) {
        return {.instances = 2 * genotypes.instances,
                .attributes = genotypes.attributes,
                .planes = 1,
                .hasMissing = true};
    }
    const DiscreteShape& shape() const override { return shape_; }
    PlaneBlock readPlanes(Range instances, Range attributes) const override;

  private:
    const DiscreteSource& genotypes_;
    Mark mark_;
    DiscreteShape shape_;
};

}  // namespace glycine::distance
