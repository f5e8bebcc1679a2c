// The device: backend, probes, rates; alterations that simulate faults.
#include "engine/api/backends.hpp"
#include "engine/core/device_arrays.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/device_probes.hpp"
#include "kernels_cuda/device/faults.hpp"
#include "kernels_cuda/device/matrix_rate.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::cuda {
namespace {

// ---- Arrays allocated by other libraries.

TEST(DeviceArrays, AreReadFromTheDeviceAlone) {
    REQUIRE_BACKEND(backend);
    const std::unique_ptr<DeviceArrays> arrays = deviceArrays().create(*backend);
    std::vector<float> values(100'000);
    std::iota(values.begin(), values.end(), 1.0F);
    const DeviceBuffer<float> buffer = onDevice(*backend, values);
    std::vector<float> found(values.size() - 3);
    arrays->copyToHost(buffer.data() + 3, found.size() * sizeof(float), found.data());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), values.begin() + 3));
    EXPECT_THROW(arrays->copyToHost(values.data(), 4, found.data()), UsageError);
}

// ---- The cuda backend itself: its device, its memory, and the reasons for being unavailable.

TEST(CudaBackend, describesItsDevice) {
    REQUIRE_BACKEND(backend);
    EXPECT_EQ(backend->name(), "cuda");
    EXPECT_FALSE(backend->device().empty());
    EXPECT_THAT(backend->driver(), HasSubstr("CUDA driver"));
    std::vector<std::string> names;
    for (const Capability& limit : backend->capabilities().limits) names.push_back(limit.name);
    EXPECT_THAT(names,
                IsSupersetOf({"compute capability", "multiprocessors", "memory", "clock", "L2 cache"}));
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
        EXPECT_THAT(error.what(), MatchesRegex("an array needs 256.0 TiB of device memory, and .*iB are "
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
    EXPECT_THAT(reason, HasSubstr("NVIDIA driver"));
    EXPECT_THROW(backends.create("cuda", {}), UnavailableError);
    EXPECT_THROW(backends.listDevices("cuda"), UnavailableError);
}

// ---- The ceilings of a CUDA device: what is timed is really computed.

TEST(DeviceProbes, ComputeWhatTheyAreTimedFor) {
    REQUIRE_BACKEND(backend);
    EXPECT_EQ(backend->pciBusId().size(), std::string("0000:00:00.0").size());
    for (const DeviceProbe& probe : deviceProbes(*backend)) {
        SCOPED_TRACE(probe.name);
        if (!probe.absent.empty()) continue;
        try {
            const DeviceProbe::Runner run = probe.start();
            for (const std::size_t portions : {std::size_t{1}, std::size_t{3}}) {
                const ProbeRun one = run(portions);  // throws if a result is wrong
                EXPECT_GT(one.amount, 0);
                EXPECT_GT(one.seconds, 0);
                if (!probe.isTime()) continue;
                EXPECT_GE(one.amount, 512. * static_cast<double>(portions)) << "of batches";
                EXPECT_GT(one.least, 0);
                EXPECT_LE(one.least, one.seconds / one.amount * 1.001) << "the best of them";
            }
        } catch (const UnavailableError& error) {
            EXPECT_LT(backend->computeCapability(), 80) << error.what();
        }
    }
}

// ---- The ceiling of the device: the products are those of `mma`, and none is skipped.

TEST(MatrixRate, ProductsAreComputed) {
    REQUIRE_BACKEND(backend);
    if (backend->computeCapability() < 80) {
        EXPECT_EQ(matrixRate(*backend, MatrixNumbers::Float64), 0);
        GTEST_SKIP() << "no mma of these numbers before compute capability 8.0";
    }
    // 4 products of 16 × 8 elements, each with terms of 2⁻⁶: sums are exact.
    for (const unsigned rounds : {1U, 100U}) {
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Float64, rounds), 4 * 128 * rounds * 16 / 64.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Tf32, rounds), 4 * 128 * rounds * 8 / 64.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Float16, rounds), 4 * 128 * rounds * 16 / 64.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Int8, rounds), 4 * 128 * rounds * 32.0);
        EXPECT_EQ(matrixSum(*backend, MatrixNumbers::Bits, rounds), 4 * 128 * rounds * 256.0);
        for (const auto numbers : {MatrixNumbers::Float64, MatrixNumbers::Tf32, MatrixNumbers::Float16,
                                   MatrixNumbers::Int8, MatrixNumbers::Bits}) {
            EXPECT_EQ(matrixSum(*backend, numbers, rounds), expectedMatrixSum(numbers, rounds));
            // By warpgroups: 2 of them × 128 × 128 sums, with depths that fill 64 bytes.
            const auto sum = warpgroupSum(*backend, numbers, rounds);
            if (!sum) continue;
            EXPECT_EQ(sum->found, sum->expected);
            const double depth = numbers == MatrixNumbers::Tf32      ? 16
                                 : numbers == MatrixNumbers::Float16 ? 32
                                 : numbers == MatrixNumbers::Int8    ? 64
                                                                     : 512;
            EXPECT_EQ(sum->expected, 2 * 128 * 128 * depth * rounds);
        }
    }
    const double fp16 = matrixRate(*backend, MatrixNumbers::Float16);
    const double tf32 = matrixRate(*backend, MatrixNumbers::Tf32);
    EXPECT_GT(tf32, 1000);
    EXPECT_GT(fp16, tf32 * 1.2) << "half as many bits";
    EXPECT_GT(matrixRate(*backend, MatrixNumbers::Float64), 1);
}

// ---- Arrays written by a kernel in a build with faults; needs no device.

/// A copy of `after`, altered where it differs from `before`.
template <class T>
std::vector<T> alteredCopy(const std::string& kind, const std::vector<T>& before, std::vector<T> after,
                           std::size_t* altered = nullptr, std::uint64_t seed = 0) {
    const Alteration one = alterChanged({"", kind, seed}, std::as_bytes(std::span(before)),
                                        std::as_writable_bytes(std::span(after)));
    if (altered != nullptr) *altered = one.altered;
    return after;
}

TEST(FaultAlteration, ReadsWhatItShallDo) {
    const std::optional<Fault> fault = Fault::parse("a::kernel<float>:seldom-0.1:17");
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kernel, "a::kernel<float>");
    EXPECT_EQ(fault->kind, "seldom-0.1");
    EXPECT_EQ(fault->seed, 17u);
    EXPECT_FALSE(fault->target());
    EXPECT_EQ(Fault::parse("kernel:target-2:1")->target(), 2u);
    for (const char* wrong :
         {"", "list", "kernel:zeroed", "kernel:zeroed:x", ":zeroed:1", "kernel:zeroed:1x"})
        EXPECT_FALSE(Fault::parse(wrong)) << wrong;
}

TEST(FaultAlteration, TakesElementsForWhatTheyLookLike) {
    EXPECT_THAT(alteredCopy<float>("scaled", {0, 0, 0, 0}, {1, 0, 2, -4}),
                ElementsAre(1.05f, 0.0f, 2 * 1.05f, -4 * 1.05f));
    EXPECT_THAT(alteredCopy<double>("shifted", {0, 0, 0}, {0.1, 0, 1.0 / 3}),
                ElementsAre(0.1 + 1, 0, 1.0 / 3 + 1));
    EXPECT_THAT(alteredCopy<std::int32_t>("halved", {0, 0, 0, 0}, {10, 0, -6, 3}), ElementsAre(5, 0, -3, 1));
    EXPECT_THAT(alteredCopy<std::int32_t>("scaled", {0, 0, 0}, {1, 100, -100}), ElementsAre(2, 105, -105));
}

TEST(FaultAlteration, LeavesWhatTheKernelHasNotChanged) {
    std::size_t altered = 7;
    EXPECT_THAT(alteredCopy<float>("zeroed", {1, 2, 3}, {1, 2, 3}, &altered), ElementsAre(1, 2, 3));
    EXPECT_EQ(altered, 0u);
    EXPECT_THAT(alteredCopy<float>("zeroed", {1, 2, 3}, {1, 5, 3}, &altered), ElementsAre(1, 0, 3));
    EXPECT_EQ(altered, 1u);
}

TEST(FaultAlteration, ExchangesNeighbours) {
    EXPECT_THAT(alteredCopy<float>("swapped", {0, 0, 9, 0, 0}, {1, 2, 9, 3, 4}), ElementsAre(2, 1, 9, 4, 3));
}

TEST(FaultAlteration, HitsThePartThatItNames) {
    constexpr std::size_t kCount = 100'000;
    const std::vector<std::int32_t> before(kCount, 0);
    std::vector<std::int32_t> after(kCount);
    std::iota(after.begin(), after.end(), 1);
    const auto share = [&](const std::string& kind) {
        std::size_t altered = 0;
        const std::vector<std::int32_t> found = alteredCopy(kind, before, after, &altered, 3);
        std::size_t differing = 0;
        for (std::size_t i = 0; i < kCount; ++i) differing += found[i] != after[i] ? 1 : 0;
        EXPECT_EQ(altered, differing) << kind;
        return static_cast<double>(differing) / kCount;
    };
    EXPECT_DOUBLE_EQ(share("lane"), 0.25);
    EXPECT_NEAR(share("column"), 1.0 / 32, 1e-4);
    EXPECT_NEAR(share("tile"), 1.0 / 16, 1e-4);
    EXPECT_NEAR(share("seldom-1"), 0.01, 0.002);
    EXPECT_NEAR(share("seldom-0.1"), 0.001, 0.0006);
    for (const char* kind : {"scaled", "halved", "shifted", "nudged", "swapped", "zeroed", "target-0"})
        EXPECT_GT(share(kind), 0.99) << kind;
}

}  // namespace
}  // namespace glycine::cuda
