#include <cmath>

#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/numbers_on_device.cuh"

/// Imports and exports bounds in device memory that the caller owns. One block per row.
namespace glycine::cuda {

namespace {

constexpr unsigned kThreadsOfRow = 256;
constexpr double kAbsurdDistance = 1e6;  ///< as files are read (engine/bounds/input/bound_files.cpp)

/// The bound that a number in Å stands for; negative: none.
template <class T>
__device__ T boundOf(double value, bool isUpper) {
    // Adding zero turns −0 into 0.
    if (value >= 0 && value < kAbsurdDistance) return T(value) + T(0);
    return isUpper && value == HUGE_VAL ? T(1e30) : T(-1);
}

template <class T, class Number>
__global__ void takeKernel(NumbersOnDevice<Number> source, bool isUpper, std::size_t atoms,
                           MatrixOnDevice<T> target, BoundFacts* facts) {
    bool isRefused = false;
    double largest = 0;
    for (std::size_t i = blockIdx.x; i < atoms; i += gridDim.x)
        for (std::size_t j = threadIdx.x; j < atoms; j += kThreadsOfRow) {
            const T bound = boundOf<T>(source.at(i, j), isUpper);
            isRefused |= bound < 0 || bound != boundOf<T>(source.at(j, i), isUpper) || (i == j && bound != 0);
            if (i < j) largest = fmax(largest, double(bound));
            *target.at(i, j) = bound;
        }
    if (isRefused) atomicOr(&facts->isRefused, 1u);
    if (!isUpper) return;
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    // Doubles that are not negative order as their bit patterns do.
    if (threadIdx.x % 32 == 0)
        atomicMax(reinterpret_cast<unsigned long long*>(&facts->largest),
                  static_cast<unsigned long long>(__double_as_longlong(largest)));
}

__device__ void addTo(unsigned long long* sum, unsigned long long count) {
    for (int distance = 16; distance > 0; distance /= 2)
        count += __shfl_xor_sync(0xffffffffu, count, distance);
    if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(sum, count);
}

template <class T>
__global__ void countKernel(MatrixOnDevice<const T> upper, MatrixOnDevice<const T> lower, std::size_t atoms,
                            double tolerance, BoundFacts* facts) {
    const double largest = facts->largest;
    unsigned long long atLargest = 0, exceeding = 0;
    for (std::size_t i = blockIdx.x; i < atoms; i += gridDim.x)
        for (std::size_t j = i + 1 + threadIdx.x; j < atoms; j += kThreadsOfRow) {
            const double most = *upper.at(i, j);
            atLargest += most == largest;
            exceeding += double(*lower.at(i, j)) - most > tolerance;
        }
    addTo(&facts->atLargest, atLargest);
    addTo(&facts->exceeding, exceeding);
}

template <class T>
__global__ void giveKernel(MatrixOnDevice<const T> source, std::size_t atoms, NumbersOnDevice<T> target) {
    for (std::size_t i = blockIdx.x; i < atoms; i += gridDim.x)
        for (std::size_t j = threadIdx.x; j < atoms; j += kThreadsOfRow) {
            const T bound = *source.at(i, j);
            *const_cast<T*>(target.place(i, j)) = i == j ? T(0) : bound >= T(1e30) ? T(HUGE_VAL) : bound;
        }
}

unsigned blocksOfRows(std::size_t atoms) {
    constexpr std::size_t kMax = 8192;
    return unsigned(atoms < kMax ? atoms : kMax);
}

}  // namespace

template <class T>
void launchTakeBounds(const Launch& launch, const DeviceMatrix& source, bool isUpper, std::size_t atoms,
                      MatrixOnDevice<T> target, BoundFacts* facts) {
    visitReal(source, [&](auto numbers) {
        takeKernel<T><<<blocksOfRows(atoms), kThreadsOfRow, 0, launch.stream>>>(numbers, isUpper, atoms,
                                                                                target, facts);
        checkLaunch("taking of bounds");
    });
}

template <class T>
void launchCountBounds(const Launch& launch, MatrixOnDevice<const T> upper, MatrixOnDevice<const T> lower,
                       std::size_t atoms, double tolerance, BoundFacts* facts) {
    countKernel<T>
        <<<blocksOfRows(atoms), kThreadsOfRow, 0, launch.stream>>>(upper, lower, atoms, tolerance, facts);
    checkLaunch("counting of bounds");
}

template <class T>
void launchGiveBounds(const Launch& launch, MatrixOnDevice<const T> source, std::size_t atoms,
                      const DeviceMatrix& target) {
    giveKernel<T>
        <<<blocksOfRows(atoms), kThreadsOfRow, 0, launch.stream>>>(source, atoms, numbersOnDevice<T>(target));
    checkLaunch("giving of bounds");
}

#define GLYCINE_INSTANTIATE(T)                                                                          \
    template void launchTakeBounds<T>(const Launch&, const DeviceMatrix&, bool, std::size_t,            \
                                      MatrixOnDevice<T>, BoundFacts*);                                  \
    template void launchCountBounds<T>(const Launch&, MatrixOnDevice<const T>, MatrixOnDevice<const T>, \
                                       std::size_t, double, BoundFacts*);                               \
    template void launchGiveBounds<T>(const Launch&, MatrixOnDevice<const T>, std::size_t,              \
                                      const DeviceMatrix&);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
