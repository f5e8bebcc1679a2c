#include <cfloat>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"
#include "kernels_cuda/device/numbers_on_device.cuh"

namespace glycine::cuda {

namespace {

constexpr unsigned kMatrixThreads = 256;

/// One block per row, or several if there are few rows.
dim3 gridFor(std::size_t rows, std::size_t columns) {
    constexpr std::size_t kMaxRows = 65535, kMaxColumns = 64;
    const std::size_t blocks = (columns + kMatrixThreads - 1) / kMatrixThreads;
    return dim3(unsigned(blocks < kMaxColumns ? blocks : kMaxColumns),
                unsigned(rows < kMaxRows ? rows : kMaxRows));
}

template <class Word>
__global__ void gatherKernel(NumbersOnDevice<Word> source, const std::size_t* which, Range rows,
                             Range columns, Word* target) {
    const std::size_t width = columns.end - columns.begin;
    for (std::size_t i = blockIdx.y; i < rows.end - rows.begin; i += gridDim.y) {
        const std::size_t row = which == nullptr ? rows.begin + i : which[rows.begin + i];
        for (std::size_t k = std::size_t(blockIdx.x) * kMatrixThreads + threadIdx.x; k < width;
             k += gridDim.x * kMatrixThreads)
            target[i * width + k] = source.at(row, columns.begin + k);
    }
}

__device__ void raise(double* largest, double value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmax(value, __shfl_xor_sync(0xffffffffu, value, distance));
    // Non-negative doubles have the order of their bit patterns.
    if (threadIdx.x % 32 == 0)
        atomicMax(reinterpret_cast<unsigned long long*>(largest),
                  static_cast<unsigned long long>(__double_as_longlong(value)));
}

template <class Number>
__global__ void summaryKernel(NumbersOnDevice<Number> numbers, std::size_t rows, std::size_t columns,
                              SummaryOnDevice* summary) {
    double widest = 0, highest = 0;
    bool isInfinite = false;
    for (std::size_t row = blockIdx.y; row < rows; row += gridDim.y)
        for (std::size_t k = std::size_t(blockIdx.x) * kMatrixThreads + threadIdx.x; k < columns;
             k += gridDim.x * kMatrixThreads) {
            const double value = numbers.at(row, k);
            isInfinite |= !isfinite(value);
            widest = fmax(widest, fmin(fabs(value - double(numbers.at(0, k))), DBL_MAX));
            highest = fmax(highest, fabs(value));
        }
    raise(&summary->widest, widest);
    raise(&summary->highest, highest);
    if (isInfinite) atomicOr(&summary->isInfinite, 1u);
}

}  // namespace

void launchGather(StreamHandle stream, const DeviceMatrix& numbers, const std::size_t* which, Range rows,
                  Range columns, void* target) {
    const dim3 grid = gridFor(rows.end - rows.begin, columns.end - columns.begin);
    DeviceMatrix bits = numbers;
    bits.kind = 'u';
    visitNumbers(bits, [&](auto source) {
        using Word = decltype(source.at(0, 0));
        gatherKernel<<<grid, kMatrixThreads, 0, stream>>>(source, which, rows, columns,
                                                          static_cast<Word*>(target));
        checkLaunch("gathering of rows");
    });
}

void launchSummary(StreamHandle stream, const DeviceMatrix& numbers, SummaryOnDevice* summary) {
    visitReal(numbers, [&](auto strided) {
        summaryKernel<<<gridFor(numbers.rows, numbers.columns), kMatrixThreads, 0, stream>>>(
            strided, numbers.rows, numbers.columns, summary);
        checkLaunch("summary of numbers");
    });
}

}  // namespace glycine::cuda
