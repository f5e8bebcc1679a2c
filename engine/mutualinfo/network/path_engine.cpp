#include "engine/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo {

Support supportsPaths(Backend& backend, const PathShape& shape) {
    return supportsRequest("network", implementations<PathEngine>(), backend, shape);
}

std::unique_ptr<PathEngine> createPathEngine(Backend& backend) {
    return createImplementation("network", implementations<PathEngine>(), backend);
}

PathBackend::PathBackend(Backend& backend, const PathShape& shape) : backend_(&backend) {
    const Support support = supportsPaths(backend, shape);
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
