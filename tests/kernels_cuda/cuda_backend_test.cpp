// The cuda backend itself: its device, its memory, and why it is not there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/api/backends.hpp"
#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::cuda {
namespace {

TEST(CudaBackend, describesItsDevice) {
    REQUIRE_BACKEND(backend);
    EXPECT_EQ(backend->name(), "cuda");
    EXPECT_FALSE(backend->device().empty());
    EXPECT_THAT(backend->driver(), testing::HasSubstr("CUDA driver"));
    std::vector<std::string> names;
    for (const Capability& limit : backend->capabilities().limits) names.push_back(limit.name);
    EXPECT_THAT(names, testing::IsSupersetOf(
                           {"compute capability", "multiprocessors", "memory", "clock", "L2 cache"}));
}

TEST(CudaBackend, refusesAnUnknownDevice) {
    REQUIRE_BACKEND(backend);
    BackendOptions options;
    options.device = 1000;
    EXPECT_THROW(CudaBackend{options}, UsageError);
}

TEST(CudaBackend, keepsToTheMemoryLimit) {
    REQUIRE_BACKEND(backend, 1 << 20);
    EXPECT_EQ(backend->memory().available(), std::size_t(1) << 20);
    const DeviceBuffer<float> half(backend->memory(), 1 << 17);
    EXPECT_EQ(backend->memory().available(), std::size_t(1) << 19);
    try {
        DeviceBuffer<float>(backend->memory(), 3 << 16);
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_STREQ(
            error.what(),
            "an array needs 768.0 KiB of device memory, and 512.0 KiB are free of the limit of 1.0 MiB");
    }
}

TEST(CudaBackend, arraysLargerThanTheDeviceAreRefusedWithBothFigures) {
    REQUIRE_BACKEND(backend);
    try {
        DeviceBuffer<float>(backend->memory(), std::size_t{1} << 46);
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(),
                    testing::MatchesRegex("an array needs 256.0 TiB of device memory, and .*iB are "
                                          "free of .*iB: cudaMalloc failed: .*"));
    }
}

TEST(CudaBackend, saysWhyItIsNotThere) {
    registerBackends();
    BackendRegistry& backends = BackendRegistry::instance();
    std::string reason;
    if (test::makeBackend(reason)) {
        EXPECT_FALSE(backends.listDevices("cuda").empty());
        GTEST_SKIP() << "there is an NVIDIA driver";
    }
    EXPECT_THAT(reason, testing::HasSubstr("NVIDIA driver"));
    EXPECT_THROW(backends.create("cuda", {}), UnavailableError);
    EXPECT_THROW(backends.listDevices("cuda"), UnavailableError);
}

}  // namespace
}  // namespace glycine::cuda
