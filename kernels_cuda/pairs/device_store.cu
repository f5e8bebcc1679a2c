#include <cstdint>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairs/device_store_kernels.hpp"
#include "kernels_cuda/pairs/transpose_square.cuh"

namespace glycine::cuda {

namespace {

// Same as pairs::toStored, except for the result for infinities.
__device__ bool convert(double value, double& target) {
    target = value;
    return true;
}
__device__ bool convert(double value, float& target) {
    target = __double2float_rn(value);
    return isfinite(target) || !isfinite(value);
}
__device__ bool convert(double value, std::int32_t& target) {
    const bool isInRange = value >= -2147483647.0 && value <= 2147483647.0;
    target = isnan(value) ? INT32_MIN : isInRange ? std::int32_t(value) : 0;
    return isnan(value) || (isInRange && double(target) == value);
}

template <class Source, class Target>
__global__ void storeKernel(PieceOnDevice<Source> piece, ValueRule rule, StoredLayout layout, Target* target,
                            unsigned* misfits) {
    __shared__ Target square[kSquare][kSquare + 1];
    const std::size_t left = std::size_t(blockIdx.x) * kSquare, top = std::size_t(blockIdx.y) * kSquare;
    const auto isPair = [&](std::size_t r, std::size_t c) {
        return r < piece.rows && c < piece.columns && piece.firstColumn + c < piece.firstRow + r;
    };
    bool fits = true;
    for (unsigned k = threadIdx.y; k < kSquare; k += kRowsAtOnce) {
        const std::size_t r = top + k, c = left + threadIdx.x;
        const std::size_t row = piece.firstRow + r, column = piece.firstColumn + c;
        if (r < piece.rows && c < piece.columns && row == column && layout.isSquare())
            convert(rule.onDiagonal != nullptr ? rule.onDiagonal[row] : rule.diagonal,
                    target[layout.index(row, row)]);
        if (!isPair(r, c)) continue;
        const double number = *piece.numbers.at(r, c);
        const double value = rule.isRoot ? sqrt(number) : number * rule.factor;
        Target& made = square[k][threadIdx.x];
        fits = fits && !(number < rule.least) && (!rule.isFinite || isfinite(value));
        fits = convert(value, made) && fits;
        if (layout.holdsBelow()) target[layout.index(row, column)] = made;
    }
    if (!fits) atomicOr(misfits, 1u);
    if (!layout.holdsAbove()) return;
    __syncthreads();
    for (unsigned k = threadIdx.y; k < kSquare; k += kRowsAtOnce) {
        const std::size_t r = top + threadIdx.x, c = left + k;
        if (isPair(r, c))
            target[layout.index(piece.firstColumn + c, piece.firstRow + r)] = square[threadIdx.x][k];
    }
}

}  // namespace

template <class Source, class Target>
void launchStore(StreamHandle stream, const PieceOnDevice<Source>& piece, const ValueRule& rule,
                 const StoredLayout& layout, Target* target, unsigned* misfits) {
    forRowsOf(piece.rows, [&](std::size_t first, std::size_t count) {
        PieceOnDevice<Source> part = piece;
        part.numbers.data = piece.numbers.at(first, 0);
        part.firstRow += first;
        part.rows = count;
        storeKernel<<<dim3(squares(part.columns), squares(part.rows)), kSquareThreads, 0, stream>>>(
            part, rule, layout, target, misfits);
        checkLaunch("storing of values");
    });
}

#define GLYCINE_STORE(Source, Target)                                                       \
    template void launchStore(StreamHandle, const PieceOnDevice<Source>&, const ValueRule&, \
                              const StoredLayout&, Target*, unsigned*)
GLYCINE_STORE(double, double);
GLYCINE_STORE(double, float);
GLYCINE_STORE(double, std::int32_t);
GLYCINE_STORE(std::uint32_t, double);
GLYCINE_STORE(std::uint32_t, float);
GLYCINE_STORE(std::uint32_t, std::int32_t);
#undef GLYCINE_STORE

}  // namespace glycine::cuda
