#include "engine/algorithms/mutualinfo/network/path_engine.hpp"

#include <cmath>

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

void readPathOperand(const PathRequest& request, Range rows, Range columns, MatrixView<double> values) {
    request.information->readBlock(rows, columns, values);
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const std::size_t other = columns.begin + k;
            if (other == rows.begin + r || std::isnan(values(r, k)) || !request.mayMediate(other))
                values(r, k) = 0;
        }
}

}  // namespace glycine::mutualinfo
