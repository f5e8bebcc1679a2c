#include "engine/alignment/posterior/posterior_engine.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/core/parallel.hpp"

namespace glycine::align {

ThirdSequences::ThirdSequences(std::size_t sequences) : sequences_(sequences), most_(sequences) {}

ThirdSequences::ThirdSequences(std::size_t sequences, std::span<const float> distances, std::size_t most)
    : sequences_(sequences), most_(most) {
    if (sequences > most + 2) distances_.assign(distances.begin(), distances.end());
}

double ThirdSequences::distance(std::size_t x, std::size_t y) const {
    const std::size_t high = std::max(x, y);
    return static_cast<double>(distances_[high * (high - 1) / 2 + std::min(x, y)]);
}

void ThirdSequences::find(std::size_t x, std::size_t y, std::vector<std::size_t>& found) const {
    found.clear();
    for (std::size_t z = 0; z < sequences_; ++z)
        if (z != x && z != y) found.push_back(z);
    if (areAll() || found.size() <= most_) return;
    const auto isNearer = [&](std::size_t a, std::size_t b) {
        const double ofA = distance(x, a) + distance(y, a), ofB = distance(x, b) + distance(y, b);
        return ofA < ofB || (ofA == ofB && a < b);
    };
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most_), found.end(),
                     isNearer);
    found.resize(most_);
    std::ranges::sort(found);
}

double ThirdSequences::weightOf(std::span<const std::size_t> found, std::span<const double> weights) {
    double sum = 0;
    for (const std::size_t z : found) sum += weights[z];
    return sum;
}

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
    return glycine::supportsRequest<PosteriorEngine>(backend, request);
}

ImplementationList<PosteriorEngine>& PosteriorEngine::implementations() {
    static ImplementationList<PosteriorEngine> all{reference::posteriorEngine(), cpu::posteriorEngine()};
    return all;
}

}  // namespace glycine::align
