// Trees of distances on the host and on the device of the `cuda` backend, transfers and recounts included:
// from which number of instances the device gains (TreeSettings). Argument: instances.
#include <benchmark/benchmark.h>

#include <bit>
#include <memory>
#include <vector>

#include "bench/cuda_device.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/random.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "kernels_cuda/trees/cuda_tree_engine.hpp"

namespace {

using namespace glycine;
using namespace glycine::trees;

/// Distances of a family: the later two instances part in a balanced tree, the smaller; in percent, with
/// noise.
std::vector<double> familyDistances(std::size_t instances) {
    RandomSequence random(5);
    const double levels = std::bit_width(instances);
    std::vector<double> distances;
    for (std::size_t j = 1; j < instances; ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const double level = std::bit_width(i ^ j);
            const auto percent = static_cast<float>(20 + 60 * level / levels + 8 * random.uniform());
            distances.push_back(static_cast<double>(percent / 100.0F));
        }
    return distances;
}

enum class Kind { Joining, JoiningAsClustalW, Linkage };

void build(benchmark::State& state, Kind kind, bool isOnDevice) {
    if (isOnDevice && bench::cudaDevice() == nullptr) {
        state.SkipWithError("there is no CUDA device");
        return;
    }
    const auto instances = static_cast<std::size_t>(state.range(0));
    const std::vector<double> distances = familyDistances(instances);
    const std::vector<float> single(distances.begin(), distances.end());
    Progress progress;
    for (auto iteration : state) {
        std::unique_ptr<StageRecount> recount;
        std::unique_ptr<TreeDevice> trees;
        if (isOnDevice) {
            recount = std::make_unique<StageRecount>(*bench::cudaDevice(), false, "round");
            trees = std::make_unique<TreeDevice>(
                *bench::cudaDevice(),
                glycine::trees::cuda::createTreeEngine(*bench::cudaDevice(),
                                                       {.leastForJoining = 0, .leastForLinkage = 0}),
                recount.get());
        }
        if (kind == Kind::Linkage)
            benchmark::DoNotOptimize(clusterByAverageLinkage(instances, single, progress, trees.get()));
        else
            benchmark::DoNotOptimize(joinNeighbours(instances, distances, progress,
                                                    {.roundsAsClustalW = kind == Kind::JoiningAsClustalW},
                                                    trees.get()));
        if (recount) state.counters["recount"] = recount->counted().seconds;
    }
}

void usual(benchmark::internal::Benchmark* benchmark) {
    for (const int instances : {100, 500, 1000, 2000, 5000}) benchmark->Arg(instances);
    benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK_CAPTURE(build, joining_host, Kind::Joining, false)->Apply(usual);
BENCHMARK_CAPTURE(build, joining_device, Kind::Joining, true)->Apply(usual);
BENCHMARK_CAPTURE(build, clustalw_host, Kind::JoiningAsClustalW, false)->Apply(usual);
BENCHMARK_CAPTURE(build, clustalw_device, Kind::JoiningAsClustalW, true)->Apply(usual);
BENCHMARK_CAPTURE(build, linkage_host, Kind::Linkage, false)->Apply(usual);
BENCHMARK_CAPTURE(build, linkage_device, Kind::Linkage, true)->Apply(usual);

}  // namespace
