#include "engine/mutualinfo/network/selection_engine.hpp"

namespace glycine::mutualinfo {

Support supportsSelection(Backend& backend, const PathShape& shape) {
    return glycine::supportsRequest<SelectionEngine>(backend, shape);
}

ImplementationList<SelectionEngine>& SelectionEngine::implementations() {
    static ImplementationList<SelectionEngine> all{reference::selectionEngine(), cpu::selectionEngine()};
    return all;
}

}  // namespace glycine::mutualinfo
