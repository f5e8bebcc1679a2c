#pragma once

#include "kernels_cuda/device/launch.hpp"

/// Kernel launches for products of rows.
namespace glycine::cuda {

struct RowProducts {
    MatrixOnDevice<const double> rows;     ///< genes × samples
    MatrixOnDevice<const double> columns;  ///< the same
    MatrixOnDevice<double> products;       ///< of each row with each column
    unsigned rowCount;
    unsigned columnCount;
    unsigned samples;
    bool adds;  ///< adds to existing products instead of overwriting them
};
void launchRowProducts(const Launch& launch, const RowProducts& task);

}  // namespace glycine::cuda
