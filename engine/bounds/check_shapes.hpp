#pragma once

#include "engine/bounds/bounds.hpp"

/// Inside the algorithm: the part of checkSmoothing that costs nothing.
namespace glycine::bounds {

/// Throws InputError and UsageError for matrices whose shapes or memory do not fit.
void checkShapes(const AnyBoundMatrices& matrices);

}  // namespace glycine::bounds
