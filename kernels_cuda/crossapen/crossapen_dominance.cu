#include <algorithm>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_ranks.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/device/cuda_check.hpp"

/// Variant `dominance`, for m = 1 without comparing all pairs. The short matches of a template are an
/// interval of ranks. Its long matches are the points in a rectangle of ranks, which a grid of prefix counts
/// yields. Templates are processed in order of their values, so that neighbouring threads search nearly the
/// same places.
namespace glycine::cuda {

namespace {

// ---- Rank grids of signals, in three steps: ranks by time, rows and columns of cells, prefix counts

constexpr unsigned kTableThreads = 256;
constexpr unsigned kTableWarps = kTableThreads / kWarp;

__global__ void __launch_bounds__(kTableThreads)
    invertOrder(const std::uint16_t* times, std::size_t samples, std::size_t elements, std::uint16_t* ranks) {
    const std::size_t index = std::size_t(blockIdx.x) * kTableThreads + threadIdx.x;
    if (index >= elements) return;
    const std::size_t k = index % samples;
    ranks[index - k + times[index]] = std::uint16_t(k);
}

/// Position of the lane's number in the sorted order of the warp; ties are ordered by lane.
__device__ unsigned placeInWarp(unsigned value) {
    unsigned place = 0;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        const unsigned other = __shfl_sync(kFullWarp, value, int(lane));
        place += other < value || (other == value && lane < threadIdx.x % kWarp);
    }
    return place;
}

/// For each n ≤ 32, writes to prefixes[n] the set of the n lanes that come first by `place`.
__device__ void writePrefixSets(unsigned place, std::uint32_t* prefixes) {
    const unsigned lane = threadIdx.x % kWarp;
    unsigned set = 0;
    for (unsigned other = 0; other < kWarp; ++other)
        set |= (__shfl_sync(kFullWarp, place, int(other)) < lane ? 1U : 0U) << other;
    prefixes[lane] = set;
    if (lane == 0) prefixes[kWarp] = kFullWarp;
}

/// A warp per cell: fills 32 consecutive ranks as a row of the grid and as a column.
__global__ void __launch_bounds__(kTableThreads)
    fillCells(const std::uint16_t* allTimes, std::size_t signals, unsigned samples, RankTables tables) {
    const unsigned cells = rankCells(samples);
    const std::size_t warp = std::size_t(blockIdx.x) * kTableWarps + threadIdx.x / kWarp;
    const std::size_t signal = warp / cells;
    if (signal >= signals) return;
    const unsigned cell = unsigned(warp % cells);
    const std::uint16_t* times = allTimes + signal * samples;
    const std::uint16_t* ranks = tables.ranks + signal * samples;

    const unsigned k = cell * kRankCell + threadIdx.x % kWarp;
    std::uint16_t successor = kNoRank;
    std::uint16_t predecessor = kNoRank;
    if (k < samples) {
        const unsigned time = times[k];
        if (time + 1 < samples) successor = ranks[time + 1];
        if (time > 0) predecessor = ranks[time - 1];
        tables.successors[signal * samples + k] = successor;
    }
    std::uint32_t* rows =
        tables.grids + signal * dominanceGridWords(samples) + std::size_t(cells + 1) * cells;
    std::uint32_t* columns = rows + cells * (kRankCell + 1);
    writePrefixSets(placeInWarp(successor), rows + cell * (kRankCell + 1));
    const unsigned place = placeInWarp(predecessor);
    writePrefixSets(place, columns + cell * (kRankCell + 1));
    tables.predecessors[(signal * cells + cell) * kRankCell + place] = predecessor;
}

/// A warp per row of the counts, 32 columns at a time.
__global__ void __launch_bounds__(kTableThreads)
    fillCounts(std::size_t signals, unsigned samples, RankTables tables) {
    const unsigned cells = rankCells(samples);
    const unsigned lane = threadIdx.x % kWarp;
    const std::size_t warp = std::size_t(blockIdx.x) * kTableWarps + threadIdx.x / kWarp;
    const std::size_t signal = warp / (cells + 1);
    if (signal >= signals) return;
    const unsigned row = unsigned(warp % (cells + 1));
    const unsigned end = min(row * kRankCell, unsigned(kNoRank));
    const std::uint16_t* predecessors = tables.predecessors + signal * cells * kRankCell;
    std::uint32_t* counts = tables.grids + signal * dominanceGridWords(samples) + std::size_t(row) * cells;

    unsigned before = 0;
    for (unsigned first = 0; first < cells; first += kWarp) {
        const unsigned column = first + lane;
        unsigned inColumn = 0;  // points of the column with first rank < end; a prefix, as they are in
                                // ascending order
        if (column < cells) {
            const std::uint16_t* ascending = predecessors + column * kRankCell;
            for (unsigned step = kRankCell / 2; step > 0; step /= 2)
                if (ascending[inColumn + step - 1] < end) inColumn += step;
            inColumn += ascending[inColumn] < end;
        }
        unsigned sum = inColumn;
        for (unsigned step = 1; step < kWarp; step *= 2) {
            const unsigned other = __shfl_up_sync(kFullWarp, sum, step);
            if (lane >= step) sum += other;
        }
        if (column < cells) counts[column] = (before + sum - inColumn) | inColumn << 16;
        before += __shfl_sync(kFullWarp, sum, kWarp - 1);
    }
}

// ---- Counting

/// Templates per unit, and channels per warp of a unit.
constexpr unsigned kTemplatesOfUnit = 1024;
constexpr unsigned kChannelsOfWarp = 8;
constexpr unsigned kMaxWarps = 16;
constexpr unsigned kGlobalThreads = 256;

extern __shared__ __align__(16) unsigned char sharedTables[];

/// Adds the template at the k-th smallest sample of its signal.
__device__ inline void addRanked(TemplateTotals& totals, const std::int64_t* logs, const DominanceGrid& grid,
                                 RankInterval own, unsigned successor, RankInterval ofSuccessor,
                                 bool matchesLast) {
    const bool isLast = successor == kNoRank;
    const unsigned shortMatches = own.end - own.begin;
    const unsigned longMatches = isLast || shortMatches == 0 ? 0 : grid.countInside(own, ofSuccessor);
    totals.add(logs, shortMatches, longMatches, isLast, matchesLast);
}

/// A block holds a partner's tables in shared memory. Each of its warps processes channels whose templates
/// search them.
template <class T>
__global__ void sharedKernel(MatchProblem<T> problem, const T* sorted, RankTables tables,
                             std::size_t firstUnit, unsigned parts, unsigned channelsOfPart) {
    const unsigned samples = problem.samples();
    const unsigned cells = rankCells(samples);
    const unsigned gridWords = unsigned(dominanceGridWords(samples));
    const unsigned warps = blockDim.x / kWarp;
    const unsigned lane = threadIdx.x % kWarp;
    T* partners = reinterpret_cast<T*>(sharedTables);
    auto* gridCopy = reinterpret_cast<std::uint32_t*>(partners + samples);
    std::uint32_t* intervals = gridCopy + gridWords + threadIdx.x / kWarp * samples;

    const std::size_t unit = firstUnit + blockIdx.x;
    const std::size_t partner = unit / parts;
    const std::size_t epoch = partner / problem.shape.channels;
    for (unsigned k = threadIdx.x; k < samples; k += blockDim.x) partners[k] = sorted[partner * samples + k];
    for (unsigned k = threadIdx.x; k < gridWords; k += blockDim.x)
        gridCopy[k] = tables.grids[partner * gridWords + k];
    __syncthreads();
    const DominanceGrid grid(gridCopy, cells);
    const T lastPartner = problem.signal(partner)[samples - 1];

    const unsigned channels = unsigned(problem.shape.channels);
    const unsigned firstChannel = unsigned(unit % parts) * channelsOfPart;
    const unsigned endChannel = min(channels, firstChannel + channelsOfPart);
    for (unsigned channel = firstChannel + threadIdx.x / kWarp; channel < endChannel; channel += warps) {
        const std::size_t signal = epoch * channels + channel;
        const std::size_t pairIndex = signal * channels + partner % channels;
        const T bound = problem.bound(pairIndex, epoch);
        const T* templates = sorted + signal * samples;
        for (unsigned k = lane; k < samples; k += kWarp) {
            const RankInterval found = findInterval(templates[k], partners, samples, bound);
            intervals[k] = found.begin | found.end << 16;
        }
        __syncwarp();
        TemplateTotals totals;
        const auto interval = [&](unsigned k) {
            return RankInterval{intervals[k] & 0xffff, intervals[k] >> 16};
        };
        for (unsigned k = lane; k < samples; k += kWarp) {
            const unsigned successor = tables.successors[signal * samples + k];
            addRanked(totals, problem.logs, grid, interval(k), successor,
                      successor == kNoRank ? RankInterval{0, 0} : interval(successor),
                      isWithin(templates[k], lastPartner, bound));
        }
        __syncwarp();
        const crossapen::MatchStatistics ofPair = totals.ofWarp();
        if (lane == 0) problem.totals[pairIndex] = ofPair;
    }
}

/// A thread per template, with tables in global memory, for long epochs.
template <class T>
__global__ void __launch_bounds__(kGlobalThreads)
    globalKernel(MatchProblem<T> problem, const T* sorted, RankTables tables, std::size_t firstUnit,
                 unsigned parts) {
    const unsigned samples = problem.samples();
    const std::size_t unit = firstUnit + blockIdx.x;
    const std::size_t pairIndex = unit / parts;
    const ChannelPair pair = problem.pair(pairIndex);
    const T bound = problem.bound(pairIndex, pair.epoch);
    const T* templates = sorted + pair.x * samples;
    const T* partners = sorted + pair.y * samples;
    const std::uint16_t* successors = tables.successors + pair.x * samples;
    const DominanceGrid grid(tables.grids + pair.y * dominanceGridWords(samples), rankCells(samples));
    const T lastPartner = problem.signal(pair.y)[samples - 1];

    TemplateTotals totals;
    const unsigned first = unsigned(unit % parts) * kTemplatesOfUnit;
    const unsigned end = min(samples, first + kTemplatesOfUnit);
    for (unsigned k = first + threadIdx.x; k < end; k += kGlobalThreads) {
        const unsigned successor = successors[k];
        const RankInterval own = findInterval(templates[k], partners, samples, bound);
        RankInterval ofSuccessor{0, 0};
        if (successor != kNoRank && own.end > own.begin)
            ofSuccessor = findInterval(templates[successor], partners, samples, bound);
        addRanked(totals, problem.logs, grid, own, successor, ofSuccessor,
                  isWithin(templates[k], lastPartner, bound));
    }
    totals.addTo(problem.totals[pairIndex]);
}

unsigned partsOf(const MatchShape& shape, const DominancePlan& plan) {
    const std::size_t size = plan.warps > 0 ? kChannelsOfWarp * plan.warps : kTemplatesOfUnit;
    const std::size_t whole = plan.warps > 0 ? shape.channels : shape.samples;
    return unsigned((whole + size - 1) / size);
}

}  // namespace

void launchRankTables(const Launch& launch, const MatchShape& shape, const std::uint16_t* times,
                      const RankTables& tables) {
    const std::size_t signals = shape.signals();
    const std::size_t elements = signals * shape.samples;
    const std::size_t cells = rankCells(shape.samples);
    const auto blocks = [](std::size_t count, std::size_t ofBlock) {
        return unsigned((count + ofBlock - 1) / ofBlock);
    };
    const unsigned samples = unsigned(shape.samples);
    invertOrder<<<blocks(elements, kTableThreads), kTableThreads, 0, launch.stream>>>(times, samples,
                                                                                      elements, tables.ranks);
    checkLaunch("invert order");
    fillCells<<<blocks(signals * cells, kTableWarps), kTableThreads, 0, launch.stream>>>(times, signals,
                                                                                         samples, tables);
    checkLaunch("fill rank cells");
    fillCounts<<<blocks(signals * (cells + 1), kTableWarps), kTableThreads, 0, launch.stream>>>(
        signals, samples, tables);
    checkLaunch("fill rank counts");
}

DominancePlan planDominance(const MatchShape& shape, std::size_t sampleBytes, std::size_t sharedMemory) {
    const std::size_t fixed =
        shape.samples * sampleBytes + dominanceGridWords(shape.samples) * sizeof(std::uint32_t);
    const std::size_t ofWarp = shape.samples * sizeof(std::uint32_t);
    // Two blocks a multiprocessor; with fewer warps, its threads wait for one another.
    constexpr std::size_t leastWarps = 4;
    const std::size_t share = sharedMemory / 2;
    if (fixed + leastWarps * ofWarp > share) return {};
    const std::size_t warps = std::min({(share - fixed) / ofWarp, std::size_t{kMaxWarps}, shape.channels});
    return {unsigned(warps), fixed + warps * ofWarp};
}

std::size_t dominanceUnits(const MatchShape& shape, const DominancePlan& plan) {
    return (plan.warps > 0 ? shape.signals() : shape.pairs()) * partsOf(shape, plan);
}

template <class T>
void launchDominance(const Launch& launch, const MatchProblem<T>& problem, const DominancePlan& plan,
                     const T* sorted, const RankTables& tables, std::size_t firstUnit, std::size_t units) {
    const unsigned parts = partsOf(problem.shape, plan);
    if (plan.warps == 0) {
        globalKernel<<<unsigned(units), kGlobalThreads, 0, launch.stream>>>(problem, sorted, tables,
                                                                            firstUnit, parts);
    } else {
        GLYCINE_CUDA(cudaFuncSetAttribute(sharedKernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          int(plan.sharedBytes)));
        sharedKernel<<<unsigned(units), plan.warps * kWarp, plan.sharedBytes, launch.stream>>>(
            problem, sorted, tables, firstUnit, parts,
            unsigned((problem.shape.channels + parts - 1) / parts));
    }
    checkLaunch("dominance");
}

template void launchDominance(const Launch&, const MatchProblem<float>&, const DominancePlan&, const float*,
                              const RankTables&, std::size_t, std::size_t);
template void launchDominance(const Launch&, const MatchProblem<double>&, const DominancePlan&, const double*,
                              const RankTables&, std::size_t, std::size_t);

}  // namespace glycine::cuda
