#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"

/// Cluster-based permutation tests: whether two groups, or two conditions of the same subjects, differ
/// anywhere, with one error rate over all elements.
namespace glycine::statistics {

struct ClusterOptions {
    double elementAlpha = 0.05;        ///< two-sided level that an element's t must reach to join a cluster
    std::size_t permutations = 10000;  ///< all permutations, if there are no more
    std::uint64_t seed = 1;
};

/// Neighbouring elements whose t exceed the threshold on the same side.
struct Cluster {
    std::vector<std::size_t> elements;  ///< in ascending order
    double mass = 0;                    ///< sum of their t
    double p = 1;  ///< share of the permutations whose largest mass on any side is at least as large
};

struct ClusterTest {
    std::vector<double> t;  ///< one per element; 0 if a group has fewer than two values, or all are equal
    /// One per element: Hedges' g, the standardised difference of the means corrected for bias. Paired: the
    /// mean difference divided by the standard deviation of the differences. NaN if t is 0 for lack of
    /// values.
    std::vector<double> effect;
    double threshold = 0;           ///< threshold of |t|
    std::vector<Cluster> clusters;  ///< largest mass first
    std::size_t permutations = 0;   ///< permutations made, including the data themselves
    bool isComplete = false;        ///< these are all possible permutations
};

/// `values`: subjects × elements, NaN if undefined. `isFirst`: per subject, whether it belongs to the first
/// group. Paired: subject k of the first group, in row order, is paired with the k-th of the second.
/// `neighbours`: one list per element, symmetric.
///
/// t is Student's t with pooled variances, or the t of the differences; its sign is that of first group minus
/// second. Permutations exchange subjects between groups, or the two conditions of a subject. p counts the
/// data as one permutation, so it is never 0. Each permutation contributes its largest |mass|, which makes
/// the test two-sided.
///
/// Throws UsageError for groups of fewer than two subjects, paired groups of different sizes, and lists that
/// do not match the elements.
/// Sources: E. Maris, R. Oostenveld, "Nonparametric statistical testing of EEG- and MEG-data", J. Neurosci.
/// Methods 164 (2007), 177–190; L. V. Hedges, "Distribution theory for Glass's estimator of effect size", J.
/// Educ. Stat. 6 (1981), 107–128.
ClusterTest clusterTest(MatrixView<const double> values, const std::vector<bool>& isFirst, bool isPaired,
                        const std::vector<std::vector<std::size_t>>& neighbours,
                        const ClusterOptions& options);

}  // namespace glycine::statistics
