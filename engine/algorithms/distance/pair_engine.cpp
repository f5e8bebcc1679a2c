#include "engine/algorithms/distance/pair_engine.hpp"

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
    PairRequest request;
    request.variant = variant;
    request.isCoordinates = data.isCoordinates();
    if (data.isCoordinates()) {
        request.instances = data.instances();
        request.attributes = data.attributes();
    } else {
        request.shape = data.discrete->shape();
        request.needs = needs;
    }
    return request;
}

Support supportsRequest(Backend& backend, const PairRequest& request) {
    return glycine::supportsRequest("distance", pairEngineEntries(), backend, request);
}

}  // namespace glycine::distance
