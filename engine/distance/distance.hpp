#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/precision.hpp"
#include "engine/core/progress.hpp"
#include "engine/distance/distance_variant.hpp"
#include "engine/distance/terms.hpp"
#include "engine/pairs/pair_run.hpp"

/// Distances between all pairs of N instances with M attributes each: SNP genotypes, aligned sequences,
/// coordinates.
///
/// Source: N. A. Sinnott-Armstrong, C. S. Greene, J. H. Moore et al., "Exploiting Graphics Processing Units
/// for Computational Biology and Bioinformatics", Interdisciplinary Sciences 2 (2010), 213–220 (PMC2910913):
/// the number of attributes in which two instances differ, appendix 1. Allele counts and the correction for
/// missing genotypes are those of PLINK 1.9 (--distance).
namespace glycine::distance {

class DeviceCoordinates;

/// Rows of numbers in one matrix, or in two with as many columns, one after the other. Not owned.
template <class Number>
class CoordinateRows {
  public:
    CoordinateRows() = default;
    CoordinateRows(MatrixView<const Number> first, MatrixView<const Number> second = {})
        : first_(first), second_(second) {}

    const Number* row(std::size_t index) const {
        return index < first_.rows() ? first_.row(index) : second_.row(index - first_.rows());
    }
    const Number& operator()(std::size_t row, std::size_t column) const { return this->row(row)[column]; }
    std::size_t rows() const { return first_.rows() + second_.rows(); }
    std::size_t columns() const { return first_.columns(); }
    MatrixView<const Number> first() const { return first_; }
    MatrixView<const Number> second() const { return second_; }

  private:
    MatrixView<const Number> first_, second_;
};

/// Coordinates as an input holds them and as computations use them: instances × attributes of finite numbers
/// in either precision, not owned.
class CoordinateView {
  public:
    CoordinateView() = default;
    template <class Number>
    CoordinateView(MatrixView<Number> numbers)
        : numbers_(CoordinateRows<std::remove_const_t<Number>>(numbers)) {}
    template <class Number>
    CoordinateView(CoordinateRows<Number> rows) : numbers_(rows) {}
    /// Coordinates in device memory; `device` must outlive the view.
    explicit CoordinateView(const DeviceCoordinates& device);

    /// Null unless the coordinates are in device memory. In that case visit() and as() copy all of them to
    /// the host, once.
    const DeviceCoordinates* device() const { return device_; }
    /// Calls use(rows) with the CoordinateRows of `float` or `double`, whichever is stored.
    template <class Use>
    decltype(auto) visit(Use&& use) const {
        return std::visit(std::forward<Use>(use), numbers());
    }
    std::size_t rows() const {
        return std::visit([](const auto& numbers) { return numbers.rows(); }, numbers_);
    }
    std::size_t columns() const {
        return std::visit([](const auto& numbers) { return numbers.columns(); }, numbers_);
    }
    Precision precision() const { return numbers_.index() == 0 ? Precision::Float32 : Precision::Float64; }
    /// Throws std::bad_variant_access for the other precision.
    template <class Number>
    CoordinateRows<Number> as() const {
        return std::get<CoordinateRows<Number>>(numbers());
    }

  private:
    using Numbers = std::variant<CoordinateRows<float>, CoordinateRows<double>>;
    const Numbers& numbers() const { return device_ == nullptr ? numbers_ : onHost(); }
    const Numbers& onHost() const;

    Numbers numbers_;
    const DeviceCoordinates* device_ = nullptr;
};

/// Coordinates that own their memory.
using CoordinateMatrix = std::variant<Matrix<float>, Matrix<double>>;
CoordinateView viewOf(const CoordinateMatrix& coordinates);

using pairs::PairTimes;

class DiscreteSource;
struct KinshipTable;

/// Measure of a pair. IBS0, IBS1 and IBS2 are the numbers of attributes in which two genotypes
/// share no, one or both alleles.
enum class Measure {
    Mismatch,          ///< discrete: attributes that differ (genotypes: IBS0 + IBS1). The paper's measure
    Proportion,        ///< discrete: mismatches / attributes known in both instances (p-distance)
    Allele,            ///< genotypes: 2·IBS0 + IBS1, PLINK's --distance
    Ibs,               ///< genotypes: 1 − allele / (2·M), PLINK's --distance ibs; a similarity
    OneMinusIbs,       ///< genotypes: allele / (2·M), PLINK's --distance 1-ibs
    King,              ///< genotypes: KING-robust kinship, PLINK 2's --make-king; a similarity
    Jaccard,           ///< genotypes, or 0 and 1: differing / attributes that are not 0 in at least one
    Grm,               ///< genotypes: genomic relationship, PLINK's --make-rel; a similarity
    Euclidean,         ///< coordinates: √ Σ (a − b)²
    SquaredEuclidean,  ///< coordinates: Σ (a − b)²
    Manhattan,         ///< coordinates: Σ |a − b|
    Correlation,       ///< coordinates: 1 − Pearson's r
    Cosine,            ///< coordinates: 1 − Σ ab / √(Σ a² · Σ b²)
    Chebyshev,         ///< coordinates: max |a − b|
    BrayCurtis,        ///< coordinates, none negative: Σ |a − b| / Σ (a + b)
    Hamming,           ///< coordinates: fraction of the attributes that differ
};
constexpr auto namesOf(Measure) {
    using enum Measure;
    return namesAre<Measure>("measure", {{Mismatch, "mismatch"},
                                         {Proportion, "proportion"},
                                         {Allele, "allele"},
                                         {Ibs, "ibs"},
                                         {OneMinusIbs, "1-ibs"},
                                         {King, "king"},
                                         {Jaccard, "jaccard"},
                                         {Grm, "grm"},
                                         {Euclidean, "euclidean"},
                                         {SquaredEuclidean, "sqeuclidean"},
                                         {Manhattan, "manhattan"},
                                         {Correlation, "correlation"},
                                         {Cosine, "cosine"},
                                         {Chebyshev, "chebyshev"},
                                         {BrayCurtis, "braycurtis"},
                                         {Hamming, "hamming"}});
}
bool isForCoordinates(Measure measure);
/// Whether the measure requires genotypes, not just any symbols.
bool isForGenotypes(Measure measure);
/// The default measure for symbols, or for coordinates.
Measure defaultMeasure(bool ofCoordinates);

/// How attributes that are missing in one of the two instances are treated. N_ij: attributes known in both.
enum class MissingRule {
    Ignore,    ///< not counted: counts stay as they are, proportions refer to N_ij
    Flat,      ///< counts are scaled by M / N_ij (PLINK's flat-missing)
    Weighted,  ///< counts are scaled by Σ w / Σ_{known in both} w, where w = pq(1 − pq) is the expected
               ///< contribution of an attribute (PLINK's default); allele, ibs and 1-ibs only
    Refuse,    ///< a missing entry is an error
};
constexpr auto namesOf(MissingRule) {
    using enum MissingRule;
    return namesAre<MissingRule>(
        "rule for missing entries",
        {{Ignore, "ignore"}, {Flat, "flat"}, {Weighted, "weighted"}, {Refuse, "refuse"}});
}
/// The conventional rule for a measure: Weighted for PLINK's, Ignore for the others.
MissingRule defaultMissingRule(Measure measure);

/// The data of one run: exactly one of the two is set.
struct DataView {
    const DiscreteSource* discrete = nullptr;
    CoordinateView coordinates{};
    bool isCoordinates() const { return discrete == nullptr; }
    std::size_t instances() const;
    std::size_t attributes() const;
};

/// The scale at which the weights of MissingRule::Weighted are rounded to integers.
enum class WeightScale {
    Plink,  ///< 2³²: results equal PLINK's to the bit
    Fine,   ///< 2⁶²: results equal the formula to a few units in the last place
};
constexpr auto namesOf(WeightScale) {
    using enum WeightScale;
    return namesAre<WeightScale>("scale of weights", {{Plink, "plink"}, {Fine, "fine"}});
}

struct DistanceOptions {
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    Variant variant = Variant::Default;
    /// For coordinates. If absent: float64 for float64 data if the backend supports it, else float32.
    std::optional<Precision> precision{};
    /// For symbols: attributes that two instances must have in common. A pair with fewer has no value: NaN.
    std::size_t leastInCommon = 0;
    std::size_t tile = 0;  ///< side of the output tiles; 0: the backend's preference
    /// If above 0, computes only distances between instances from this index on and those before it.
    std::size_t references = 0;
    /// Instances whose allele frequencies weight missing genotypes (PLINK: founders); empty: all.
    std::vector<bool> founders{};
    WeightScale weights = WeightScale::Plink;  ///< for MissingRule::Weighted
    KinshipTable* kinships = nullptr;  ///< Measure::King: receives the counts of related pairs; must outlive
                                       ///< the run
};

struct DistanceReport : pairs::RunOutcome {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    double prepareSeconds = 0;       ///< spent on weights of missing entries, or on preparing coordinates
    std::size_t undefinedPairs = 0;  ///< pairs whose value is NaN: too few attributes in common
    Precision precision = Precision::Float32;  ///< for coordinates: the precision of their differences
    CoordinateRounding rounding{};             ///< for coordinates: rounding before differences were taken
};

/// Throws UsageError if measure, missing rule and data do not match.
void checkMeasure(const DataView& data, const DistanceOptions& options);

/// Throws what computeDistances throws for its arguments, before any backend is involved. Throws as
/// checkMeasure does; UsageError for unknown enumerators, for `founders` without exactly one flag per
/// instance, and for references without another instance; InputError for data without instances or
/// attributes, and for coordinates without memory, with overlapping rows or with elements that are not
/// finite.
void checkDistances(const DataView& data, const DistanceOptions& options);

/// How many of M attributes two instances should have in common for a meaningful distance: half of them. An
/// unscaled count is then at least about half of the count over all attributes. Scaled counts and proportions
/// are estimates, for which 1,000 attributes suffice if that is less: the standard error of a proportion is
/// then at most 1 / (2√1000), 1.6 %.
std::size_t defaultOverlap(Measure measure, MissingRule rule, std::size_t attributes);

/// Whether `backend` can compute this; "no" if it has no implementation.
Support supportsDistances(Backend& backend, const DataView& data, const DistanceOptions& options);

/// The precision in which `backend` computes with these coordinates: the requested or the default one. The
/// reference rounds nothing and always computes in float64.
Precision precisionOn(Backend& backend, const DataView& data, const DistanceOptions& options);

/// Side of the output tiles for these options: the user's or the backend's preference, at most the number of
/// instances.
std::size_t tileSide(Backend& backend, const DataView& data, const DistanceOptions& options);

/// Bytes of host memory that computeDistances needs with tiles of side `options.tile` (0: that of tileSide),
/// besides the data and the sink. Excludes the textures of software renderers, which GlLimits::deviceBytes
/// bounds.
double hostBytesForDistances(Backend& backend, const DataView& data, const DistanceOptions& options);

/// Computes the distances of all pairs of instances, tile by tile, and passes each tile to `sink`. Skips
/// tiles that the sink already has. For discrete data, all backends return the same values to the last bit.
/// For coordinates, values differ from the reference's, which uses the input's own numbers. The difference is
/// at most summationTolerance() of the value plus what `rounding` of the report explains (changeOf).
///
/// Throws as checkDistances does; UnavailableError if the backend cannot run this (before any tile is passed
/// on); InputError for missing entries under MissingRule::Refuse and for rows without variance under
/// Correlation; CancelledError or DeviceError.
DistanceReport computeDistances(Backend& backend, const DataView& data, const DistanceOptions& options,
                                pairs::PairSink& sink, Progress& progress);

/// Largest relative difference between the reference's sum of `attributes` non-negative terms and a sum of
/// the same numbers in this precision, in any order. Each term is rounded up to three times (difference,
/// product, conversion), and once by each of at most `attributes` additions. Each rounding changes the value
/// by at most 2⁻²⁴ (float32, where the reference's roundings are negligible) or 2⁻⁵³ (float64, in both sums).
double summationTolerance(std::size_t attributes, Precision precision = Precision::Float32);

/// How far the rounding of coordinates can change a distance with the exact value `value`: by E =
/// rounding.euclidean (euclidean), or by CoordinateRounding::ofSum (other measures). Measures that halve the
/// squared distance of standardised rows halve it, too.
double changeOf(Measure measure, const CoordinateRounding& rounding, double value);

}  // namespace glycine::distance
