#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/device_matrix.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_run.hpp"

/// Mutual information between all pairs of N genes with M expression values (samples) each, estimated with
/// B-splines: each value counts, by weights that sum to 1, in up to `order` neighbouring bins.
///
/// Sources: H. Shi, B. Schmidt, W. Liu, W. Müller-Wittig, "Parallel mutual information estimation for
/// inferring gene regulatory networks on GPUs", BMC Research Notes 4:189 (2011), algorithms 1 to 3; the
/// estimator: C. O. Daub et al., "Estimating mutual information using B-spline functions", BMC Bioinformatics
/// 5:118 (2004).
namespace glycine::mutualinfo {

/// Where the pieces of the splines meet. Of R bins and order k, with values scaled to [0, R − k + 1]:
enum class Knots {
    Clamped,  ///< all of the first and of the last k coincide with the ends (the paper, TINGe)
    Uniform,  ///< i − k + 1 for i = 0 … R + k − 1 (Daub's program for R)
};
constexpr auto namesOf(Knots) {
    return namesAre<Knots>("kind of knots", {{Knots::Clamped, "clamped"}, {Knots::Uniform, "uniform"}});
}

/// What replaces the values of a gene before they are scaled to the range of the bins.
enum class Transform {
    None,      ///< nothing
    Ranks,     ///< their ranks; equal values share the mean of theirs
    Ordinals,  ///< their ranks; equal values in the order of the samples, as TINGe does
};
constexpr auto namesOf(Transform) {
    using enum Transform;
    return namesAre<Transform>("rank transform", {{None, "none"}, {Ranks, "average"}, {Ordinals, "ordinal"}});
}

/// What is estimated of each pair.
enum class Estimator {
    Splines,   ///< mutual information, by B-splines
    Bins,      ///< mutual information, by plain bins: splines of order 1
    Pearson,   ///< Pearson's r, for comparison
    Spearman,  ///< Pearson's r of ranks; equal values share the mean of theirs
};
constexpr auto namesOf(Estimator) {
    using enum Estimator;
    return namesAre<Estimator>(
        "estimator", {{Splines, "spline"}, {Bins, "bins"}, {Pearson, "pearson"}, {Spearman, "spearman"}});
}
constexpr bool isCorrelation(Estimator estimator) {
    return estimator == Estimator::Pearson || estimator == Estimator::Spearman;
}

/// Of entropies and mutual information.
enum class Unit { Bits, Nats };
constexpr auto namesOf(Unit) {
    return namesAre<Unit>("unit", {{Unit::Bits, "bits"}, {Unit::Nats, "nats"}});
}
/// How many of the unit are a bit.
double perBit(Unit unit);

/// The numbers that weights are rounded to.
enum class WeightPrecision {
    Float64,
    Float32,
    Tf32,     ///< of tensor cores: 10 bits behind the point; sums in float32
    Float16,  ///< the same with the range of float16
};
constexpr auto namesOf(WeightPrecision) {
    using enum WeightPrecision;
    return namesAre<WeightPrecision>(
        "precision", {{Float64, "float64"}, {Float32, "float32"}, {Tf32, "tf32"}, {Float16, "fp16"}});
}

/// The ways to compute, over all backends. Which backend offers which: `glycine list`.
enum class Variant {
    Default,  ///< the backend's own choice
    Serial,   ///< reference: the paper's loops
    Grouped,  ///< cpu: samples of one gene grouped by their first bin, blocks of other genes in registers
    Scalar,   ///< gl: one entry of a joint table a fragment
    Packed,   ///< gl: four bins of the one gene and up to eight of the other a fragment
    Blocked,  ///< gl: whole tables a fragment, samples of one gene grouped by their first bin
    Cudami,   ///< cuda: the paper's kernels
    CudamiUnscanned,  ///< cuda: the same without kernel 2, which is optional, where no value is missing
    Gemm,             ///< cuda: products of stacked weighting matrices
    Pairwise,         ///< reference, correlations: sums over the samples of each pair
    Products,         ///< cpu, correlations: blocked products of standardised genes
};
constexpr auto namesOf(Variant) {
    using enum Variant;
    return namesAre<Variant>("variant", {{Default, "default"},
                                         {Serial, "serial"},
                                         {Grouped, "grouped"},
                                         {Scalar, "scalar"},
                                         {Packed, "packed"},
                                         {Blocked, "blocked"},
                                         {Cudami, "cudami"},
                                         {CudamiUnscanned, "cudami-unscanned"},
                                         {Gemm, "gemm"},
                                         {Pairwise, "pairwise"},
                                         {Products, "products"}});
}

/// Genes × samples, in somebody else's memory; NaN: missing. Other values are finite.
using ExpressionView = MatrixView<const double>;

/// What is estimated, and what the weights of a value in the bins follow from.
struct SplineOptions {
    std::size_t bins = 10;  ///< R, 2 … kMostBins
    std::size_t order = 3;  ///< k, 1 … R − 1; 1: plain binning
    Knots knots = Knots::Clamped;
    Transform transform = Transform::None;
    Estimator estimator = Estimator::Splines;
};
/// With what the estimator implies: an order of 1, ranks. Correlations read the transform alone.
SplineOptions withImplied(SplineOptions options);
inline constexpr std::size_t kMostBins = 256;
/// Throws UsageError for unknown enumerators, and for numbers beyond these limits, which correlations do not
/// read.
void checkSplines(const SplineOptions& options);

/// Throws InputError for no genes or no samples, values without memory, rows that overlap, and infinite
/// values.
void checkExpression(ExpressionView expression);

struct MutualInformationOptions {
    SplineOptions splines{};
    Unit unit = Unit::Bits;
    WeightPrecision precision = WeightPrecision::Float64;  ///< of weights and sums over samples
    Variant variant = Variant::Default;
    std::size_t tile = 0;  ///< side of the output tiles; 0: what suits the backend
    /// The values in the memory of the backend's device, of which summarizeOnDevice has said that it takes
    /// them: then the view of them has a size alone. Outlives the call.
    const DeviceMatrix* onDevice = nullptr;
};

struct MutualInformationReport : pairs::RunOutcome {
    std::size_t genes = 0;
    std::size_t samples = 0;
};

/// Throws what computeMutualInformation throws for its arguments, before any backend is involved: as
/// checkSplines and checkExpression, and UsageError for unknown enumerators.
void checkInformation(ExpressionView expression, const MutualInformationOptions& options);

/// What is known of each gene by itself, with the values that it has.
struct GeneSummary {
    /// H(X) of each gene, 0 where it has no values. Of correlations 1, or 0 where it is constant or empty.
    std::vector<double> entropies;
    std::vector<std::size_t> constant;  ///< genes whose values are all equal, ascending
    std::vector<std::size_t> empty;     ///< genes without any value, ascending
};
/// In double. Throws as checkExpression and checkSplines, and CancelledError.
GeneSummary summarizeGenes(ExpressionView expression, const SplineOptions& splines, Unit unit,
                           Progress& progress);
/// The same of values in the memory of the backend's device, which sums their weights as the host does.
/// Nothing where it does not take them: types, values that are missing or infinite, ranks.
std::optional<GeneSummary> summarizeOnDevice(Backend& backend, const DeviceMatrix& values,
                                             const SplineOptions& splines, Unit unit);

/// Largest difference in bits between a backend's mutual information in a precision and the reference's.
///
/// The marginals are sums of the same joint table as the entropies, so that a relative error e of its
/// elements changes the result by e · Σ p |log₂ p/(p_x p_y)| ≤ e (I + 2/e ln 2) ≤ e (log₂ R + 1.1), at
/// most 9.1 e. In float64 e is 10⁻¹⁵ or less for the numbers of samples that fit a machine. In float32 at
/// most kRun products are added before the sum goes on in float64; their roundings have either sign, e ≈
/// √kRun · 2⁻²⁴ = 1.4e-6. (On `gl` and `cuda` it is 128 products, which `cuda` cuts off rather than rounds,
/// and the sum goes on in float32: e ≈ 64 · 2⁻²⁴.) In tf32 and fp16 each weight is rounded by up to 2⁻¹², and
/// what counts is how far that cancels over different values of a gene: at most 2e-4 bits of a few samples,
/// 2e-5 from 500 on, 5e-6 from 4,000 on where the kernels were followed on the host; the limit is for genes
/// with a few values, repeated. Correlations differ by rounding in float64: sums of products of standardised
/// values, of which Σ|xy| ≤ 1. Where common samples vary so little that differences of sums would lose
/// digits, the pair's are summed directly (cpu/cpu_correlation.cpp).
double allowedDifference(WeightPrecision precision);
/// Products of float32 weights that are added in float32 before the sum goes on in float64, at most.
inline constexpr std::size_t kRun = 512;

/// Whether `backend` can compute this; also "no" when it has no implementation at all.
Support supportsMutualInformation(Backend& backend, ExpressionView expression,
                                  const MutualInformationOptions& options);

/// The precision in which `backend` computes where none is asked for: float64, or what it has instead.
WeightPrecision usualPrecision(const Backend& backend);

/// Side of the tiles of the output for these options: the user's, or what suits the backend; at most the
/// number of genes.
std::size_t tileSide(Backend& backend, ExpressionView expression, const MutualInformationOptions& options);

/// Computes the mutual information of all pairs of genes, tile by tile, and hands each tile to `sink`. Tiles
/// that the sink already has are left out. The diagonal is the sink's: GeneSummary::entropies.
///
/// A value is taken for what its gene's range makes of it; a pair counts the samples that both genes have
/// (pairwise complete), with the marginals of these samples. The mutual information is never negative, 0
/// where a gene is constant, and NaN where no sample has both genes.
///
/// Correlations, for comparison, go the same way: Pearson's r, −1 … 1, over the samples that both genes have;
/// ranks are those among all values of a gene. Here, too, r is 0 where a gene is constant in these samples,
/// and NaN where there are none.
///
/// Throws as checkInformation, UnavailableError when the backend cannot run this (nothing was handed over),
/// CancelledError or DeviceError.
MutualInformationReport computeMutualInformation(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 pairs::PairSink& sink, Progress& progress);

}  // namespace glycine::mutualinfo
