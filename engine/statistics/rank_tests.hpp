#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Tests of whether samples come from one distribution, by ranks; tied values share the mean of their ranks.
namespace glycine::statistics {

struct RankTest {
    double statistic = 0;  ///< H or U; NaN where the test says nothing
    double p = 1;          ///< two-sided; NaN where the test says nothing
};

/// Kruskal-Wallis: H with the correction for ties, p from the chi-squared distribution with k − 1 degrees of
/// freedom, k: samples that have a value. NaN values are left out, infinite ones rank before or behind all
/// others; the test says nothing when fewer than two samples have a value, or when all values are equal.
/// Source: W. H. Kruskal, W. A. Wallis, "Use of ranks in one-criterion variance analysis", J. Am. Stat.
/// Assoc. 47 (1952), 583–621.
RankTest kruskalWallis(std::span<const std::vector<double>> samples);

/// Samples below this size, both of them and without ties, have an exact Mann-Whitney p: the rule of R's
/// wilcox.test.
inline constexpr std::size_t kExactMannWhitneyBelow = 50;

/// Mann-Whitney: U of the first sample, the number of pairs in which its value is the larger one, ties
/// counted half. p is twice the smaller tail, at most 1: exact for small samples without ties (see
/// kExactMannWhitneyBelow), else from the normal approximation with corrections for ties and continuity. NaN
/// and infinite values as in kruskalWallis; the test says nothing when a sample has no value, or when all
/// values are equal.
/// Source: H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is stochastically
/// larger than the other", Ann. Math. Stat. 18 (1947), 50–60.
RankTest mannWhitney(std::span<const double> first, std::span<const double> second);

/// Adjusted p-values (q) that control the false discovery rate: of n p-values the k-th smallest becomes the
/// smallest of n p / rank from rank k on. NaN stays NaN and does not count. Throws UsageError
/// for another p that is not in 0 … 1.
/// Source: Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate: a practical and powerful
/// approach to multiple testing", J. R. Stat. Soc. B 57 (1995), 289–300.
std::vector<double> benjaminiHochberg(std::span<const double> p);

}  // namespace glycine::statistics
