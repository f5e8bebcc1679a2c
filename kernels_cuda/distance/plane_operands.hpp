#pragma once

#include <memory>

#include "engine/distance/discrete_data.hpp"
#include "kernels_cuda/pairs/operand_source.hpp"

namespace glycine::distance::cuda {

/// The bit planes of discrete data. `source` outlives the result.
std::unique_ptr<pairs::cuda::OperandSource> planesOf(const DiscreteSource& source);

}  // namespace glycine::distance::cuda
