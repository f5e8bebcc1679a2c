#include "engine/algorithms/distance/pair_engine.hpp"

#include <fmt/format.h>

#include <limits>

namespace glycine::distance {

const std::vector<PairEngineEntry>& pairEngineEntries() {
    static const std::vector<PairEngineEntry> entries = [] {
        std::vector<PairEngineEntry> all;
        all.push_back(reference::engine());
        all.push_back(cpu::engine());
        all.push_back(gl::engine());
#ifdef GLYCINE_HAVE_CUDA
        all.push_back(cuda::engine());
#endif
        return all;
    }();
    return entries;
}

std::unique_ptr<PairEngine> createPairEngine(Backend& backend) {
    return createImplementation("distance", pairEngineEntries(), backend);
}

PairRequest requestFor(const DataView& data, CountNeeds needs, Variant variant) {
    if (data.isCoordinates())
        return {.variant = variant,
                .isCoordinates = true,
                .shape = {.instances = data.instances(), .attributes = data.attributes()}};
    return {.variant = variant, .shape = data.discrete->shape(), .needs = needs};
}

Support supportsRequest(Backend& backend, const PairRequest& request) {
    return glycine::supportsRequest("distance", pairEngineEntries(), backend, request);
}

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
