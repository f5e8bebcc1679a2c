#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Rank tests of whether samples come from one distribution; tied values share the mean of their ranks.
namespace glycine::statistics {

struct RankTest {
    double statistic = 0;  ///< H or U; NaN if the test is undefined
    double p = 1;          ///< two-sided; NaN if the test is undefined
};

/// Kruskal-Wallis: H corrected for ties, and p from the chi-squared distribution with k − 1 degrees of
/// freedom, where k samples have a value. NaN values are left out; infinite ones rank below or above all
/// others. The test is undefined if fewer than two samples have a value, or if all values are equal.
/// Source: W. H. Kruskal, W. A. Wallis, "Use of ranks in one-criterion variance analysis", J. Am. Stat.
/// Assoc. 47 (1952), 583–621.
RankTest kruskalWallis(std::span<const std::vector<double>> samples);

/// If both samples are smaller than this and have no ties, the Mann-Whitney p is exact: the rule of R's
/// wilcox.test.
inline constexpr std::size_t kExactMannWhitneyBelow = 50;

/// Mann-Whitney: U of the first sample is the number of pairs in which its value is larger; ties count one
/// half. p is twice the smaller tail, at most 1. It is exact for small samples without ties (see
/// kExactMannWhitneyBelow), otherwise from the normal approximation with corrections for ties and continuity.
/// NaN and infinite values are treated as in kruskalWallis. The test is undefined if a sample has no value,
/// or if all values are equal.
/// Source: H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is stochastically
/// larger than the other", Ann. Math. Stat. 18 (1947), 50–60.
RankTest mannWhitney(std::span<const double> first, std::span<const double> second);

/// Adjusted p-values (q) that control the false discovery rate: the k-th smallest of n p-values becomes the
/// minimum of n p / rank over ranks from k on. NaN stays NaN and does not count. Throws UsageError for any
/// other p outside 0 … 1.
/// Source: Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate: a practical and powerful
/// approach to multiple testing", J. R. Stat. Soc. B 57 (1995), 289–300.
std::vector<double> benjaminiHochberg(std::span<const double> p);

}  // namespace glycine::statistics
