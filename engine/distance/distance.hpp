#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/precision.hpp"
#include "engine/core/progress.hpp"
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

/// Coordinates, as an input holds them and as they are computed with: instances × attributes of finite
/// numbers of either precision, in somebody else's memory.
class CoordinateView {
  public:
    CoordinateView() = default;
    template <class Number>
    CoordinateView(MatrixView<Number> numbers) : numbers_(MatrixView<const Number>(numbers)) {}
    /// Those in a device's memory, which outlive the view.
    explicit CoordinateView(const DeviceCoordinates& device);

    /// Null unless they are in a device's memory: then visit() and as() copy all of them to the host, once.
    const DeviceCoordinates* device() const { return device_; }
    /// Calls use(numbers) with them as what they are, a view of `float` or of `double`.
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
    MatrixView<const Number> as() const {
        return std::get<MatrixView<const Number>>(numbers());
    }

  private:
    using Numbers = std::variant<MatrixView<const float>, MatrixView<const double>>;
    const Numbers& numbers() const { return device_ == nullptr ? numbers_ : onHost(); }
    const Numbers& onHost() const;

    Numbers numbers_;
    const DeviceCoordinates* device_ = nullptr;
};

/// The same with memory of its own.
using CoordinateMatrix = std::variant<Matrix<float>, Matrix<double>>;
CoordinateView viewOf(const CoordinateMatrix& coordinates);

using pairs::PairTimes;

class DiscreteSource;
struct KinshipTable;

/// What is computed for a pair. With IBS0, IBS1, IBS2 the numbers of attributes in which two genotypes share
/// no, one or both alleles:
enum class Measure {
    Mismatch,          ///< discrete: attributes that differ (genotypes: IBS0 + IBS1). The paper's measure
    Proportion,        ///< discrete: mismatches / attributes that both instances have (p-distance)
    Allele,            ///< genotypes: 2·IBS0 + IBS1, PLINK's --distance
    Ibs,               ///< genotypes: 1 − allele / (2·M), PLINK's --distance ibs; a similarity
    OneMinusIbs,       ///< genotypes: allele / (2·M), PLINK's --distance 1-ibs
    King,              ///< genotypes: KING-robust kinship, PLINK 2's --make-king; a similarity
    Jaccard,           ///< genotypes, or 0 and 1: differing / attributes that either has (is not 0)
    Grm,               ///< genotypes: genomic relationship, PLINK's --make-rel; a similarity
    Euclidean,         ///< coordinates: √ Σ (a − b)²
    SquaredEuclidean,  ///< coordinates: Σ (a − b)²
    Manhattan,         ///< coordinates: Σ |a − b|
    Correlation,       ///< coordinates: 1 − Pearson's r
    Cosine,            ///< coordinates: 1 − Σ ab / √(Σ a² · Σ b²)
    Chebyshev,         ///< coordinates: max |a − b|
    BrayCurtis,        ///< coordinates, none negative: Σ |a − b| / Σ (a + b)
    Hamming,           ///< coordinates: share of the attributes that differ
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
/// Whether it needs genotypes, not just any symbols.
bool isForGenotypes(Measure measure);
/// The measure of symbols, or of coordinates, that is computed where none is named.
Measure usualMeasure(bool ofCoordinates);

/// What becomes of attributes that one of the two instances lacks. N_ij: attributes that both have.
enum class MissingRule {
    Ignore,    ///< they do not count: a count stays as it is, a proportion is of N_ij
    Flat,      ///< counts are scaled by M / N_ij (PLINK's flat-missing)
    Weighted,  ///< counts are scaled by Σ w / Σ_{both have it} w, w = pq(1 − pq) of each attribute, the
               ///< expected contribution (PLINK's default); allele, ibs and 1-ibs only
    Refuse,    ///< a missing entry is an error
};
constexpr auto namesOf(MissingRule) {
    using enum MissingRule;
    return namesAre<MissingRule>(
        "rule for missing entries",
        {{Ignore, "ignore"}, {Flat, "flat"}, {Weighted, "weighted"}, {Refuse, "refuse"}});
}
/// What is customary for a measure: Weighted for PLINK's, Ignore for the others.
MissingRule defaultMissingRule(Measure measure);

/// The ways to compute, over all backends. Which backend offers which: `glycine list`.
enum class Variant {
    Default,    ///< the backend's own choice for these data
    Serial,     ///< reference: the paper's loops
    PaperLoop,  ///< reference: the function that the paper times, as it stands there; not listed
    Bitplane,   ///< cpu, cuda: bit planes, XOR, OR, population count
    Direct,     ///< cpu, cuda: coordinates, sums of differences tile by tile
    Scalar,     ///< gl: one attribute a texel, a block of attributes a pass
    Packed,     ///< gl: four attributes a texel
    Bits,       ///< gl: bit planes in RGBA32UI, several rows a fragment
    Naive,      ///< cuda, the paper's GPUnaive: integers by columns, one block a pair, atomics
    Coalesced,  ///< cuda, GPUcoalesce: integers by rows
    Char4,      ///< cuda, GPUchar: four attributes a load, up to four atomics
    Register,   ///< cuda, GPUregister: four mismatches summed first, one atomic
    Shared,     ///< cuda, GPUshared: counters in shared memory, one plain write
    Reduction,  ///< cuda, of the paper's discussion: the same counters added by a tree of threads
    Texture,    ///< cuda, of its discussion: the same, symbols read through a texture
    Constant,   ///< cuda, of its discussion: the same, one instance of each pair in constant memory
    Tensor,     ///< cuda: exact int8 matrix products on tensor cores
    BitTensor,  ///< cuda: products of bit matrices on tensor cores
};
constexpr auto namesOf(Variant) {
    using enum Variant;
    return namesAre<Variant>("variant", {{Default, "default"},
                                         {Serial, "serial"},
                                         {PaperLoop, "paper-loop"},
                                         {Bitplane, "bitplane"},
                                         {Direct, "direct"},
                                         {Scalar, "scalar"},
                                         {Packed, "packed"},
                                         {Bits, "bits"},
                                         {Naive, "naive"},
                                         {Coalesced, "coalesced"},
                                         {Char4, "char4"},
                                         {Register, "register"},
                                         {Shared, "shared"},
                                         {Reduction, "reduction"},
                                         {Texture, "texture"},
                                         {Constant, "constant"},
                                         {Tensor, "tensor"},
                                         {BitTensor, "bittensor"}});
}

/// The data of one run: exactly one of the two is there.
struct DataView {
    const DiscreteSource* discrete = nullptr;
    CoordinateView coordinates{};
    bool isCoordinates() const { return discrete == nullptr; }
    std::size_t instances() const;
    std::size_t attributes() const;
};

/// How finely the weights of MissingRule::Weighted are rounded to integers.
enum class WeightScale {
    Plink,  ///< of 2³²: results equal to PLINK's bits
    Fine,   ///< of 2⁶²: results equal to the formula up to some units in the last place
};
constexpr auto namesOf(WeightScale) {
    using enum WeightScale;
    return namesAre<WeightScale>("scale of weights", {{Plink, "plink"}, {Fine, "fine"}});
}

struct DistanceOptions {
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    Variant variant = Variant::Default;
    /// Of coordinates; absent: float64 for float64 data where the backend has it, else float32.
    std::optional<Precision> precision{};
    /// Symbols: attributes that two instances must both have. A pair with fewer has no value: NaN.
    std::size_t leastInCommon = 0;
    std::size_t tile = 0;  ///< side of the output tiles; 0: what suits the backend
    /// More than 0: only distances of the instances from this one on to those before it.
    std::size_t references = 0;
    /// Instances whose allele frequencies weigh missing genotypes (PLINK: founders); empty: all.
    std::vector<bool> founders{};
    WeightScale weights = WeightScale::Plink;  ///< of MissingRule::Weighted
    KinshipTable* kinships = nullptr;  ///< Measure::King: takes the counts of related pairs; outlives the run
};

struct DistanceReport : pairs::RunOutcome {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    double prepareSeconds = 0;  ///< for the weights of missing entries, or the coordinates that are summed
    std::size_t undefinedPairs = 0;            ///< pairs whose value is NaN: too few attributes in common
    Precision precision = Precision::Float32;  ///< of coordinates: what their differences were taken in
    CoordinateRounding rounding{};             ///< of coordinates, on the way there
};

/// Throws UsageError when measure, missing rule and data do not fit together.
void checkMeasure(const DataView& data, const DistanceOptions& options);

/// Throws what computeDistances throws for its arguments, before any backend is involved: as checkMeasure,
/// UsageError for unknown enumerators, founders that are not one flag for each instance and references
/// without another instance, InputError for data without instances or attributes, and for coordinates without
/// memory, with overlapping rows or with elements that are no finite numbers.
void checkDistances(const DataView& data, const DistanceOptions& options);

/// How many attributes of M two instances should both have for their distance to mean something: half of
/// them. A count that is not scaled for what is missing is then at least about half of what it would be of
/// all attributes. What is scaled or a share is an estimate, for which 1,000 are enough where that is less:
/// the standard error of a share is then at most 1 / (2√1000), 1.6 %.
std::size_t usualOverlap(Measure measure, MissingRule rule, std::size_t attributes);

/// Whether `backend` can compute this; also "no" when it has no implementation at all.
Support supportsDistances(Backend& backend, const DataView& data, const DistanceOptions& options);

/// The precision in which `backend` computes with these coordinates: the one that is asked for, or the usual
/// one. The reference rounds nothing: it always computes in float64.
Precision precisionOn(Backend& backend, const DataView& data, const DistanceOptions& options);

/// Side of the tiles of the output for these options: the user's, or what suits the backend; at most the
/// number of instances.
std::size_t tileSide(Backend& backend, const DataView& data, const DistanceOptions& options);

/// Bytes of the host's memory that computeDistances takes with tiles of side `options.tile` (0: that of
/// tileSide), beside the data and what the sink keeps. Textures of renderers that run on the processor are
/// not among them; GlLimits::deviceBytes bounds these.
double hostBytesForDistances(Backend& backend, const DataView& data, const DistanceOptions& options);

/// Computes the distances of all pairs of instances, tile by tile, and hands each tile to `sink`. Tiles that
/// the sink already has are left out. The values are those of every backend to the last bit for discrete
/// data; for coordinates they differ from the reference's, which computes with the input's own numbers, by at
/// most summationTolerance() of the value and what `rounding` of the report explains (changeOf).
///
/// Throws as checkDistances, UnavailableError when the backend cannot run this (nothing was handed over),
/// InputError for missing entries under MissingRule::Refuse or rows without variance under Correlation,
/// CancelledError or DeviceError.
DistanceReport computeDistances(Backend& backend, const DataView& data, const DistanceOptions& options,
                                pairs::PairSink& sink, Progress& progress);

/// Largest relative difference between the reference's sum of `attributes` non-negative terms and one in this
/// precision, of the same numbers, taken in any order: each term is rounded up to three times (difference,
/// product, conversion), each of at most `attributes` additions once, each time by at most 2⁻²⁴ of the value
/// (float32; beside that, the roundings of the reference do not count) or 2⁻⁵³ (float64, in both sums).
double summationTolerance(std::size_t attributes, Precision precision = Precision::Float32);

/// By how much the rounding of coordinates can change a distance whose exact value is `value`: E for E =
/// rounding.euclidean (euclidean), or what CoordinateRounding::ofSum says (the others; of half of the squared
/// distance of standardised rows, half of it).
double changeOf(Measure measure, const CoordinateRounding& rounding, double value);

}  // namespace glycine::distance
