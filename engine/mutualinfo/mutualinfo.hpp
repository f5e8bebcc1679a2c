#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/device_matrix.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/mutualinfo/spline_shape.hpp"
#include "engine/mutualinfo/weight_precision.hpp"
#include "engine/pairs/pair_run.hpp"

namespace glycine {
class ProcessTeam;
}

/// Mutual information between all pairs of N genes with M expression values (samples) each, estimated with
/// B-splines: each value counts in up to `order` neighbouring bins, with weights that add up to 1.
///
/// Sources: H. Shi, B. Schmidt, W. Liu, W. Müller-Wittig, "Parallel mutual information estimation for
/// inferring gene regulatory networks on GPUs", BMC Research Notes 4:189 (2011), algorithms 1 to 3; the
/// estimator: C. O. Daub et al., "Estimating mutual information using B-spline functions", BMC Bioinformatics
/// 5:118 (2004).
namespace glycine::mutualinfo {

/// Transform of a gene's values before they are scaled to the range of the bins.
enum class Transform {
    None,      ///< nothing
    Ranks,     ///< ranks; equal values share their mean rank
    Ordinals,  ///< ranks; equal values are ranked in the order of samples, as in TINGe
};
constexpr auto namesOf(Transform) {
    using enum Transform;
    return namesAre<Transform>("rank transform", {{None, "none"}, {Ranks, "average"}, {Ordinals, "ordinal"}});
}

/// Estimate for each pair.
enum class Estimator {
    Splines,   ///< mutual information, by B-splines
    Bins,      ///< mutual information, by plain bins: splines of order 1
    Pearson,   ///< Pearson's r, for comparison
    Spearman,  ///< Pearson's r of ranks; equal values share their mean rank
};
constexpr auto namesOf(Estimator) {
    using enum Estimator;
    return namesAre<Estimator>(
        "method", {{Splines, "spline"}, {Bins, "bins"}, {Pearson, "pearson"}, {Spearman, "spearman"}});
}
constexpr bool isCorrelation(Estimator estimator) {
    return estimator == Estimator::Pearson || estimator == Estimator::Spearman;
}

/// Unit of entropies and mutual information.
enum class Unit { Bits, Nats };
constexpr auto namesOf(Unit) {
    return namesAre<Unit>("unit", {{Unit::Bits, "bits"}, {Unit::Nats, "nats"}});
}
/// The value of one bit in this unit.
double perBit(Unit unit);

/// The variants of all backends. `glycine list` shows the variants of each backend.
enum class Variant {
    Default,          ///< the backend's own choice
    Serial,           ///< reference: the paper's loops
    Grouped,          ///< cpu: samples of one gene grouped by first bin, blocks of other genes in registers
    Scalar,           ///< gl: one entry of a joint table per fragment
    Packed,           ///< gl: four bins of one gene and up to eight of the other per fragment
    Blocked,          ///< gl: whole tables per fragment, samples of one gene grouped by first bin
    Cudami,           ///< cuda: the paper's kernels
    CudamiUnscanned,  ///< cuda: the paper's kernels without the optional kernel 2, if no value is missing
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

/// Non-owning view, genes × samples. NaN: missing; other values are finite.
using ExpressionView = MatrixView<const double>;

/// The estimator, and the parameters that determine a value's weights in the bins.
struct SplineOptions {
    std::size_t bins = 10;  ///< R, 2 … kMaxBins
    std::size_t order = 3;  ///< k, 1 … R − 1; 1: plain binning
    Knots knots = Knots::Clamped;
    Transform transform = Transform::None;
    Estimator estimator = Estimator::Splines;
};
/// Applies the estimator's implied settings: order 1, or ranks. Correlations use only the transform.
SplineOptions withImplied(SplineOptions options);
inline constexpr std::size_t kMaxBins = 256;
/// Throws UsageError for unknown enumerators, and for numbers beyond these limits; correlations ignore the
/// numbers.
void checkSplines(const SplineOptions& options);

/// Throws InputError for no genes or no samples, values without memory, overlapping rows, and infinite
/// values. If all processes of a `team` call it for the same values, each checks its part of the genes.
void checkExpression(ExpressionView expression, const ProcessTeam* team = nullptr);

struct MutualInformationOptions {
    SplineOptions splines{};
    Unit unit = Unit::Bits;
    WeightPrecision precision = WeightPrecision::Float64;  ///< of weights and sums over samples
    Variant variant = Variant::Default;
    std::size_t tile = 0;  ///< side of the output tiles; 0: chosen by the backend
    /// The values in the memory of the backend's device, if summarizeOnDevice accepted them. Then only the
    /// size of the expression view is used. Must outlive the call.
    const DeviceMatrix* onDevice = nullptr;
};

struct MutualInformationReport : pairs::RunOutcome {
    std::size_t genes = 0;
    std::size_t samples = 0;
};

/// Checks the arguments of computeMutualInformation before any backend is involved. Throws as checkSplines
/// and checkExpression do, and UsageError for unknown enumerators. Processes of a team at work each check
/// their part of the genes.
void checkInformation(ExpressionView expression, const MutualInformationOptions& options);

/// Properties of each gene, from its present values.
struct GeneSummary {
    /// H(X) of each gene, 0 without values. For correlations 1, or 0 if the gene is constant or empty.
    std::vector<double> entropies;
    std::vector<std::size_t> constant;  ///< genes whose values are all equal, ascending
    std::vector<std::size_t> empty;     ///< genes without any value, ascending
};
/// Computed in double precision. Throws as checkExpression and checkSplines do, and CancelledError. If all
/// processes of a `team` call it for the same values, each reads and checks its part of the genes.
GeneSummary summarizeGenes(ExpressionView expression, const SplineOptions& splines, Unit unit,
                           Progress& progress, ProcessTeam* team = nullptr);
/// The same for values in the memory of the backend's device, which sums their weights like the host. Returns
/// nothing if the device does not support them: other types, missing or infinite values, ranks.
std::optional<GeneSummary> summarizeOnDevice(Backend& backend, const DeviceMatrix& values,
                                             const SplineOptions& splines, Unit unit);

/// Largest difference in bits between a backend's mutual information in a precision and the reference's.
///
/// The marginals are sums of the joint table that also gives the joint entropy. A relative error ε of its
/// elements therefore changes the result by ε · Σ p |log₂ p/(p_x p_y)| ≤ ε (I + 2/(e ln 2)) ≤ ε (log₂ R +
/// 1.1), at most 9.1 ε.
/// - float64: ε is at most 10⁻¹⁵ for numbers of samples that fit in memory.
/// - float32: at most kMaxFloat32Products products are added before the sum continues in float64. Rounding
///   errors have either sign, so ε ≈ √kMaxFloat32Products · 2⁻²⁴ = 1.4e-6. On `gl` and `cuda` it is 128
///   products, which `cuda` truncates instead of rounding, and the sum continues in float32: ε ≈ 64 · 2⁻²⁴.
/// - tf32 and fp16: each weight is rounded by up to 2⁻¹², and the error depends on how far that cancels over
///   different values of a gene. Simulating the kernels on the host gave at most 2e-4 bits with few samples,
///   2e-5 from 500 on and 5e-6 from 4,000 on; the limit allows for genes with few distinct values.
/// - Correlations differ by rounding in float64: they are sums of products of standardised values, for which
///   Σ|xy| ≤ 1. If the common samples vary so little that differences of sums would lose digits, the pair's
///   samples are summed directly (cpu/cpu_correlation.cpp).
double allowedDifference(WeightPrecision precision);
/// The most products of float32 weights that are added in float32 before the sum continues in float64.
inline constexpr std::size_t kMaxFloat32Products = 512;

/// Whether `backend` can compute this. Also "no" if it has no implementation at all.
Support supportsMutualInformation(Backend& backend, ExpressionView expression,
                                  const MutualInformationOptions& options);

/// The default precision of `backend`: float64 if it is supported, else float32.
WeightPrecision defaultPrecision(const Backend& backend);

/// Side of the output tiles for these options: the user's, or the backend's choice; at most the number of
/// genes.
std::size_t tileSide(Backend& backend, ExpressionView expression, const MutualInformationOptions& options);

/// Computes the mutual information of all pairs of genes, tile by tile, and hands each tile to `sink`. Skips
/// tiles that the sink already has. Does not compute the diagonal, which the caller fills from
/// GeneSummary::entropies.
///
/// Values are scaled by the range of all their gene's values. A pair uses the samples that both genes have
/// (pairwise complete), with the marginals of these samples. The mutual information is never negative, 0 if a
/// gene is constant, and NaN if the genes have no common sample.
///
/// Correlations, for comparison, use the same function: Pearson's r, −1 … 1, over the samples that both genes
/// have; ranks are those among all values of a gene. r is 0 if a gene is constant in these samples, and NaN
/// if there are none.
///
/// Throws as checkInformation does, UnavailableError if the backend cannot run the request (before the sink
/// receives anything), CancelledError or DeviceError.
MutualInformationReport computeMutualInformation(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 pairs::PairSink& sink, Progress& progress);

}  // namespace glycine::mutualinfo
