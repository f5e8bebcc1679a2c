// Posteriors of all pairs on the device of the `cuda` backend, and one round of the consistency
// transformation. Prints cells per second, including all overhead, and where the time goes: kernels (by marks
// in the stream), fetching a batch on the host, and the host's waiting for the device. Arguments: sequences,
// letters.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "bench/cuda_device.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/device_consistency.hpp"
#include "kernels_cuda/alignment/device_posteriors.hpp"

namespace {

using namespace glycine;
using namespace glycine::align;

Sequences familyOf(const benchmark::State& state) {
    return randomSequences({.count = static_cast<std::size_t>(state.range(0)),
                            .length = static_cast<std::size_t>(state.range(1)),
                            .seed = 3});
}

void posteriors(benchmark::State& state) {
    if (bench::cudaDevice() == nullptr) {
        state.SkipWithError("there is no CUDA device");
        return;
    }
    const Sequences sequences = familyOf(state);
    align::cuda::PosteriorsOnDevice run(*bench::cudaDevice(), sequences);
    Progress progress;
    std::size_t entries = 0;
    for (auto iteration : state) entries = run.compute(progress).entries();
    const auto& times = run.times();
    using benchmark::Counter;
    state.counters["cells"] = Counter(cellsOfPairs(sequences), Counter::kIsIterationInvariantRate);
    state.counters["kernelCells"] = cellsOfPairs(sequences) / times.posteriors;
    state.counters["posteriors"] = times.posteriors;
    state.counters["rows"] = times.rows;
    state.counters["fetching"] = times.fetching;
    state.counters["waiting"] = times.waiting;
    state.counters["batches"] = static_cast<double>(times.batches);
    state.counters["entries"] = static_cast<double>(entries);
}
BENCHMARK(posteriors)
    ->Args({200, 277})
    ->Args({200, 400})
    ->Args({1000, 277})
    ->Args({1000, 400})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseRealTime();

void consistency(benchmark::State& state) {
    if (bench::cudaDevice() == nullptr) {
        state.SkipWithError("there is no CUDA device");
        return;
    }
    const Sequences sequences = familyOf(state);
    align::cuda::PosteriorsOnDevice run(*bench::cudaDevice(), sequences);
    Progress progress;
    const PosteriorSet before = run.compute(progress);
    const std::size_t n = sequences.size();
    std::vector<float> distances;
    for (std::size_t pair = 0; pair < n * (n - 1) / 2; ++pair)
        distances.push_back(static_cast<float>(pair % 101));
    const ThirdSequences thirds(n, distances, 40);
    const std::vector<double> weights(n, 1);
    for (auto iteration : state)
        benchmark::DoNotOptimize(
            align::cuda::applyConsistency(*bench::cudaDevice(), before, {weights, 3, thirds}, progress)
                .entries());
    state.counters["there"] = before.resident() != nullptr;
}
BENCHMARK(consistency)
    ->Args({200, 277})
    ->Args({400, 277})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3)
    ->UseRealTime();

}  // namespace
