// The ceilings of a CUDA device: what is timed is computed.
#include <gtest/gtest.h>

#include "kernels_cuda/device/device_probes.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::cuda {
namespace {

TEST(DeviceProbes, ComputeWhatTheyAreTimedFor) {
    REQUIRE_BACKEND(backend);
    EXPECT_EQ(backend->pciBusId().size(), std::string("0000:00:00.0").size());
    for (const DeviceProbe& probe : deviceProbes(*backend)) {
        SCOPED_TRACE(probe.name);
        if (!probe.absent.empty()) continue;
        try {
            const DeviceProbe::Runner run = probe.start();
            for (const std::size_t portions : {std::size_t{1}, std::size_t{3}}) {
                const ProbeRun one = run(portions);  // throws what is wrong
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

}  // namespace
}  // namespace glycine::cuda
