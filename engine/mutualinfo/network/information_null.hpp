#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/random.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// Distributions of the estimated mutual information of independent genes, and thresholds of significance;
/// and the randomised matrices from which they are measured, identical on every machine for a given seed.
namespace glycine::mutualinfo {

enum class NullModel {
    Permutation,  ///< measured on genes with permuted samples
    Analytic,     ///< for ranks: a mixture of chi-squared distributions
    Aracne,       ///< ARACNE's printed constants, fitted for its own estimator
};
constexpr auto namesOf(NullModel) {
    using enum NullModel;
    return namesAre<NullModel>("null model",
                               {{Permutation, "permutation"}, {Analytic, "analytic"}, {Aracne, "aracne"}});
}

/// The distribution of the estimate for a pair of independent genes. All values in bits.
class InformationNull {
  public:
    virtual ~InformationNull() = default;
    /// Probability that a pair of independent genes reaches `bits`; does not increase with `bits`.
    virtual double pValue(double bits) const = 0;
    /// The smallest number of bits whose P-value is at most p, 0 < p < 1. Throws UsageError if the
    /// distribution is not known that far out.
    virtual double threshold(double p) const = 0;
    /// For reports: "31,125 pairs of permuted genes".
    virtual std::string description() const = 0;
    /// Whether a backend computed it, from permuted genes.
    virtual bool isOfPermutations() const { return false; }
};

/// For ranks without ties and missing values (haveEvenRanks), so that all genes have the same marginal. Let B
/// be the weights of a rank in the bins, D the diagonal of their means, and λ the eigenvalues of D^(−1/2) E[B
/// Bᵀ] D^(−1/2) except the first, which is 1. Then 2 M ln 2 · I is asymptotically Σ_a Σ_b λ_a λ_b χ²₁: the
/// second-order expansion of I is the sum of squares of the standardised joint table, whose rows and columns
/// have these covariances. Throws UsageError as checkSplines does, and for fewer than two samples.
std::unique_ptr<InformationNull> rankNull(const SplineOptions& splines, std::size_t samples);

/// (1.062 − ln p) / (48.7 + 0.634 M) nats for M samples.
/// Source: the program ARACNE2, for its kernel estimator; A. A. Margolin et al., "Reverse engineering
/// cellular networks", Nature Protocols 1 (2006), 662–671.
std::unique_ptr<InformationNull> aracneNull(std::size_t samples);

/// How to measure a null distribution on permuted genes.
struct PermutationPlan {
    std::size_t pairs = 100000;
    std::uint64_t seed = 1;
    /// Draws samples of permuted genes with replacement, for comparison with bootstraps. Repeated samples
    /// look like dependence, and increase the estimate as much as halving the number of samples would.
    bool isResampled = false;
    /// Fills the gaps of the genes first (withoutGaps) and leaves out genes with fewer values than
    /// `fewestValues`. For comparison with standardised estimates, which are on the scale of all samples.
    bool fillsGaps = false;
    std::size_t fewestValues = 2;
};
/// Measures a null distribution pooled over all genes. Draws genes, permutes the samples of each separately,
/// and computes their mutual information like that of the data, on the same backend, until there are enough
/// pairs. Missing values are permuted along with the others. A P-value counts the data as one of the
/// permutations and is therefore never 0: B. Phipson, G. K. Smyth, "Permutation P-values should never be
/// zero", Stat. Appl. Genet. Mol. Biol. 9:39 (2010).
///
/// Throws InputError if fewer than two genes vary, and as computeMutualInformation does.
std::unique_ptr<InformationNull> permutationNull(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 const PermutationPlan& plan, Progress& progress);

/// Genes with at least two distinct values and at least `fewest` values, in order. Other genes carry no
/// information.
std::vector<std::size_t> varyingGenes(ExpressionView expression, std::size_t fewest = 2);

/// Whether the ranks of all genes have, practically exactly, the marginal that rankNull assumes: no value is
/// missing, and no gene has the same value in more than a fiftieth of its samples (two are always allowed).
/// Constant genes, whose information is 0, are ignored.
bool haveEvenRanks(ExpressionView expression);
/// The same for the present values of each gene: gaps do not matter.
bool haveFewTies(ExpressionView expression);

/// Puts the values into a random order.
template <class T>
void shuffle(std::span<T> values, RandomSequence& random) {
    for (std::size_t left = values.size(); left > 1; --left)
        std::swap(values[left - 1], values[random.below(left)]);
}

/// Rows `genes` of the expression (repetitions allowed), with the samples of each permuted separately.
Matrix<double> permutedGenes(ExpressionView expression, std::span<const std::size_t> genes,
                             std::uint64_t seed);

/// Rows `genes` of the expression. If a gene has gaps, all its samples are replaced by evenly spaced points
/// of the quantile function of its values (linearly interpolated), in ascending order. Permutations then have
/// as many values as for a gene without gaps, with the same distribution. Each gene must have a value.
Matrix<double> withoutGaps(ExpressionView expression, std::span<const std::size_t> genes);

/// The same number of samples, drawn with replacement; all genes use the same draw.
Matrix<double> bootstrapSample(ExpressionView expression, std::uint64_t seed);

}  // namespace glycine::mutualinfo
