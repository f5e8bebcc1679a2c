#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/warpgroups.cuh"
#include "kernels_cuda/mutualinfo/information_kernels.hpp"

/// Computes the same as mutualinfo_joint.cu with products of warpgroups: two panels of rows by a panel of
/// columns. This file is compiled for compute capability 9.0a only.
namespace glycine::cuda {

namespace {

constexpr unsigned kSide = 128;
constexpr unsigned kRowPanels = 2;
constexpr unsigned kPanelBytes = kSide * kStepBytes;
constexpr unsigned kStageBytes = (kRowPanels + 1) * kPanelBytes;
/// Two blocks share their rows: each loads one of the two panels for both.
constexpr unsigned kCluster = 2;
/// One warpgroup per panel of rows, and one that copies.
constexpr unsigned kGroupThreads = 128;
constexpr unsigned kThreads = (kRowPanels + 1) * kGroupThreads;
constexpr unsigned kWarpsThatMultiply = kRowPanels * kGroupThreads / 32;
/// Eight more than the side, so that the rows of a product are in different banks.
constexpr unsigned kPitch = kSide + 8;
constexpr unsigned kTableBytes = kRowPanels * kSide * kPitch * sizeof(float);
/// Samples after which sums are moved to the table, because tensor cores truncate bits below the last bit of
/// a sum.
constexpr unsigned kRunSamples = 1024;
/// The paper's number of bins, for which loops over bins are unrolled.
constexpr unsigned kUsualBins = 10;

struct Margins {
    float ofRows[kRowPanels * kSide];
    float ofColumns[kSide];
};

/// `isLong`: there are more steps than the registers may sum, so the table must not overlap the stages.
template <bool isLong>
struct Tile {
    static constexpr unsigned kStages = isLong ? 3 : 8;
    /// Steps whose products may still be in flight when those of the next step are queued.
    static constexpr int kBehind = isLong ? 0 : 1;
    static constexpr unsigned kTableBegin = isLong ? kStages * kStageBytes : 0;
    static constexpr unsigned kMarginBegin =
        isLong ? kTableBegin + kTableBytes
               : (kTableBytes > kStages * kStageBytes ? kTableBytes : kStages * kStageBytes);
    /// A stage begins at a multiple of 1,024 bytes.
    static constexpr unsigned kSharedBytes = 1024 + kMarginBegin + sizeof(Margins);
};

struct Float16Products {
    static constexpr unsigned kStepSamples = kStepBytes / 2;
    __device__ static void multiply(WarpgroupSums& sums, std::uint64_t rows, std::uint64_t columns) {
        multiplyFloat16(sums, rows, columns);
    }
};
struct Tf32Products {
    static constexpr unsigned kStepSamples = kStepBytes / 4;
    __device__ static void multiply(WarpgroupSums& sums, std::uint64_t rows, std::uint64_t columns) {
        multiplyTf32(sums, rows, columns);
    }
};

/// A barrier for the threads of a warpgroup, or for all that multiply.
__device__ inline void syncThreads(unsigned barrier, unsigned threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/// Stores the sums of a warpgroup in the table, or adds them to it, and clears them.
__device__ inline void moveSums(WarpgroupSums (&sums)[2], float* table, bool adds) {
    const unsigned thread = threadIdx.x % kGroupThreads;
    const unsigned firstRow = thread / 32 * 16 + thread % 32 / 4;
    const unsigned firstColumn = 2 * (thread % 4);
#pragma unroll
    for (unsigned m = 0; m < 2; ++m)
#pragma unroll
        for (unsigned i = 0; i < 64; i += 2) {
            const unsigned row = m * 64 + firstRow + i / 2 % 2 * 8;
            float2& cells = *reinterpret_cast<float2*>(table + row * kPitch + i / 4 * 8 + firstColumn);
            if (adds) {
                cells.x += sums[m][i];
                cells.y += sums[m][i + 1];
            } else {
                cells = make_float2(sums[m][i], sums[m][i + 1]);
            }
            sums[m][i] = 0;
            sums[m][i + 1] = 0;
        }
}

/// v log₂ v; about 0 for values that rounding left below 0.
__device__ inline float timesLog(float v) {
    const float positive = fmaxf(v, 1e-30F);
    float log;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log) : "f"(positive));
    return positive * log;
}

/// Information in bits of a pair whose table is at `cells`: I = Σ v log₂ v − Σ r log₂ r − Σ c log₂ c for
/// elements v and sums r, c of rows and columns, all as shares of the total.
__device__ inline float informationOf(const float* cells, unsigned bins, float& total) {
    total = 0;
    for (unsigned k = 0; k < bins; ++k)
        for (unsigned l = 0; l < bins; ++l) total += cells[k * kPitch + l];
    const float scale = 1 / total;
    float information = 0;
    for (unsigned k = 0; k < bins; ++k) {
        float sum = 0;
        for (unsigned l = 0; l < bins; ++l) {
            const float p = cells[k * kPitch + l] * scale;
            information += timesLog(p);
            sum += p;
        }
        information -= timesLog(sum);
    }
    for (unsigned l = 0; l < bins; ++l) {
        float sum = 0;
        for (unsigned k = 0; k < bins; ++k) sum += cells[k * kPitch + l] * scale;
        information -= timesLog(sum);
    }
    return information;
}

/// Σ p log₂ p of a table whose differences from the products of its margins are at `cells`. Margins are
/// shares of the total. The last row and the last column are missing, but the differences in every row and
/// column add up to 0. `fixedBins`: `bins` if known at compile time, else 0.
template <unsigned fixedBins>
__device__ __forceinline__ float negativeEntropyOf(const float* cells, unsigned anyBins, float scale,
                                                   const float* rowMargins, const float* columnMargins) {
    constexpr unsigned mostBins = fixedBins > 0 ? fixedBins : 1;
    const unsigned bins = fixedBins > 0 ? fixedBins : anyBins;
    float columns[mostBins];
    float columnRests[mostBins] = {};
    float lastColumn = 1;
    for (unsigned l = 0; l < bins; ++l) {
        if constexpr (fixedBins > 0) columns[l] = columnMargins[l];
        lastColumn -= columnMargins[l];
    }
    float sum = 0;
    float lastRow = 1;
    float corner = 0;
    for (unsigned k = 0; k < bins; ++k) {
        const float row = rowMargins[k];
        float rest = 0;
#pragma unroll
        for (unsigned l = 0; l < bins; ++l) {
            const float difference = cells[k * kPitch + l] * scale;
            sum += timesLog(__fmaf_rn(row, fixedBins > 0 ? columns[l] : columnMargins[l], difference));
            rest += difference;
            if constexpr (fixedBins > 0) columnRests[l] += difference;
        }
        sum += timesLog(__fmaf_rn(row, lastColumn, -rest));
        lastRow -= row;
        corner += rest;
    }
    for (unsigned l = 0; l < bins; ++l) {
        float rest = 0;
        if constexpr (fixedBins > 0)
            rest = columnRests[l];
        else
            for (unsigned k = 0; k < bins; ++k) rest += cells[k * kPitch + l] * scale;
        sum += timesLog(__fmaf_rn(lastRow, columnMargins[l], -rest));
    }
    return sum + timesLog(__fmaf_rn(lastRow, lastColumn, corner));
}

template <class Products, bool isLong>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads, 1)
    warpgroupKernel(const __grid_constant__ JointTask task) {
    using Shape = Tile<isLong>;
    constexpr unsigned down = kBandPanels / kRowPanels;
    const unsigned block = blockOfCluster();
    const unsigned cluster = blockIdx.x / kCluster;
    const unsigned rowPanel = (task.firstBand + blockIdx.y) * kBandPanels + cluster % down * kRowPanels;
    const unsigned firstColumn = cluster / down * kCluster;
    // The same for both blocks of the cluster.
    if (rowPanel >= task.rowPanels || (task.isDiagonal && firstColumn >= rowPanel + kRowPanels)) return;
    // After the last panel there is none, so another one is used.
    const unsigned columnPanel = min(firstColumn + block, task.columnPanels - 1);
    const auto rowPanelOf = [&](unsigned number) { return min(rowPanel + number, task.rowPanels - 1); };

    extern __shared__ char unaligned[];
    char* const shared =
        reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(unaligned) + 1023) / 1024 * 1024);
    __shared__ BulkBarrier isFull[Shape::kStages], isEmpty[Shape::kStages];
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < Shape::kStages; ++stage) {
            isFull[stage].init(1);
            isEmpty[stage].init(kCluster * kWarpsThatMultiply);
        }
        publishBarriers();
    }
    syncCluster();

    const unsigned group = threadIdx.x / kGroupThreads;
    if (group == kRowPanels) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x % kGroupThreads == 0) {
            const char* const rows =
                static_cast<const char*>(task.rows) + std::size_t(rowPanelOf(block)) * kPanelBytes;
            const char* const columns =
                static_cast<const char*>(task.columns) + std::size_t(columnPanel) * kPanelBytes;
            for (unsigned step = 0; step < task.steps; ++step) {
                const unsigned stage = step % Shape::kStages;
                if (step >= Shape::kStages) isEmpty[stage].wait(step / Shape::kStages - 1);
                char* const place = shared + stage * kStageBytes;
                isFull[stage].expect(kStageBytes);
                const std::size_t stepBytes = std::size_t(step) * kPanelBytes;
                copyToCluster(place + block * kPanelBytes, rows + stepBytes * task.rowPanels, kPanelBytes,
                              isFull[stage], (1U << kCluster) - 1);
                copyToCluster(place + kRowPanels * kPanelBytes, columns + stepBytes * task.columnPanels,
                              kPanelBytes, isFull[stage], 1U << block);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const unsigned lane = threadIdx.x % 32;
        const auto release = [&](unsigned step) {
            if (lane < kCluster) isEmpty[step % Shape::kStages].arriveAt(lane);
        };
        float* const table = reinterpret_cast<float*>(shared + Shape::kTableBegin) + group * kSide * kPitch;
        Margins& margins = *reinterpret_cast<Margins*>(shared + Shape::kMarginBegin);
        const WeightPanels& layout = task.layout;
        const float scale = 1 / float(task.samples);
        if (layout.lacksLastBin) {
            margins.ofRows[threadIdx.x] =
                float(task.rowMarginals[std::size_t(rowPanelOf(group)) * kSide + threadIdx.x % kSide]) *
                scale;
            if (group == 0)
                margins.ofColumns[threadIdx.x] =
                    float(task.columnMarginals[std::size_t(columnPanel) * kSide + threadIdx.x]) * scale;
        }

        WarpgroupSums sums[2] = {};
        const std::uint32_t stages = sharedAddress(shared);
        constexpr unsigned runSteps = kRunSamples / Products::kStepSamples;
        // A run of products, whose sums are then moved from the registers.
        const auto multiply = [&](unsigned first, unsigned end) {
#pragma unroll 1
            for (unsigned step = first; step < end; ++step) {
                const unsigned stage = step % Shape::kStages;
                isFull[stage].wait(step / Shape::kStages);
                const std::uint32_t begin = stages + stage * kStageBytes;
                const std::uint32_t rows = begin + group * kPanelBytes;
                const std::uint32_t columns = begin + kRowPanels * kPanelBytes;
                pinSums(sums);
                beginProducts();
#pragma unroll
                for (unsigned half = 0; half < kStepBytes; half += kStepBytes / 2)
#pragma unroll
                    for (unsigned m = 0; m < 2; ++m)
                        Products::multiply(sums[m], warpgroupOperand(rows + m * kPanelBytes / 2 + half),
                                           warpgroupOperand(columns + half));
                endProducts();
                pinSums(sums);
                waitForProducts<Shape::kBehind>();
                if (step >= first + Shape::kBehind) release(step - Shape::kBehind);
            }
            waitForProducts<0>();
            pinSums(sums);
            if (Shape::kBehind > 0) release(end - 1);
        };
        if constexpr (isLong) {
#pragma unroll 1
            for (unsigned first = 0; first < task.steps; first += runSteps) {
                if (first > 0) moveSums(sums, table, first > runSteps);
                multiply(first, min(first + runSteps, task.steps));
            }
        } else {
            multiply(0, task.steps);
        }
        // The table may overlap the last stages.
        syncThreads(1, kRowPanels * kGroupThreads);
        moveSums(sums, table, task.steps > runSteps);
        syncThreads(2 + group, kGroupThreads);

        const unsigned thread = threadIdx.x % kGroupThreads;
        for (unsigned i = thread; i < layout.genes * layout.genes; i += kGroupThreads) {
            const unsigned x = i / layout.genes;
            const unsigned y = i % layout.genes;
            const unsigned row = (rowPanel + group) * layout.genes + x;
            const unsigned column = (firstColumn + block) * layout.genes + y;
            if (row >= task.rowCount || column >= task.columnCount) continue;
            const float* const cells = table + x * layout.bins * kPitch + y * layout.bins;
            double information;
            if (layout.lacksLastBin) {
                const float* const rowMargins = margins.ofRows + group * kSide + x * layout.bins;
                const float* const columnMargins = margins.ofColumns + y * layout.bins;
                const float negative =
                    layout.bins == kUsualBins - 1
                        ? negativeEntropyOf<kUsualBins - 1>(cells, layout.bins, scale, rowMargins,
                                                            columnMargins)
                        : negativeEntropyOf<0>(cells, layout.bins, scale, rowMargins, columnMargins);
                information = double(negative) - task.rowEntropies[row] - task.columnEntropies[column];
            } else {
                float total;
                information = double(informationOf(cells, layout.bins, total));
                if (!(total > 0)) information = __longlong_as_double(0x7ff8000000000000LL);
            }
            *task.results.at(row, column) = information < 0 ? 0 : information;
        }
    }
    // A block's barriers end with it, but the other block may still arrive at them.
    syncCluster();
}

template <class Products, bool isLong>
void launchKernel(const Launch& launch, const JointTask& task) {
    constexpr unsigned sharedBytes = Tile<isLong>::kSharedBytes;
    const auto kernel = warpgroupKernel<Products, isLong>;
    GLYCINE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sharedBytes)));
    // On the diagonal, columns after the last band of rows are not needed.
    const unsigned lastRow = (task.firstBand + task.bands) * kBandPanels;
    const unsigned columns = task.isDiagonal && lastRow < task.columnPanels ? lastRow : task.columnPanels;
    const unsigned clusters = kBandPanels / kRowPanels * ((columns + kCluster - 1) / kCluster);
    kernel<<<dim3(clusters * kCluster, task.bands), kThreads, sharedBytes, launch.stream>>>(task);
    checkLaunch("joint tables by warpgroups");
}

template <class Products>
void launchProducts(const Launch& launch, const JointTask& task) {
    if (task.steps > kRunSamples / Products::kStepSamples)
        launchKernel<Products, true>(launch, task);
    else
        launchKernel<Products, false>(launch, task);
}

}  // namespace

void launchWarpgroupInformation(const Launch& launch, mutualinfo::WeightPrecision precision,
                                const JointTask& task) {
    if (precision == mutualinfo::WeightPrecision::Float16)
        launchProducts<Float16Products>(launch, task);
    else
        launchProducts<Tf32Products>(launch, task);
}

}  // namespace glycine::cuda
