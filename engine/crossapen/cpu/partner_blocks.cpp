#include "engine/crossapen/cpu/partner_blocks.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen::cpu {

std::vector<PartnerBlock> splitPartner(std::size_t samples, std::size_t m, std::size_t unit,
                                       std::size_t maximum) {
    const std::size_t longTotal = samples - m;
    const std::size_t count = (longTotal + maximum - m - 1) / (maximum - m);
    const std::size_t share = (longTotal + count - 1) / count + m;
    const std::size_t size = std::min(maximum, roundUp(share, unit));
    std::vector<PartnerBlock> blocks;
    std::size_t first = 0;
    // Blocks overlap by m samples: the long templates of one end where the next begins.
    for (; samples - first > size; first += size - m) blocks.push_back({first, size, size - m});
    blocks.push_back({first, samples - first, samples - first - m + 1});
    return blocks;
}

}  // namespace glycine::crossapen::cpu
