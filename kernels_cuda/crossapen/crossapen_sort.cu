#include <algorithm>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_patterns.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// Sorts all segments of signals, or of keys, in one call of CUB's segmented radix sort.
namespace glycine::cuda {

namespace {

constexpr unsigned kSortThreads = 256;
constexpr std::size_t kAlignment = 256;

constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
__global__ void __launch_bounds__(kSortThreads)
    gatherSegments(const T* signals, SegmentShape shape, T* values, std::uint16_t* times) {
    const std::size_t index = std::size_t(blockIdx.x) * kSortThreads + threadIdx.x;
    const std::size_t segment = index / shape.length;
    if (segment >= shape.signals * shape.segments()) return;
    const std::size_t time = index % shape.length;
    const std::size_t sample = shape.first(segment % shape.segments()) + time;
    const T* signal = signals + segment / shape.segments() * signalStride(shape.samples);
    values[index] = sample < shape.samples ? signal[sample] : T(INFINITY);
    times[index] = std::uint16_t(time);
}

/// An iterator over the start offsets of segments, as CUB requires.
struct SegmentBegin {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;

    int length;
    std::ptrdiff_t index = 0;
    __host__ __device__ int operator[](std::ptrdiff_t segment) const { return int(index + segment) * length; }
    __host__ __device__ SegmentBegin operator+(std::ptrdiff_t step) const { return {length, index + step}; }
};

/// Sorts, or with a null `scratch` only stores the required size in `bytes`.
template <class T>
void sort(void* scratch, std::size_t& bytes, const SegmentShape& shape, const T* values, T* sortedValues,
          const std::uint16_t* times, std::uint16_t* sortedTimes, StreamHandle stream) {
    const int elements = int(shape.elements());
    const int segments = int(shape.signals * shape.segments());
    const SegmentBegin begins{int(shape.length)};
    GLYCINE_CUDA(cub::DeviceSegmentedRadixSort::SortPairs(scratch, bytes, values, sortedValues, times,
                                                          sortedTimes, elements, segments, begins, begins + 1,
                                                          0, int(8 * sizeof(T)), stream));
}

template <class T>
std::size_t scratchBytes(const SegmentShape& shape) {
    std::size_t bytes = 0;
    sort<T>(nullptr, bytes, shape, nullptr, nullptr, nullptr, nullptr, nullptr);
    return bytes;
}

/// As `sort`.
void sortKeys(void* scratch, std::size_t& bytes, std::size_t segments, std::size_t length, int bits,
              const std::uint64_t* keys, std::uint64_t* sorted, StreamHandle stream) {
    const SegmentBegin begins{int(length)};
    GLYCINE_CUDA(cub::DeviceSegmentedRadixSort::SortKeys(scratch, bytes, keys, sorted, int(segments * length),
                                                         int(segments), begins, begins + 1, 0, bits, stream));
}

}  // namespace

template <class T>
std::size_t bytesForSorting(const SegmentShape& shape) {
    return aligned(shape.elements() * sizeof(T)) + aligned(shape.elements() * sizeof(std::uint16_t)) +
           scratchBytes<T>(shape);
}

template <class T>
void launchSort(const Launch& launch, const T* signals, const SegmentShape& shape, T* values,
                std::uint16_t* times, void* workspace) {
    auto* place = static_cast<unsigned char*>(workspace);
    T* unsortedValues = reinterpret_cast<T*>(place);
    place += aligned(shape.elements() * sizeof(T));
    auto* unsortedTimes = reinterpret_cast<std::uint16_t*>(place);
    place += aligned(shape.elements() * sizeof(std::uint16_t));

    const unsigned blocks = unsigned((shape.elements() + kSortThreads - 1) / kSortThreads);
    gatherSegments<<<blocks, kSortThreads, 0, launch.stream>>>(signals, shape, unsortedValues, unsortedTimes);
    checkLaunch("gather segments");
    std::size_t bytes = scratchBytes<T>(shape);
    sort<T>(place, bytes, shape, unsortedValues, values, unsortedTimes, times, launch.stream);
}

std::size_t bytesForKeySort(std::size_t segments, std::size_t length) {
    std::size_t bytes = 0;
    sortKeys(nullptr, bytes, segments, length, 64, nullptr, nullptr, nullptr);
    return bytes;
}

void launchKeySort(const Launch& launch, std::size_t segments, std::size_t length, int bits,
                   const std::uint64_t* keys, std::uint64_t* sorted, void* workspace) {
    std::size_t bytes = bytesForKeySort(segments, length);
    sortKeys(workspace, bytes, segments, length, bits, keys, sorted, launch.stream);
}

template std::size_t bytesForSorting<float>(const SegmentShape&);
template std::size_t bytesForSorting<double>(const SegmentShape&);
template void launchSort(const Launch&, const float*, const SegmentShape&, float*, std::uint16_t*, void*);
template void launchSort(const Launch&, const double*, const SegmentShape&, double*, std::uint16_t*, void*);

}  // namespace glycine::cuda
