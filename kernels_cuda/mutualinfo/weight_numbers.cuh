#pragma once

#include <cuda_fp16.h>

#include <cstdint>

/// Number formats of weights, and their products, in device code. An operand is a row of kStepBytes: four
/// vectors of 16 bytes, which four neighbouring threads hold.
///
/// A warp multiplies 16 rows by 8 columns. Thread t of group g (lane 4g + t) supplies vector t of rows g and
/// g + 8 and of column g. It holds the sums of rows g and g + 8 with columns 2t and 2t + 1, in this order,
/// which is the layout of `mma`. The order of samples does not matter, as long as it is the same in rows and
/// columns.
namespace glycine::cuda {

inline constexpr unsigned kFullWarp = 0xffffffff;

/// The elements of a vector.
template <class Numbers>
__device__ inline void unpack(const uint4& vector,
                              typename Numbers::Element (&elements)[Numbers::kElements]) {
    memcpy(elements, &vector, sizeof vector);
}

/// The products of one step without tensor cores. The versions with tensor cores compute the same.
template <class Numbers>
__device__ inline void multiplyByShuffles(typename Numbers::Sum (&sums)[4], const uint4& upper,
                                          const uint4& lower, const uint4& column) {
    const auto from = [](const uint4& vector, unsigned lane) {
        return make_uint4(__shfl_sync(kFullWarp, vector.x, lane), __shfl_sync(kFullWarp, vector.y, lane),
                          __shfl_sync(kFullWarp, vector.z, lane), __shfl_sync(kFullWarp, vector.w, lane));
    };
    const unsigned lane = threadIdx.x % 32;
    const unsigned rowLane = lane / 4 * 4;
    const unsigned columnLane = lane % 4 * 8;
#pragma unroll 1
    for (unsigned t = 0; t < 4; ++t) {
        typename Numbers::Element a[2][Numbers::kElements], b[2][Numbers::kElements];
        unpack<Numbers>(from(upper, rowLane + t), a[0]);
        unpack<Numbers>(from(lower, rowLane + t), a[1]);
        unpack<Numbers>(from(column, columnLane + t), b[0]);
        unpack<Numbers>(from(column, columnLane + 4 + t), b[1]);
#pragma unroll
        for (int e = 0; e < Numbers::kElements; ++e)
#pragma unroll
            for (int i = 0; i < 4; ++i)
                sums[i] += typename Numbers::Sum(a[i / 2][e]) * typename Numbers::Sum(b[i % 2][e]);
    }
}

/// float64; only sums are rounded.
struct Float64Numbers {
    using Element = double;
    using Sum = double;
    static constexpr int kElements = 2;
    /// Samples after which sums are moved elsewhere; 0: never.
    static constexpr unsigned kRunSamples = 0;
    /// If panels lack the last bin, weights are multiples of 1 / kUnitsOfOne; all such multiples up to 1 are
    /// numbers of this format. 0: weights are not rounded to units.
    static constexpr double kUnitsOfOne = 0;

    __device__ static Element round(double weight) { return weight; }
    __device__ static void multiply(Sum (&sums)[4], const uint4& upper, const uint4& lower,
                                    const uint4& column) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        double a[2][2], b[2];
        unpack<Float64Numbers>(upper, a[0]);
        unpack<Float64Numbers>(lower, a[1]);
        unpack<Float64Numbers>(column, b);
#if __CUDA_ARCH__ >= 900
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
            : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
        for (int e = 0; e < 2; ++e)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                    : "+d"(sums[2 * half]), "+d"(sums[2 * half + 1])
                    : "d"(a[half][e]), "d"(b[e]));
#endif
#else
        multiplyByShuffles<Float64Numbers>(sums, upper, lower, column);
#endif
    }
};

/// Two products of 16 × 8 sums: of the first halves of all vectors, and of the second halves.
#define GLYCINE_MULTIPLY_HALVES(shape)                                                           \
    asm("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"       \
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                             \
        : "r"(upper.x), "r"(lower.x), "r"(upper.y), "r"(lower.y), "r"(column.x), "r"(column.y)); \
    asm("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"       \
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                             \
        : "r"(upper.z), "r"(lower.z), "r"(upper.w), "r"(lower.w), "r"(column.z), "r"(column.w))

/// float16; products are exact, sums in float32.
struct Float16Numbers {
    using Element = __half;
    using Sum = float;
    static constexpr int kElements = 8;
    /// Limited, because tensor cores truncate bits below the last bit of a sum.
    static constexpr unsigned kRunSamples = 4096;
    static constexpr double kUnitsOfOne = 2048;

    __device__ static Element round(double weight) { return __double2half(weight); }
    __device__ static void multiply(Sum (&sums)[4], const uint4& upper, const uint4& lower,
                                    const uint4& column) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        GLYCINE_MULTIPLY_HALVES("m16n8k16.row.col.f32.f16.f16.f32");
#else
        multiplyByShuffles<Float16Numbers>(sums, upper, lower, column);
#endif
    }
};

__device__ inline float roundToTf32(float value) {
    // Adds half a unit of the last bit that is kept; the bits after it are cut off.
    return __uint_as_float((__float_as_uint(value) + 0x1000) & 0xffffe000);
}

/// TF32: float32 with 10 bits after the binary point; products are exact, sums in float32.
struct Tf32Numbers {
    using Element = float;
    using Sum = float;
    static constexpr int kElements = 4;
    static constexpr unsigned kRunSamples = 4096;
    static constexpr double kUnitsOfOne = 2048;

    __device__ static Element round(double weight) { return roundToTf32(float(weight)); }
    __device__ static void multiply(Sum (&sums)[4], const uint4& upper, const uint4& lower,
                                    const uint4& column) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        GLYCINE_MULTIPLY_HALVES("m16n8k8.row.col.f32.tf32.tf32.f32");
#else
        multiplyByShuffles<Tf32Numbers>(sums, upper, lower, column);
#endif
    }
};

/// float32. On tensor cores a weight is the sum of two TF32 numbers. Of the four products, all but that of
/// the two small parts are added, whose share is at most 2⁻²².
struct Float32Numbers {
    using Element = float;
    using Sum = float;
    static constexpr int kElements = 4;
    static constexpr unsigned kRunSamples = 128;
    static constexpr double kUnitsOfOne = 0;

    __device__ static Element round(double weight) { return float(weight); }
    __device__ static std::uint32_t rest(std::uint32_t& word) {
        const float value = __uint_as_float(word);
        const float rounded = roundToTf32(value);
        word = __float_as_uint(rounded);
        return __float_as_uint(value - rounded);
    }
    __device__ static uint4 rests(uint4& vector) {
        return make_uint4(rest(vector.x), rest(vector.y), rest(vector.z), rest(vector.w));
    }
    __device__ static void multiply(Sum (&sums)[4], uint4 upper, uint4 lower, uint4 column) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        const uint4 upperRest = rests(upper);
        const uint4 lowerRest = rests(lower);
        const uint4 columnRest = rests(column);
        Tf32Numbers::multiply(sums, upperRest, lowerRest, column);
        Tf32Numbers::multiply(sums, upper, lower, columnRest);
        Tf32Numbers::multiply(sums, upper, lower, column);
#else
        multiplyByShuffles<Float32Numbers>(sums, upper, lower, column);
#endif
    }
};

#undef GLYCINE_MULTIPLY_HALVES

}  // namespace glycine::cuda
