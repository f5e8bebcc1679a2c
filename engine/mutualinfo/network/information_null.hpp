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

/// What mutual information independent genes are estimated to have, and from where on it means something; and
/// the matrices that are made of others by chance for it, the same for a seed on every machine.
namespace glycine::mutualinfo {

enum class NullModel {
    Permutation,  ///< measured on genes whose samples are permuted
    Analytic,     ///< of ranks: a mixture of chi-squared distributions
    Aracne,       ///< the constants that ARACNE prints, fitted for its own estimator
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
    /// P that a pair of independent genes reaches `bits`; does not increase with it.
    virtual double pValue(double bits) const = 0;
    /// The smallest number of bits whose P-value is at most p, 0 < p < 1. Throws UsageError where the
    /// distribution is not known so far out.
    virtual double threshold(double p) const = 0;
    /// For reports: "31,125 pairs of permuted genes".
    virtual std::string description() const = 0;
};

/// Of ranks without ties and without missing values (haveEvenRanks): all genes have the same marginal. With B
/// the weights of a rank in the bins, D the diagonal of their means, and λ the eigenvalues of D^(−1/2) E[B
/// Bᵀ] D^(−1/2) but the first (which is 1), 2 M ln 2 · I is asymptotically Σ_a Σ_b λ_a λ_b χ²₁: the expansion
/// of I to second order is the sum of squares of the standardised joint table, whose rows and columns have
/// these covariances. Throws UsageError as checkSplines, and for fewer than two samples.
std::unique_ptr<InformationNull> rankNull(const SplineOptions& splines, std::size_t samples);

/// (1.062 − ln p) / (48.7 + 0.634 M) nats for M samples.
/// Source: the program ARACNE2, for its kernel estimator; A. A. Margolin et al., "Reverse engineering
/// cellular networks", Nature Protocols 1 (2006), 662–671.
std::unique_ptr<InformationNull> aracneNull(std::size_t samples);

/// How many pairs of permuted genes a null distribution is made of.
struct PermutationPlan {
    std::size_t pairs = 100000;
    std::uint64_t seed = 1;
    /// Of permuted genes, samples are drawn with replacement: what bootstraps are to be held against. Samples
    /// that are there several times seem to depend on each other, and add as much as a half of the samples
    /// would.
    bool isResampled = false;
    /// Gaps of the genes are filled first (withoutGaps), those with fewer values left out: what standardised
    /// estimates are to be compared with, which are those of all samples.
    bool fillsGaps = false;
    std::size_t fewestValues = 2;
};
/// Pooled over all genes: some are drawn, the samples of each are permuted by themselves, and their mutual
/// information is computed as that of the data is, on the same backend, until there are enough pairs. Missing
/// values are permuted with the others. A P-value counts the data as one of the permutations, so that it is
/// never 0: B. Phipson, G. K. Smyth, "Permutation P-values should never be zero", Stat. Appl. Genet. Mol.
/// Biol. 9:39 (2010).
///
/// Throws InputError when fewer than two genes vary, and as computeMutualInformation.
std::unique_ptr<InformationNull> permutationNull(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 const PermutationPlan& plan, Progress& progress);

/// Genes with two different values, and with `fewest` values or more, in order: others have no information.
std::vector<std::size_t> varyingGenes(ExpressionView expression, std::size_t fewest = 2);

/// Whether the ranks of all genes have, as good as exactly, the marginal that rankNull is of: no value is
/// missing, and no gene has one value in more than a fiftieth of its samples (two are always allowed).
/// Constant genes, whose information is 0, do not count.
bool haveEvenRanks(ExpressionView expression);
/// The same of the values that each gene has: gaps are no matter.
bool haveFewTies(ExpressionView expression);

/// Brings what is there into a random order.
template <class T>
void shuffle(std::span<T> values, RandomSequence& random) {
    for (std::size_t left = values.size(); left > 1; --left)
        std::swap(values[left - 1], values[random.below(left)]);
}

/// The rows of `genes` (some may be there several times), the samples of each permuted by themselves.
Matrix<double> permutedGenes(ExpressionView expression, std::span<const std::size_t> genes,
                             std::uint64_t seed);

/// The rows of `genes`. Where a gene has gaps, all its samples become even points of the quantile function of
/// the values that it has (linear between these), in ascending order: as many values with its distribution
/// as a gene without gaps has, for permutations. Each has a value at least.
Matrix<double> withoutGaps(ExpressionView expression, std::span<const std::size_t> genes);

/// As many samples, drawn with replacement: the same ones for all genes.
Matrix<double> bootstrapSample(ExpressionView expression, std::uint64_t seed);

}  // namespace glycine::mutualinfo
