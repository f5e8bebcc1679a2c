#include "engine/algorithms/mutualinfo/network/path_engine.hpp"

namespace glycine::mutualinfo {

const std::vector<PathEngineEntry>& pathEngineEntries() {
    static const std::vector<PathEngineEntry> entries = [] {
        std::vector<PathEngineEntry> all;
        all.push_back(reference::pathEngine());
        all.push_back(cpu::pathEngine());
        return all;
    }();
    return entries;
}

Support supportsPaths(const Backend& backend) {
    return findImplementation(pathEngineEntries(), backend) != nullptr
               ? Support::yes()
               : Support::no(missingImplementation("network", pathEngineEntries(), backend));
}

std::unique_ptr<PathEngine> createPathEngine(Backend& backend) {
    return createImplementation("network", pathEngineEntries(), backend);
}

}  // namespace glycine::mutualinfo
