#pragma once

#include <cuda_runtime.h>

/// Checked calls, for internal use in this folder.
namespace glycine::cuda {

/// Throws DeviceError naming the call and CUDA's reason unless `status` is cudaSuccess. `call` is the source
/// text of the call; only the function's name is shown.
void check(cudaError_t status, const char* call);

/// Throws DeviceError naming `kernel` if its launch failed.
void checkLaunch(const char* kernel);

}  // namespace glycine::cuda

#define GLYCINE_CUDA(call) ::glycine::cuda::check((call), #call)
