// Kernels of publications, as this build compiled them.
#include "kernels_cuda/printed_kernels.hpp"

#include "engine/crossapen/entropy_engine.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::cuda {
namespace {

TEST(PrintedKernels, AreKnownWithoutADevice) {
    const CompiledKernels kernels = printedKernels();
    const std::string target = GLYCINE_NEWEST_MACHINE_CODE;
    EXPECT_EQ(kernels.target, target);
    EXPECT_EQ(kernels.reason.empty(), !target.empty());
    if (target.empty()) {
        EXPECT_TRUE(kernels.variants.empty());
        return;
    }
    std::vector<std::string> variants;
    for (const auto& [variant, use] : kernels.variants) {
        variants.push_back(variant);
        EXPECT_EQ(use.threads, 256U) << variant;
        EXPECT_GE(use.registers, 8U) << variant;
        EXPECT_LE(use.registers, 255U) << variant;
    }
    EXPECT_THAT(variants,
                ElementsAre("calculatematrix", "calculatematrix-resident", "halo", "registers", "shifted"));
    EXPECT_EQ(kernels.variants.at("halo").sharedBytes, 2U * (1 + 256) * sizeof(float));
    EXPECT_EQ(kernels.variants.at("shifted").sharedBytes, 4U * 256 * sizeof(float));
}

TEST(PrintedKernels, AreCountedAsTheDriverCountsThem) {
    REQUIRE_BACKEND(backend);
    const CompiledKernels kernels = printedKernels();
    const std::string target = fmt::format("sm_{}", backend->computeCapability());
    if (kernels.target != target) GTEST_SKIP() << "no code for " << target;
    const auto matching = createImplementation<crossapen::MatchEngine>(*backend);
    const auto aligning = createImplementation<pairwise::PairwiseEngine>(*backend);
    for (const auto& [variant, use] : kernels.variants) {
        const auto counted = variant.starts_with("calculate")
                                 ? aligning->kernelOf(fromString<pairwise::Variant>(variant))
                                 : matching->kernelOf(fromString<crossapen::Variant>(variant));
        ASSERT_TRUE(counted) << variant;
        EXPECT_EQ(use.facts(variant), counted->facts(variant)) << variant;
    }
}

// Figures of the occupancy calculator in the CUDA toolkit.
TEST(PrintedKernels, OccupancyComesFromTheLimitsOfAMultiprocessor) {
    EXPECT_EQ(occupancyOf("sm_90", 256, 32, 0), 1);
    EXPECT_EQ(occupancyOf("sm_90", 256, 40, 0), 0.75) << "1,280 registers a warp: 12 a partition";
    EXPECT_EQ(occupancyOf("sm_75", 256, 40, 0), 1) << "32 warps are all that it has";
    EXPECT_EQ(occupancyOf("sm_90", 32, 32, 0), 0.5) << "32 blocks of a warp";
    EXPECT_EQ(occupancyOf("sm_90", 256, 32, 59'392), 0.375) << "three blocks of 58 KiB and 1 in 228";
    EXPECT_EQ(occupancyOf("sm_86", 256, 255, 0), 256.0 / 1536);
    EXPECT_EQ(occupancyOf("sm_999", 256, 32, 0), 0) << "unknown";
}

}  // namespace
}  // namespace glycine::cuda
