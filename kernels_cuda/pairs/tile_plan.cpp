#include "kernels_cuda/pairs/tile_plan.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/pairs/operand_source.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

namespace glycine::pairs::cuda {

namespace {

/// Sides of pieces. Beyond the largest, nothing gets faster; results of one kind take 256 MiB there.
constexpr std::size_t kMostSide = 8192;
constexpr std::size_t kLeastSide = 252;  ///< padded, just one tile of every kernel
/// Below this, operands are rather streamed than kept: small pieces leave a large device idle.
constexpr std::size_t kUsefulSide = 1024;

constexpr std::size_t kMostStaging = std::size_t(128) << 20;
/// Both buffers of a streamed piece.
constexpr std::size_t kMostBlocks = std::size_t(1) << 30;

constexpr std::size_t kWordBytes = 4;

/// The largest power of two up to `most`, or kLeastSide, for which bytes(side) ≤ available; 0 when there is
/// none.
template <class Bytes>
std::size_t largestSide(std::size_t most, std::size_t available, const Bytes& bytes) {
    for (std::size_t side = most; side > kLeastSide; side /= 2)
        if (bytes(side) <= available) return side;
    return bytes(kLeastSide) <= available ? kLeastSide : 0;
}

}  // namespace

std::size_t paddedSide(std::size_t count) {
    constexpr std::size_t mostShift = 3;
    return roundUp(count + mostShift, glycine::cuda::kPairPadding);
}

std::size_t residentStride(std::size_t instances) {
    return paddedSide(instances) + glycine::cuda::kPairPadding;
}

TilePlan planTiles(const TileDemand& demand, std::size_t available) {
    std::size_t most = 256;
    while (most < kMostSide && most < demand.instances) most *= 2;
    const std::size_t wordOfInstance = demand.planes * kWordBytes;
    const std::size_t leastStaging = wordOfInstance * OperandSource::kWordStep;

    TilePlan plan;
    // A load takes one instance at least, and a step of its words.
    plan.stagingBytes = std::max(leastStaging, std::min(kMostStaging, available / 8));
    const std::size_t taken =
        residentStride(demand.instances) * demand.words * wordOfInstance + plan.stagingBytes;
    if (taken < available) {
        plan.available = available - taken;
        plan.side = largestSide(most, plan.available, [&](std::size_t side) {
            return demand.bytes(paddedSide(side), plan.available);
        });
        plan.isResident = plan.side >= std::min(demand.instances, kUsefulSide);
        if (plan.isResident) return plan;
    }

    // Two buffers of blocks, each for the rows and the columns of a piece.
    const std::size_t words = std::min(demand.words, OperandSource::kWordStep);
    const auto blockBytes = [&](std::size_t side, std::size_t count) {
        return 4 * paddedSide(side) * count * wordOfInstance;
    };
    const auto leftFor = [&](std::size_t side) {
        const std::size_t operands = plan.stagingBytes + blockBytes(side, words);
        return operands < available ? available - operands : 0;
    };
    const std::size_t forResults = available / 2;
    plan.side = largestSide(most, forResults, [&](std::size_t side) {
        return leftFor(side) < forResults ? forResults + 1 : demand.bytes(paddedSide(side), forResults);
    });
    if (plan.side == 0) {
        plan.needed = plan.stagingBytes + blockBytes(kLeastSide, words) +
                      2 * demand.bytes(paddedSide(kLeastSide), forResults);
        return plan;
    }
    plan.available = forResults;
    const std::size_t room = std::min(
        kMostBlocks, available - plan.stagingBytes - demand.bytes(paddedSide(plan.side), forResults));
    plan.blockWords =
        std::min(demand.words, std::max(words, room / blockBytes(plan.side, 1) / words * words));
    return plan;
}

std::size_t suitableTile(const TilePlan& plan, std::size_t instances) {
    const std::size_t side = std::max(plan.side, kLeastSide);
    if (instances == 0 || instances <= side) return side;
    const std::size_t tiles = (instances + side - 1) / side;
    return std::min(side, roundUp((instances + tiles - 1) / tiles, glycine::cuda::kPairPadding));
}

}  // namespace glycine::pairs::cuda
