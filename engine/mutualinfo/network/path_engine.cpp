#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo {

const std::vector<PathEngineEntry>& pathEngineEntries() {
    static const std::vector<PathEngineEntry> entries = [] {
        std::vector<PathEngineEntry> all;
        all.push_back(reference::pathEngine());
        all.push_back(cpu::pathEngine());
        all.push_back(gl::pathEngine());
#ifdef GLYCINE_HAVE_CUDA
        all.push_back(cuda::pathEngine());
#endif
        return all;
    }();
    return entries;
}

Support supportsPaths(Backend& backend, const PathShape& shape) {
    return supportsRequest("network", pathEngineEntries(), backend, shape);
}

std::unique_ptr<PathEngine> createPathEngine(Backend& backend) {
    return createImplementation("network", pathEngineEntries(), backend);
}

PathBackend::PathBackend(Backend& backend, const PathShape& shape) : backend_(&backend) {
    const Support support = supportsPaths(backend, shape);
    if (support) return;
    reason_ = support.reason();
    processor_ = BackendRegistry::instance().create("cpu", {});
    backend_ = processor_.get();
}

}  // namespace glycine::mutualinfo
