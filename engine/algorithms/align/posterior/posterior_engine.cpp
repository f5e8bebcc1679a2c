#include "engine/algorithms/align/posterior/posterior_engine.hpp"

namespace glycine::align {

const std::vector<PosteriorEngineEntry>& posteriorEngineEntries() {
    static const std::vector<PosteriorEngineEntry> entries = [] {
        std::vector<PosteriorEngineEntry> all;
        all.push_back(reference::posteriorEngine());
        all.push_back(cpu::posteriorEngine());
        all.push_back(gl::posteriorEngine());
#ifdef GLYCINE_HAVE_CUDA
        all.push_back(cuda::posteriorEngine());
#endif
        return all;
    }();
    return entries;
}

Support supportsRequest(Backend& backend, const PosteriorRequest& request) {
    return glycine::supportsRequest("align", posteriorEngineEntries(), backend, request);
}

std::unique_ptr<PosteriorEngine> createPosteriorEngine(Backend& backend) {
    return createImplementation("align", posteriorEngineEntries(), backend);
}

}  // namespace glycine::align
