// The consistency transformation on the host and by passes of the `gl` backend, transfers included: from how
// many sequences, and of which families, the device gains (ConsistencySettings). Results of the passes are
// compared with the host's before they are timed. Arguments: sequences of 300 letters; thousandths of the
// letters that a step of the family replaces.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/gl/alignment/consistency_passes.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace {

using namespace glycine;
using namespace glycine::align;

/// As many third sequences as an alignment uses (PosteriorAlignmentOptions::mostThirds).
constexpr std::size_t kThirds = 40;

glycine::gl::GlBackend& device() {
    static glycine::gl::GlBackend backend{BackendOptions{}};
    return backend;
}

/// The posteriors of a family, with what a round needs.
struct Family {
    PosteriorSet posteriors;
    std::vector<double> weights;
    std::unique_ptr<ThirdSequences> thirds;
    double entriesOfRow = 0;

    ConsistencyRound round() const { return {weights, 3, *thirds}; }
};

Family familyOf(std::size_t count, double divergence) {
    const Sequences sequences = randomFamily({.count = count, .length = 300, .divergence = divergence});
    HostBackend host("cpu", omp_get_max_threads());
    Progress progress;
    const auto run = createImplementation<PosteriorEngine>(host)->start(sequences);
    Family family{run->posteriors(progress), std::vector<double>(count, 1), nullptr};
    std::vector<float> distances;
    double rows = 0;
    for (std::size_t y = 0; y < count; ++y)
        for (std::size_t x = 0; x < y; ++x) {
            const PosteriorView pair = family.posteriors.pair(x, y);
            distances.push_back(
                -static_cast<float>(expectedAccuracy(pair, family.posteriors.pair(y, x).rows())));
            rows += static_cast<double>(pair.rows());
            family.entriesOfRow += static_cast<double>(pair.size());
        }
    family.entriesOfRow /= rows;
    family.thirds = std::make_unique<ThirdSequences>(count, distances, kThirds);
    return family;
}

const Family& sharedFamily(std::size_t count, std::size_t thousandths) {
    static std::map<std::pair<std::size_t, std::size_t>, Family> families;
    const std::pair key(count, thousandths);
    auto found = families.find(key);
    if (found == families.end()) {
        families.clear();
        found = families.emplace(key, familyOf(count, static_cast<double>(thousandths) / 1000)).first;
    }
    return found->second;
}

PosteriorSet onHost(const Family& family) {
    Progress progress;
    return applyConsistency(family.posteriors, family.round(), detectInstructionSet(), omp_get_max_threads(),
                            progress);
}

double largestDifference(const PosteriorSet& one, const PosteriorSet& other) {
    double largest = 0;
    for (std::size_t x = 0; x < one.sequences(); ++x)
        for (std::size_t y = 0; y < one.sequences(); ++y) {
            const auto here = one.pair(x, y).entries(), there = other.pair(x, y).entries();
            if (here.size() != there.size()) return 1;
            for (std::size_t k = 0; k < here.size(); ++k)
                largest = std::max(largest, here[k].column != there[k].column
                                                ? 1.0
                                                : std::abs(static_cast<double>(here[k].value) -
                                                           static_cast<double>(there[k].value)));
        }
    return largest;
}

void transform(benchmark::State& state, bool isOnDevice) {
    const Family& family =
        sharedFamily(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    Progress progress;
    std::unique_ptr<align::gl::ConsistencyPasses> passes;
    if (isOnDevice) {
        passes = std::make_unique<align::gl::ConsistencyPasses>(
            device(), align::gl::ConsistencySettings{
                          .leastSequences = 0, .mostHostThreads = 1 << 20, .takesEmulated = true});
        const auto found = passes->apply(family.posteriors, family.round(), progress);
        if (!found) {
            state.SkipWithError(std::string(passes->reason()).c_str());
            return;
        }
        if (const double difference = largestDifference(*found, onHost(family)); difference > 1e-6) {
            state.SkipWithError(fmt::format("differs from the host's by {}", difference).c_str());
            return;
        }
        state.SetLabel(device().device());
    }
    for (auto iteration : state) {
        if (isOnDevice)
            benchmark::DoNotOptimize(passes->apply(family.posteriors, family.round(), progress));
        else
            benchmark::DoNotOptimize(onHost(family));
    }
    state.counters["entries_of_row"] = family.entriesOfRow;
    state.counters["threads"] = isOnDevice ? 1 : omp_get_max_threads();
}

// Near-identical and divergent families, next to each other on host and device.
void onBoth() {
    for (const int thousandths : {5, 50, 200})
        for (const int sequences : {50, 100, 200, 400})
            for (const bool isOnDevice : {false, true})
                benchmark::RegisterBenchmark(
                    isOnDevice ? "consistency_device" : "consistency_host",
                    [isOnDevice](benchmark::State& state) { transform(state, isOnDevice); })
                    ->Args({sequences, thousandths})
                    ->Unit(benchmark::kMillisecond)
                    ->UseRealTime();
}
const bool kRegistered = (onBoth(), true);

}  // namespace
