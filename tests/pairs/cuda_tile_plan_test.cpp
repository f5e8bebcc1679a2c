#include "kernels_cuda/pairs/tile_runner.hpp"
#include "tests/test.hpp"

namespace glycine::pairs::cuda {
namespace {

TEST(TilePlan, keepsOperandsWhereTheyFitAndStreamsThemElse) {
    const auto bytes = [](std::size_t side, std::size_t) { return 4 * side * side; };
    for (const std::size_t instances : {1, 300, 20000, 500000}) {
        for (const std::size_t words : {1, 100, 31250}) {
            std::size_t least = 0;
            for (std::size_t available = 1 << 12; available < std::size_t(1) << 40; available *= 2) {
                const TilePlan plan = planTiles({instances, words, 3, bytes}, available);
                if (plan.side == 0) {
                    EXPECT_EQ(least, 0U) << "more memory is never refused";
                    EXPECT_GT(plan.needed, available);
                    continue;
                }
                least = std::max(least, available);
                const std::size_t side = paddedSide(plan.side);
                const std::size_t operands = plan.isResident ? residentStride(instances) * words * 3 * 4
                                                             : side * plan.blockWords * 2 * 2 * 3 * 4;
                EXPECT_LE(operands + plan.stagingBytes + bytes(side, 0), available);
                EXPECT_GT(plan.isResident ? words : plan.blockWords, 0U);
                EXPECT_LE(plan.side, 8192U);
            }
            EXPECT_GT(least, 0U);
            EXPECT_TRUE(planTiles({instances, words, 3, bytes}, std::size_t(1) << 41).isResident);
        }
    }
}

TEST(TilePlan, makesEqualTiles) {
    TilePlan plan;
    plan.side = 8192;
    EXPECT_EQ(suitableTile(plan, 0), 8192U);
    EXPECT_EQ(suitableTile(plan, 100), 8192U);
    EXPECT_EQ(suitableTile(plan, 8193), 4352U);
    EXPECT_EQ(suitableTile(plan, 20000), 6912U);
}

}  // namespace
}  // namespace glycine::pairs::cuda
