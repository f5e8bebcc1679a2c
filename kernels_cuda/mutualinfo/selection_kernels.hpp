#pragma once

#include "kernels_cuda/device/launch.hpp"

/// Launches of MRNET's greedy selection.
namespace glycine::cuda {

struct SelectionTask {
    MatrixOnDevice<const double> information;  ///< of all genes; NaN: not known
    MatrixOnDevice<double> relevance;          ///< targets × genes: −∞ for no candidate; overwritten
    MatrixOnDevice<double> sums;               ///< the same size, for what is added up
    MatrixOnDevice<double> scores;             ///< the same size: what is found, see mutualinfo::SelectionRun
    unsigned targets;
    unsigned genes;
    unsigned selections;
    double unknown;
};
void launchSelection(const Launch& launch, const SelectionTask& task);

}  // namespace glycine::cuda
