#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/mutualinfo/network_options.hpp"

namespace glycine::mutualinfo {

/// The null distribution that --pvalue goes by: the one that was asked for, or the one that suits the data.
/// Adds what makes it doubtful to `warnings`. Throws UsageError where it cannot be had.
std::unique_ptr<InformationNull> nullDistribution(Backend& backend, ExpressionView expression,
                                                  const NetworkOptions& options,
                                                  std::vector<std::string>& warnings, Progress& progress);

/// The one of permuted genes; `isResampled`: of their bootstraps. Throws UsageError for a P that takes more
/// pairs than anybody would wait for without having said so.
std::unique_ptr<InformationNull> permutedNull(Backend& backend, ExpressionView expression,
                                              const NetworkOptions& options, bool isResampled,
                                              Progress& progress);

}  // namespace glycine::mutualinfo
