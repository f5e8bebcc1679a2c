#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo {

Support supportsSelection(Backend& backend, const PathShape& shape) {
    return supportsRequest("network", implementations<SelectionEngine>(), backend, shape);
}

std::unique_ptr<SelectionEngine> createSelectionEngine(Backend& backend) {
    return createImplementation("network", implementations<SelectionEngine>(), backend);
}

}  // namespace glycine::mutualinfo

namespace glycine {

template <>
ImplementationList<mutualinfo::SelectionEngine>& implementations<mutualinfo::SelectionEngine>() {
    static ImplementationList<mutualinfo::SelectionEngine> all{mutualinfo::reference::selectionEngine(),
                                                               mutualinfo::cpu::selectionEngine()};
    return all;
}

}  // namespace glycine
