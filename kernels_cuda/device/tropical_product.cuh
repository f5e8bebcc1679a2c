#pragma once

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>

/// Matrix product over semirings whose sum is a minimum or maximum, for one thread block. It is the inner
/// loop of all blocked bound smoothing, (min, +) and (max, +), and of indirect paths, (max, min).
///
///     C[i][j] = best(C[i][j], best over k of  A[k][i] + B[k][j])
///
/// Both operands have k as their row index ("k-major"). The matrices are symmetric, so each can be read as
/// its own transpose, and rows are copied to shared memory unchanged.
namespace glycine::cuda {

/// (min, +): shortest paths. Entries and sums must be ≥ 0 for float.
template <class T>
struct MinPlus {
    __device__ static constexpr T best(T x, T y) { return y < x ? y : x; }
    __device__ static T relax(T c, T a, T b) { return best(c, a + b); }
    __device__ static T relaxTwice(T c, T a0, T b0, T a1, T b1) { return relax(relax(c, a0, b0), a1, b1); }
};

/// (max, +): lower bounds, with negated upper bounds. `c` must be ≥ +0 for float; sums may be negative.
template <class T>
struct MaxPlus {
    __device__ static constexpr T best(T x, T y) { return x < y ? y : x; }
    __device__ static T relax(T c, T a, T b) { return best(c, a + b); }
    __device__ static T relaxTwice(T c, T a0, T b0, T a1, T b1) { return relax(relax(c, a0, b0), a1, b1); }
};

/// (max, min): the strongest path, where a path is as strong as the weaker of its two steps.
template <class T>
struct MaxMin {
    __device__ static constexpr T weaker(T a, T b) { return b < a ? b : a; }
    __device__ static T relax(T c, T a, T b) { return MaxPlus<T>::best(c, weaker(a, b)); }
    __device__ static T relaxTwice(T c, T a0, T b0, T a1, T b1) { return relax(relax(c, a0, b0), a1, b1); }
};

// Non-negative floats have the order of their bit patterns read as integers, and every negative float is less
// than them as an integer. So one three-way integer minimum (or a maximum that starts from c ≥ 0) handles two
// sums: three instructions for two relaxations instead of four.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <>
__device__ inline float MinPlus<float>::relaxTwice(float c, float a0, float b0, float a1, float b1) {
    return __int_as_float(__vimin3_s32(__float_as_int(c), __float_as_int(a0 + b0), __float_as_int(a1 + b1)));
}
template <>
__device__ inline float MaxPlus<float>::relaxTwice(float c, float a0, float b0, float a1, float b1) {
    return __int_as_float(__vimax3_s32(__float_as_int(c), __float_as_int(a0 + b0), __float_as_int(a1 + b1)));
}
template <>
__device__ inline std::int32_t MinPlus<std::int32_t>::relax(std::int32_t c, std::int32_t a, std::int32_t b) {
    return __viaddmin_s32(a, b, c);
}
template <>
__device__ inline std::int32_t MaxPlus<std::int32_t>::relax(std::int32_t c, std::int32_t a, std::int32_t b) {
    return __viaddmax_s32(a, b, c);
}
template <>
__device__ inline std::int32_t MaxMin<std::int32_t>::relaxTwice(std::int32_t c, std::int32_t a0,
                                                                std::int32_t b0, std::int32_t a1,
                                                                std::int32_t b1) {
    return __vimax3_s32(c, min(a0, b0), min(a1, b1));
}
#endif
template <>
__device__ inline float MinPlus<float>::relax(float c, float a, float b) {
    return fminf(c, a + b);
}
template <>
__device__ inline float MaxPlus<float>::relax(float c, float a, float b) {
    return fmaxf(c, a + b);
}

/// How a block of 256 threads, 16 × 16, shares a square tile of C. Each thread holds kGroups × kGroups
/// squares of kVector × kVector elements, so all accesses are 16 bytes wide and free of bank conflicts.
template <class T, int groups>
struct TileShape {
    static constexpr int kThreads = 256;
    static constexpr int kVector = 16 / sizeof(T);
    static constexpr int kGroups = groups;
    static constexpr int kSide = 16 * kVector * groups;  ///< side of the tile
    static constexpr int kPerThread = kVector * groups;  ///< rows and columns that one thread holds
    static constexpr int kDepth = 16;                    ///< extent of k in one stage of the pipeline
    static constexpr int kStages = 3;
    static constexpr int kStageElements = 2 * kDepth * kSide;
    static constexpr int kSharedBytes = kStages * kStageElements * int(sizeof(T));
};
/// The widest tile: 128 × 128 for 4-byte numbers, 64 × 64 for 8-byte ones.
template <class T>
using WideTile = TileShape<T, 2>;
template <class T>
using NarrowTile = TileShape<T, 1>;

/// One thread's position and its elements of the tile.
template <class T, class Shape>
struct TileFragment {
    T value[Shape::kPerThread][Shape::kPerThread];

    /// Row (or column) inside the tile of the thread's element `index` along one axis.
    __device__ static int offset(int thread, int index) {
        return (index / Shape::kVector * 16 + thread) * Shape::kVector + index % Shape::kVector;
    }
    // A warp covers 4 rows of 8 threads: the two operands of a step are then 64 and 128 distinct bytes per
    // warp.
    __device__ static int threadColumn() { return threadIdx.x % 8 + threadIdx.x / 32 % 2 * 8; }
    __device__ static int threadRow() { return threadIdx.x / 8 % 4 + threadIdx.x / 64 * 4; }

    __device__ void load(const T* tile, std::size_t stride) {
        struct alignas(16) Vector {
            T element[Shape::kVector];
        };
#pragma unroll
        for (int i = 0; i < Shape::kPerThread; ++i) {
            const T* row = tile + offset(threadRow(), i) * stride;
#pragma unroll
            for (int g = 0; g < Shape::kGroups; ++g) {
                const Vector vector =
                    *reinterpret_cast<const Vector*>(row + offset(threadColumn(), g * Shape::kVector));
#pragma unroll
                for (int v = 0; v < Shape::kVector; ++v) value[i][g * Shape::kVector + v] = vector.element[v];
            }
        }
    }
    __device__ void store(T* tile, std::size_t stride) const {
        // Hides that load() may have used the same address. Otherwise the compiler keeps the address of every
        // row in registers throughout the product, and spills.
        asm volatile("" : "+l"(tile), "+l"(stride));
        struct alignas(16) Vector {
            T element[Shape::kVector];
        };
#pragma unroll
        for (int i = 0; i < Shape::kPerThread; ++i) {
            T* row = tile + offset(threadRow(), i) * stride;
#pragma unroll
            for (int g = 0; g < Shape::kGroups; ++g) {
                Vector vector;
#pragma unroll
                for (int v = 0; v < Shape::kVector; ++v) vector.element[v] = value[i][g * Shape::kVector + v];
                *reinterpret_cast<Vector*>(row + offset(threadColumn(), g * Shape::kVector)) = vector;
            }
        }
    }
};

/// Row indices for a product over consecutive k.
struct ConsecutiveRows {
    __device__ int operator()(int k) const { return k; }
};
/// Row indices for a product over selected k.
struct ListedRows {
    const std::uint16_t* list;
    __device__ int operator()(int k) const { return list[k]; }
};

/// Starts copying kDepth rows of both operands into one stage of shared memory.
template <class T, class Shape, class Rows>
__device__ inline void loadStage(T* stage, const T* a, std::size_t strideA, const T* b, std::size_t strideB,
                                 int firstK, Rows rows) {
    constexpr int vectorsPerRow = Shape::kSide / Shape::kVector;
    constexpr int vectors = Shape::kDepth * vectorsPerRow;
    static_assert(vectors % Shape::kThreads == 0);
#pragma unroll
    for (int first = 0; first < vectors; first += Shape::kThreads) {
        const int vector = first + threadIdx.x;
        const int k = vector / vectorsPerRow;
        const int column = vector % vectorsPerRow * Shape::kVector;
        const std::size_t row = rows(firstK + k);
        T* target = stage + k * Shape::kSide + column;
        __pipeline_memcpy_async(target, a + row * strideA + column, 16);
        __pipeline_memcpy_async(target + Shape::kDepth * Shape::kSide, b + row * strideB + column, 16);
    }
}

/// Updates the fragment with the sums of one stage.
template <class T, class Shape, class Semiring>
__device__ inline void relaxStage(TileFragment<T, Shape>& c, const T* stage) {
    struct alignas(16) Vector {
        T element[Shape::kVector];
    };
    const T* a = stage + TileFragment<T, Shape>::threadRow() * Shape::kVector;
    const T* b =
        stage + Shape::kDepth * Shape::kSide + TileFragment<T, Shape>::threadColumn() * Shape::kVector;
#pragma unroll
    for (int k = 0; k < Shape::kDepth; k += 2) {
        T rowPart[2][Shape::kPerThread];
        T columnPart[2][Shape::kPerThread];
#pragma unroll
        for (int step = 0; step < 2; ++step) {
#pragma unroll
            for (int g = 0; g < Shape::kGroups; ++g) {
                const int offset = (k + step) * Shape::kSide + g * 16 * Shape::kVector;
                const Vector fromA = *reinterpret_cast<const Vector*>(a + offset);
                const Vector fromB = *reinterpret_cast<const Vector*>(b + offset);
#pragma unroll
                for (int v = 0; v < Shape::kVector; ++v) {
                    rowPart[step][g * Shape::kVector + v] = fromA.element[v];
                    columnPart[step][g * Shape::kVector + v] = fromB.element[v];
                }
            }
        }
#pragma unroll
        for (int i = 0; i < Shape::kPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < Shape::kPerThread; ++j)
                c.value[i][j] = Semiring::relaxTwice(c.value[i][j], rowPart[0][i], columnPart[0][j],
                                                     rowPart[1][i], columnPart[1][j]);
        }
    }
}

/// Updates the fragment with the sums over k = rows(0) … rows(depth − 1); `depth` is a multiple of kDepth and
/// may be 0. `a` and `b` point at the tile's first row and first column of row 0. All 256 threads must call
/// it. Shared memory may be reused after the next barrier.
template <class T, class Shape, class Semiring, class Rows>
__device__ inline void accumulateProduct(TileFragment<T, Shape>& c, T* shared, const T* a,
                                         std::size_t strideA, const T* b, std::size_t strideB, int depth,
                                         Rows rows) {
    const int steps = depth / Shape::kDepth;
#pragma unroll
    for (int step = 0; step < Shape::kStages - 1; ++step) {
        if (step < steps)
            loadStage<T, Shape>(shared + step * Shape::kStageElements, a, strideA, b, strideB,
                                step * Shape::kDepth, rows);
        __pipeline_commit();
    }
    int reading = 0;
    int writing = Shape::kStages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(Shape::kStages - 2);
        // After this barrier, the stage has arrived for all threads, and no thread reads the stage that is
        // refilled next.
        __syncthreads();
        const int ahead = step + Shape::kStages - 1;
        if (ahead < steps)
            loadStage<T, Shape>(shared + writing * Shape::kStageElements, a, strideA, b, strideB,
                                ahead * Shape::kDepth, rows);
        __pipeline_commit();
        relaxStage<T, Shape, Semiring>(c, shared + reading * Shape::kStageElements);
        reading = reading + 1 == Shape::kStages ? 0 : reading + 1;
        writing = writing + 1 == Shape::kStages ? 0 : writing + 1;
    }
    __pipeline_wait_prior(0);
}

}  // namespace glycine::cuda
