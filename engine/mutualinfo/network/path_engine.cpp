#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo {

Support supportsPaths(Backend& backend, const PathShape& shape) {
    return supportsRequest("network", implementations<PathEngine>(), backend, shape);
}

std::unique_ptr<PathEngine> createPathEngine(Backend& backend) {
    return createImplementation("network", implementations<PathEngine>(), backend);
}

InferenceBackend::InferenceBackend(Backend& backend, const Support& support) : backend_(&backend) {
    if (support) return;
    reason_ = support.reason();
    processor_ = BackendRegistry::instance().create("cpu", {});
    backend_ = processor_.get();
}

}  // namespace glycine::mutualinfo

namespace glycine {

template <>
ImplementationList<mutualinfo::PathEngine>& implementations<mutualinfo::PathEngine>() {
    static ImplementationList<mutualinfo::PathEngine> all{mutualinfo::reference::pathEngine(),
                                                          mutualinfo::cpu::pathEngine()};
    return all;
}

}  // namespace glycine
