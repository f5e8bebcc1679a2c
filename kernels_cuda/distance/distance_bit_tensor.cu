#include "kernels_cuda/distance/count_launch.cuh"

/// Counts as products of bit matrices: a tensor core ANDs 256 bits of each of 16 rows with each of 8 columns,
/// and adds the population counts. On an H200, one such instruction multiplies eight times as many pairs of
/// bits as the int8 instruction multiplies pairs of bytes, in the same time.
///
/// Genotypes 0, 1, 2 have the one-hot indicators u, h, w (all 0 if the genotype is missing). Where two
/// genotypes differ, exactly one of three terms is 1: u(h' + w') + h(u' + w') + w(u' + h'). Each bracket is
/// itself an indicator. So three products count the differing attributes, without corrections for missing
/// entries or padding.
namespace glycine::cuda {

namespace {

extern __shared__ __align__(16) std::uint32_t sharedWords[];

// --- Terms left(a) & right(b); each is 1 for different attributes ---------------------------------------

/// Bits of the planes of one instance; `present` is all ones if nothing can be missing.
struct Symbols {
    std::uint32_t low, high, present;
};

struct GenotypesDiffer {
    static constexpr int kTerms = 3;
    __device__ static std::uint32_t left(int term, Symbols s) {
        return term == 0 ? s.present & ~s.low : term == 1 ? s.low & ~s.high : s.high;
    }
    __device__ static std::uint32_t right(int term, Symbols s) {
        return term == 0 ? s.low : term == 1 ? s.present & ~(s.low ^ s.high) : s.present & ~s.high;
    }
};

struct OppositeHomozygotes {
    static constexpr int kTerms = 2;
    __device__ static std::uint32_t left(int term, Symbols s) {
        return term == 0 ? s.present & ~s.low : s.high;
    }
    __device__ static std::uint32_t right(int term, Symbols s) { return left(1 - term, s); }
};

/// One plane.
struct BitsDiffer {
    static constexpr int kTerms = 2;
    __device__ static std::uint32_t left(int term, Symbols s) {
        return term == 0 ? s.present & ~s.low : s.low;
    }
    __device__ static std::uint32_t right(int term, Symbols s) { return left(1 - term, s); }
};

/// Two planes, four symbols: each symbol against all others.
struct FourSymbolsDiffer {
    static constexpr int kTerms = 4;
    __device__ static std::uint32_t left(int term, Symbols s) {
        return term == 0   ? s.present & ~(s.low | s.high)
               : term == 1 ? s.low & ~s.high
               : term == 2 ? s.high & ~s.low
                           : s.low & s.high;
    }
    __device__ static std::uint32_t right(int term, Symbols s) {
        return term == 0   ? s.low | s.high
               : term == 1 ? s.present & ~(s.low & ~s.high)
               : term == 2 ? s.present & ~(s.high & ~s.low)
                           : s.present & ~(s.low & s.high);
    }
};

/// The plane of known entries alone.
struct BothPresent {
    static constexpr int kTerms = 1;
    __device__ static std::uint32_t left(int, Symbols s) { return s.low; }
    __device__ static std::uint32_t right(int, Symbols s) { return s.low; }
};

// --- The product
// ---------------------------------------------------------------------------------------------

/// Four warps, each with 64 × 64 pairs: 4 × 8 products of 16 × 8 pairs. Two such blocks per multiprocessor
/// hide each other's barriers: 9 % faster on an H200 than one block of eight warps.
constexpr int kWarpSide = 64;
constexpr int kWarpsDown = 2;
constexpr int kWarpsAcross = 2;
constexpr int kRowProducts = 4;
constexpr int kColumnProducts = 8;
/// Words of a plane per instruction: 256 bits.
constexpr int kWords = 8;

template <class Form, int planeCount, bool missing>
struct BitProduct {
    using Terms = Form;
    static constexpr int kPlanes = planeCount;
    static constexpr bool kMissing = missing;
    static constexpr int kStored = planeCount + missing;
    static constexpr int kWordsOfStage = kStored == 1 ? 2 * kWords : kWords;
    static constexpr int kStages = 3;
    /// Lanes 4g + t of a quarter warp read four words each, of words t = 0 … 3 and groups g = 0, 1. They hit
    /// different banks if consecutive words are 8 or 24 banks apart.
    static constexpr int kPadding = kStored == 2 ? 4 : 8;
    using Tile = BlockTile<kWarpsDown * kWarpSide, kWarpsAcross * kWarpSide, 32 * kWarpsDown * kWarpsAcross,
                           kWordsOfStage * kStored, kStages, kPadding>;
    static_assert(kStored * Tile::kPitch % 16 == 8);
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// count += number of bits that a (16 rows × 256) and b (256 × 8 columns) have in common.
__device__ inline void multiplyBits(std::uint32_t (&count)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(count[0]), "+r"(count[1]), "+r"(count[2]), "+r"(count[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
/// Never reached: callers of launchBitTensor check the compute capability first.
__device__ inline void multiplyBits(std::uint32_t (&)[4], const std::uint32_t (&)[4],
                                    const std::uint32_t (&)[2]) {
    __trap();
}
#endif

/// The planes of four instances at one word of the stage.
template <class Product>
struct FourInstances {
    std::uint32_t plane[Product::kStored][4];

    __device__ void load(const std::uint32_t* source) {
#pragma unroll
        for (int p = 0; p < Product::kStored; ++p) readVector(source + p * Product::Tile::kPitch, plane[p]);
    }
    __device__ Symbols at(int instance) const {
        return {plane[0][instance], plane[Product::kPlanes - 1][instance],
                Product::kMissing ? plane[Product::kStored - 1][instance] : ~0U};
    }
};

/// An instruction expects rows g and g + 8 and column g in lane 4g + t, and words t and t + 4. The assignment
/// of instances to row g is free: lane 4g + t reads four neighbours at once and uses them as row g of four
/// products.
template <class Product>
__global__ void __launch_bounds__(Product::Tile::kThreads, 2)
    bitTensorKernel(PairTask task, CountsOnDevice counts) {
    using Tile = typename Product::Tile;
    using Terms = typename Product::Terms;
    const PairBlock<Tile> block(task);
    if (block.isAboveDiagonal(task)) return;
    const int lane = threadIdx.x % 32;
    const int group = lane / 4;
    const int inGroup = lane % 4;
    const int warpRow = int(threadIdx.x) / 32 / kWarpsAcross * kWarpSide;
    const int warpColumn = int(threadIdx.x) / 32 % kWarpsAcross * kWarpSide;

    std::uint32_t count[kRowProducts][kColumnProducts][4] = {};
    forEachPairStage(sharedWords, task.window, block, Tile::kDepth, [&](const std::uint32_t* stage) {
        const std::uint32_t* rows = stage + warpRow + group * 4;
        const std::uint32_t* columns = stage + Tile::kRows + warpColumn + group * 4;
#pragma unroll
        for (int word = 0; word < Product::kWordsOfStage; word += kWords) {
            FourInstances<Product> a[2][2];  // [words t, t + 4][rows g, g + 8]
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int offset = (word + inGroup + 4 * half) * Product::kStored * Tile::kPitch;
                a[half][0].load(rows + offset);
                a[half][1].load(rows + offset + 32);
            }
#pragma unroll
            for (int part = 0; part < kColumnProducts / 4; ++part) {
                FourInstances<Product> b[2];
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    b[half].load(columns + part * 32 +
                                 (word + inGroup + 4 * half) * Product::kStored * Tile::kPitch);
#pragma unroll
                for (int term = 0; term < Terms::kTerms; ++term) {
#pragma unroll
                    for (int m = 0; m < kRowProducts; ++m) {
                        const std::uint32_t left[4] = {
                            Terms::left(term, a[0][0].at(m)), Terms::left(term, a[0][1].at(m)),
                            Terms::left(term, a[1][0].at(m)), Terms::left(term, a[1][1].at(m))};
#pragma unroll
                        for (int n = 0; n < 4; ++n) {
                            const std::uint32_t right[2] = {Terms::right(term, b[0].at(n)),
                                                            Terms::right(term, b[1].at(n))};
                            multiplyBits(count[m][part * 4 + n], left, right);
                        }
                    }
                }
            }
        }
    });

#pragma unroll
    for (int m = 0; m < kRowProducts; ++m) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const std::size_t row = block.row + warpRow + half * 32 + group * 4 + m;
#pragma unroll
            for (int part = 0; part < kColumnProducts / 4; ++part) {
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                    const std::size_t column =
                        block.column + warpColumn + part * 32 + (2 * inGroup + side) * 4;
                    const int element = half * 2 + side;
                    writeCounts(counts.differing + row * counts.stride + column, task.adds,
                                count[m][part * 4][element], count[m][part * 4 + 1][element],
                                count[m][part * 4 + 2][element], count[m][part * 4 + 3][element]);
                }
            }
        }
    }
}

template <class Form, int planes, bool missing>
void launchProduct(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                   Accumulate accumulate, std::uint32_t* target, std::size_t stride) {
    using Product = BitProduct<Form, planes, missing>;
    CountsOnDevice counts;
    counts.differing = target;  // for whichever count this is
    counts.stride = stride;
    launchPairs<typename Product::Tile>(launch, "bittensor", bitTensorKernel<Product>, window, portion,
                                        Product::Tile::kDepth, accumulate, counts);
}

template <class Form, int planes>
void launchForm(bool missing, const Launch& launch, const PairWindow& window, const PairPortion& portion,
                Accumulate accumulate, std::uint32_t* target, std::size_t stride) {
    (missing ? launchProduct<Form, planes, true>
             : launchProduct<Form, planes, false>)(launch, window, portion, accumulate, target, stride);
}

/// The window of a single plane.
PairWindow planeOf(const PairWindow& window, unsigned plane, unsigned stored) {
    const auto only = [&](MatrixOnDevice<const std::uint32_t> words) {
        return MatrixOnDevice<const std::uint32_t>{words.at(plane, 0), words.stride * stored};
    };
    return {only(window.rows), only(window.columns), window.depth / stored,
            window.rowCount,   window.columnCount,   window.isDiagonal};
}

}  // namespace

void launchBitTensor(const Launch& launch, const PairWindow& window, const PairPortion& portion,
                     const distance::DiscreteShape& shape, Accumulate accumulate,
                     const CountsOnDevice& counts) {
    const bool missing = shape.hasMissing;
    if (shape.planes == 1)
        launchForm<BitsDiffer, 1>(missing, launch, window, portion, accumulate, counts.differing,
                                  counts.stride);
    else if (shape.isGenotypes)
        launchForm<GenotypesDiffer, 2>(missing, launch, window, portion, accumulate, counts.differing,
                                       counts.stride);
    else
        launchForm<FourSymbolsDiffer, 2>(missing, launch, window, portion, accumulate, counts.differing,
                                         counts.stride);
    if (counts.opposite != nullptr)
        launchForm<OppositeHomozygotes, 2>(missing, launch, window, portion, accumulate, counts.opposite,
                                           counts.stride);
    if (counts.valid != nullptr) {
        const unsigned stored = shape.storedPlanes();
        const PairPortion part{portion.firstRow, portion.rowCount, portion.firstDepth / stored,
                               portion.depth / stored};
        launchProduct<BothPresent, 1, false>(launch, planeOf(window, shape.planes, stored), part, accumulate,
                                             counts.valid, counts.stride);
    }
}

}  // namespace glycine::cuda
