#include "engine/alignment/posterior/posterior_engine.hpp"

#include <omp.h>

#include "engine/core/parallel.hpp"

namespace glycine::align {

std::vector<double> PosteriorRun::expectedAccuracies(const PosteriorSet& posteriors, Progress& progress) {
    const std::size_t n = posteriors.sequences();
    std::vector<double> accuracies(n * (n - 1) / 2);
    parallelFor(omp_get_max_threads(), n, [&](std::size_t a, std::size_t) {
        progress.throwIfCancelled();
        for (std::size_t b = 0; b < a; ++b)
            accuracies[a * (a - 1) / 2 + b] =
                expectedAccuracy(posteriors.pair(a, b), posteriors.pair(b, a).rows());
    });
    return accuracies;
}

std::unique_ptr<GroupJoins> PosteriorRun::joins(const PosteriorSet& posteriors,
                                                std::span<const double> weights) {
    return joinsOnHost(posteriors, weights);
}

Support supportsRequest(Backend& backend, const PosteriorRequest& request) {
    return glycine::supportsRequest("align", implementations<PosteriorEngine>(), backend, request);
}

std::unique_ptr<PosteriorEngine> createPosteriorEngine(Backend& backend) {
    return createImplementation("align", implementations<PosteriorEngine>(), backend);
}

}  // namespace glycine::align

namespace glycine {

template <>
ImplementationList<align::PosteriorEngine>& implementations<align::PosteriorEngine>() {
    static ImplementationList<align::PosteriorEngine> all{align::reference::posteriorEngine(),
                                                          align::cpu::posteriorEngine()};
    return all;
}

}  // namespace glycine
