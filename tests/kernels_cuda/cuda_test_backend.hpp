#pragma once

#include "engine/api/backends.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "tests/test.hpp"

/// CUDA backend for tests.
namespace glycine::test {

/// The backend, or null with the reason. Loads its module.
inline std::unique_ptr<cuda::CudaBackend> makeBackend(std::string& reason, std::size_t maxDeviceBytes = 0) {
    BackendOptions options;
    options.maxDeviceBytes = maxDeviceBytes;
    registerBackends();
    BackendRegistry::instance().loadAll();
    try {
        return std::make_unique<cuda::CudaBackend>(options);
    } catch (const UnavailableError& error) {
        reason = error.what();
        return nullptr;
    }
}

}  // namespace glycine::test

/// `REQUIRE_BACKEND(backend)` or `REQUIRE_BACKEND(backend, maxDeviceBytes)` defines a variable `backend`;
/// skips the test if it is unavailable.
#define REQUIRE_BACKEND(name, ...)                                               \
    std::string name##Reason;                                                    \
    const auto name = ::glycine::test::makeBackend(name##Reason, ##__VA_ARGS__); \
    if (!name) GTEST_SKIP() << name##Reason
