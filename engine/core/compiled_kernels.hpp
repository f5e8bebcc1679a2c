#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/kernel_use.hpp"

namespace glycine {

/// What ptxas reports of one kernel.
struct CompiledResources {
    std::string entry;   ///< mangled name
    std::string target;  ///< "sm_90"
    unsigned registers = 0;
    std::size_t sharedBytes = 0;  ///< static shared memory of a block
};
/// Reads the output of `nvcc --resource-usage`, in its order; skips everything else in it.
std::vector<CompiledResources> readResourceUsage(std::string_view output);

/// Kernels that published claims refer to, as they were compiled, for machines without the device.
struct CompiledKernels {
    std::string target;                         ///< "sm_90"
    std::map<std::string, KernelUse> variants;  ///< an occupancy of 0 is unknown
    std::string reason;                         ///< why there are none
};
/// By name of the backend. Modules of backends add theirs when they are loaded.
std::map<std::string, std::function<CompiledKernels()>, std::less<>>& compiledKernels();

}  // namespace glycine
