#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo {

Support supportsPaths(Backend& backend, const PathShape& shape) {
    return glycine::supportsRequest<PathEngine>(backend, shape);
}

InferenceBackend::InferenceBackend(Backend& backend, const Support& support) : backend_(&backend) {
    if (support) return;
    reason_ = support.reason();
    processor_ = BackendRegistry::instance().create("cpu", {});
    backend_ = processor_.get();
}

ImplementationList<PathEngine>& PathEngine::implementations() {
    static ImplementationList<PathEngine> all{reference::pathEngine(), cpu::pathEngine()};
    return all;
}

}  // namespace glycine::mutualinfo
