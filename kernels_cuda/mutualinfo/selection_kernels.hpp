#pragma once

#include "kernels_cuda/device/launch.hpp"

/// Kernel launches for MRNET's greedy selection.
namespace glycine::cuda {

struct SelectionTask {
    MatrixOnDevice<const double> information;  ///< of all genes; NaN: unknown
    MatrixOnDevice<double> relevance;          ///< targets × genes: −∞ if the gene is no candidate;
                                               ///< overwritten
    MatrixOnDevice<double> sums;               ///< scratch of the same size
    MatrixOnDevice<double> scores;             ///< result of the same size, see mutualinfo::SelectionRun
    unsigned targets;
    unsigned genes;
    unsigned selections;
    double unknown;
};
void launchSelection(const Launch& launch, const SelectionTask& task);

}  // namespace glycine::cuda
