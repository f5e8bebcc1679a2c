#include "engine/bounds/smoothing_engine.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "engine/bounds/shared_smoothing.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

const Algorithm& algorithm() {
    static const Algorithm algorithm(
        "bounds", "Tighten the bounds on the distances between a molecule's atoms by the triangle inequality",
        "P. Micikevicius, GPU Computing for Protein Structure Prediction, GPU Gems 2 (2005), chapter 43",
        [] { return allVariants<SmoothingEngine>(); },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            SmoothingRequest request;
            if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
            if (!configuration.numberFormat.empty())
                request.format = fromString<NumberFormat>(configuration.numberFormat);
            request.atoms = dimension(dimensions, "atoms");
            return supportsRequest(backend, request);
        });
    return algorithm;
}

Support supportsRequest(Backend& backend, const SmoothingRequest& request) {
    Support support = glycine::supportsRequest<SmoothingEngine>(backend, request);
    if (!support || !request.tetrangles) return support;
    return createImplementation<SmoothingEngine>(backend)->supportsTetrangles(request.atoms);
}

SmoothingOutcome SmoothingEngine::beginShared(const AnyBoundMatrices& /*matrices*/, Variant /*variant*/,
                                              Progress& /*progress*/, SharedTask& task) {
    throw UnavailableError(fmt::format(
        "{} does not share the bounds of a matrix among devices or processes; cpu, gl and cuda do",
        task.backend));
}

std::unique_ptr<BlockWorker> SmoothingEngine::worker(const WorkerPart& /*part*/) {
    throw std::logic_error("a worker of a backend that shares no bounds");
}

ImplementationList<SmoothingEngine>& SmoothingEngine::implementations() {
    static ImplementationList<SmoothingEngine> all{reference::smoothingEngine(), cpu::smoothingEngine()};
    return all;
}

}  // namespace glycine::bounds
