#include "engine/algorithms/distance/pair_support.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace glycine::distance {

Support supportsCounts(const PairRequest& request) {
    if (request.isCoordinates) return Support::yes();
    const DiscreteShape& shape = request.shape;
    constexpr std::size_t kMostAttributes = std::numeric_limits<std::uint32_t>::max();
    if (shape.attributes > kMostAttributes)
        return Support::no(fmt::format("counts are 32 bits wide: at most {} attributes; the data have {}",
                                       kMostAttributes, shape.attributes));
    if (request.needs.opposite && !shape.isGenotypes)
        return Support::no("opposite homozygotes are counted among genotypes only");
    return Support::yes();
}

}  // namespace glycine::distance
