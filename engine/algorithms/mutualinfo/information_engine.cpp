#include "engine/algorithms/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo {

const std::vector<InformationEngineEntry>& informationEngineEntries() {
    static const std::vector<InformationEngineEntry> entries = [] {
        std::vector<InformationEngineEntry> all;
        all.push_back(reference::engine());
        all.push_back(cpu::engine());
        return all;
    }();
    return entries;
}

InformationRequest requestFor(ExpressionView expression, const MutualInformationOptions& options) {
    return {.variant = options.variant,
            .precision = options.precision,
            .genes = expression.rows(),
            .samples = expression.columns(),
            .splines = options.splines};
}

Support supportsRequest(Backend& backend, const InformationRequest& request) {
    return glycine::supportsRequest("mutualinfo", informationEngineEntries(), backend, request);
}

std::unique_ptr<InformationEngine> createInformationEngine(Backend& backend) {
    return createImplementation("mutualinfo", informationEngineEntries(), backend);
}

}  // namespace glycine::mutualinfo
