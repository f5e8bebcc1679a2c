#include "engine/distance/genotype_symbol.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/numbers_on_device.cuh"
#include "kernels_cuda/distance/distance_kernels.hpp"

/// Genotypes placed in device memory by other libraries, one lane per attribute.
namespace glycine::cuda {

namespace {

constexpr unsigned kGenotypeThreads = 256;
constexpr unsigned kAll = 0xffffffffu;
constexpr unsigned kMaxBlocks = 8192;

template <class Number>
__global__ void checkKernel(NumbersOnDevice<Number> numbers, std::size_t rows, std::size_t columns,
                            unsigned long long* known, unsigned* refused) {
    for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        unsigned there = 0;
        bool isNone = false;
        for (std::size_t column = threadIdx.x; column < columns; column += kGenotypeThreads) {
            const std::uint8_t symbol = distance::genotypeSymbol(numbers.at(row, column));
            there += symbol != distance::kMissingSymbol;
            isNone |= symbol == distance::kNoGenotype;
        }
        for (int distance = 16; distance > 0; distance /= 2) there += __shfl_xor_sync(kAll, there, distance);
        if (threadIdx.x % 32 == 0) atomicAdd(known + row, static_cast<unsigned long long>(there));
        if (isNone) atomicOr(refused, 1u);
    }
}

template <class Number>
__global__ void packKernel(NumbersOnDevice<Number> numbers, Range instances, Range attributes,
                           distance::DiscreteShape shape, MatrixOnDevice<std::uint32_t> target) {
    const unsigned lane = threadIdx.x % 32;
    const std::size_t words = target.stride;
    const std::size_t count = (instances.end - instances.begin) * words;
    const std::size_t step = std::size_t(gridDim.x) * (kGenotypeThreads / 32);
    for (std::size_t one = std::size_t(blockIdx.x) * (kGenotypeThreads / 32) + threadIdx.x / 32; one < count;
         one += step) {
        const std::size_t instance = one / words, word = one % words;
        const std::size_t attribute = attributes.begin + word * 32 + lane;
        const std::uint8_t symbol =
            attribute < attributes.end
                ? distance::genotypeSymbol(numbers.at(instances.begin + instance, attribute))
                : distance::kMissingSymbol;
        const unsigned isPresent = __ballot_sync(kAll, symbol != distance::kMissingSymbol);
        const unsigned hasCopy = __ballot_sync(kAll, symbol == 1 || symbol == 2);
        const unsigned hasTwo = __ballot_sync(kAll, symbol == 2);
        if (lane != 0) continue;
        const std::size_t row = instance * shape.storedPlanes();
        *target.at(row, word) = hasCopy;
        *target.at(row + 1, word) = hasTwo;
        if (shape.hasMissing) *target.at(row + 2, word) = isPresent;
    }
}

unsigned blocksFor(std::size_t count) {
    return unsigned(count < kMaxBlocks ? count : kMaxBlocks);
}

}  // namespace

void launchCheckGenotypes(StreamHandle stream, const DeviceMatrix& numbers, unsigned long long* known,
                          unsigned* refused) {
    visitNumbers(numbers, [&](auto strided) {
        checkKernel<<<blocksFor(numbers.rows), kGenotypeThreads, 0, stream>>>(
            strided, numbers.rows, numbers.columns, known, refused);
        checkLaunch("check of genotypes");
    });
}

void launchPackGenotypes(StreamHandle stream, const DeviceMatrix& numbers, Range instances, Range attributes,
                         const distance::DiscreteShape& shape, MatrixOnDevice<std::uint32_t> target) {
    const std::size_t warps = (instances.end - instances.begin) * target.stride;
    constexpr std::size_t kWarps = kGenotypeThreads / 32;
    visitNumbers(numbers, [&](auto strided) {
        packKernel<<<blocksFor((warps + kWarps - 1) / kWarps), kGenotypeThreads, 0, stream>>>(
            strided, instances, attributes, shape, target);
        checkLaunch("packing of genotypes");
    });
}

}  // namespace glycine::cuda
