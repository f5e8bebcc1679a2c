#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"

/// Cluster-based permutation tests: whether two groups, or two conditions of the same subjects, differ
/// anywhere, with one error rate for all elements.
namespace glycine::statistics {

struct ClusterOptions {
    double elementAlpha = 0.05;        ///< two-sided level of the t of an element that may be in a cluster
    std::size_t permutations = 10000;  ///< all of them where there are no more
    std::uint64_t seed = 1;
};

/// Neighbours whose t lie beyond the threshold on one side.
struct Cluster {
    std::vector<std::size_t> elements;  ///< in ascending order
    double mass = 0;                    ///< sum of their t
    double p = 1;  ///< share of the permutations with a mass at least as large on any side
};

struct ClusterTest {
    std::vector<double> t;  ///< one an element; 0 where a group has fewer than two values, or all are equal
    /// One an element: Hedges' g, the standardised difference of the means less its bias; paired, the mean
    /// difference by the deviation of the differences. NaN where t is 0 for want of values.
    std::vector<double> effect;
    double threshold = 0;           ///< of |t|
    std::vector<Cluster> clusters;  ///< the largest mass first
    std::size_t permutations = 0;   ///< that were made, the data themselves included
    bool isComplete = false;        ///< these are all that there are
};

/// `values`: subjects × elements, NaN where undefined; `isFirst`: one a subject, whether it is of the first
/// group. Paired: subject k of the first group, in the order of the rows, belongs to the k-th of the second.
/// `neighbours`: one list an element, symmetric. t is Student's with pooled variances, or of the differences;
/// its sign is that of the first group less the second. Permutations exchange subjects between groups, or the
/// two conditions of subjects, and p counts the data as one of them, so that it is never 0; what is compared
/// is the largest |mass| of each, which makes the test two-sided.
///
/// Throws UsageError for groups of fewer than two subjects, paired ones of different size, and lists that are
/// not of these elements.
/// Sources: E. Maris, R. Oostenveld, "Nonparametric statistical testing of EEG- and MEG-data", J. Neurosci.
/// Methods 164 (2007), 177–190; L. V. Hedges, "Distribution theory for Glass's estimator of effect size", J.
/// Educ. Stat. 6 (1981), 107–128.
ClusterTest clusterTest(MatrixView<const double> values, const std::vector<bool>& isFirst, bool isPaired,
                        const std::vector<std::vector<std::size_t>>& neighbours,
                        const ClusterOptions& options);

}  // namespace glycine::statistics
