#pragma once

#include "engine/core/compiled_kernels.hpp"

namespace glycine::cuda {

/// Output of `nvcc --resource-usage` for the kernels of publications; empty if the build has no machine code.
/// Generated (cmake/WriteKernelResources.cmake).
const char* printedKernelResources();

/// The same kernels by variant, with blocks as their launches have them; those of Cross-ApEn for m = 1 and
/// float32, as MatchEngine::kernelOf.
CompiledKernels printedKernels();

/// Share of a multiprocessor's threads that blocks of these threads can keep resident; 0 for an architecture
/// whose limits are not known here. `target`: "sm_90".
double occupancyOf(const std::string& target, unsigned threads, unsigned registers, std::size_t sharedBytes);

}  // namespace glycine::cuda
