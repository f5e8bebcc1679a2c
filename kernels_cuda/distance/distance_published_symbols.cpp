#include <fmt/format.h>

#include <algorithm>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/distance/device_counting.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

/// Loads symbols from the host into the layouts that the published kernels read.
namespace glycine::cuda {

namespace {

/// Bytes per load of symbols.
constexpr std::size_t kSymbolsAtOnce = std::size_t(32) << 20;

/// Bytes per instance, both for char4 reads and for the staging of integers.
std::size_t byteStride(std::size_t attributes) {
    return roundUp(attributes, 4);
}

std::size_t instancesInStaging(std::size_t instances, std::size_t attributes) {
    return std::clamp<std::size_t>(kSymbolsAtOnce / byteStride(attributes), 1, instances);
}

/// A texture of bytes in global memory, four per texel.
cudaTextureObject_t textureOf(void* bytes, std::size_t size) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {bytes, cudaCreateChannelDesc<uchar4>(), size};
    cudaTextureDesc reading{};
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    GLYCINE_CUDA(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    return texture;
}

bool readsIntegers(distance::Variant variant) {
    return variant == distance::Variant::Naive || variant == distance::Variant::Coalesced;
}

}  // namespace

PublishedSymbols::PublishedSymbols(const CudaBackend& backend, distance::Variant variant,
                                   std::size_t instances, std::size_t attributes)
    : backend_(backend),
      variant_(variant),
      attributes_(attributes),
      stride_(variant == distance::Variant::Naive       ? instances
              : variant == distance::Variant::Coalesced ? attributes
                                                        : byteStride(attributes)),
      instancesAtOnce_(instancesInStaging(instances, attributes)) {
    if (readsIntegers(variant)) integers_ = DeviceBuffer<int>(backend.memory(), instances * attributes);
    bytes_ = DeviceBuffer<std::uint8_t>(
        backend.memory(), (readsIntegers(variant) ? instancesAtOnce_ : instances) * byteStride(attributes));
    if (variant == distance::Variant::Texture) texture_ = textureOf(bytes_.data(), bytes_.size());
}

PublishedSymbols::~PublishedSymbols() {
    if (texture_ != 0) cudaDestroyTextureObject(texture_);
}

std::string PublishedSymbols::unsupportedReason(const CudaBackend& backend, distance::Variant variant,
                                                std::size_t instances, std::size_t attributes) {
    if (variant != distance::Variant::Texture) return {};
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<uchar4>();
    std::size_t most = 0;
    GLYCINE_CUDA(cudaDeviceGetTexture1DLinearMaxWidth(&most, &texel, backend.deviceIndex()));
    const std::size_t texels = instances * (byteStride(attributes) / 4);
    if (texels <= most) return {};
    return fmt::format("{} × {} symbols need a texture of {} texels; this device has {} at most", instances,
                       attributes, texels, most);
}

std::size_t PublishedSymbols::bytes(distance::Variant variant, std::size_t instances,
                                    std::size_t attributes) {
    if (!readsIntegers(variant)) return instances * byteStride(attributes);
    return instances * attributes * sizeof(int) +
           instancesInStaging(instances, attributes) * byteStride(attributes);
}

void PublishedSymbols::load(const std::uint8_t* symbols, std::size_t stride, std::size_t firstInstance,
                            std::size_t instances) {
    backend_.makeCurrent();
    const std::size_t rowBytes = byteStride(attributes_);
    std::uint8_t* target = bytes_.data() + (readsIntegers(variant_) ? 0 : firstInstance * rowBytes);
    backend_.transfer().upload(symbols, stride, target, rowBytes, instances, attributes_,
                               StagedTransfer::Part::Whole);
    if (!readsIntegers(variant_)) return;
    const Stream stream;
    const Launch launch{stream.handle(), backend_.multiprocessors()};
    if (variant_ == distance::Variant::Naive)
        launchTransposeSymbols(launch, {target, rowBytes}, instances, attributes_,
                               {integers_.data() + firstInstance, stride_});
    else
        launchWidenSymbols(launch, {target, rowBytes}, instances, attributes_,
                           {integers_.data() + firstInstance * stride_, stride_});
    stream.synchronize();
}

void PublishedSymbols::prepare(MatrixOnDevice<int> counts, std::size_t rows, std::size_t columns,
                               const Stream& stream) const {
    GLYCINE_CUDA(cudaMemset2DAsync(counts.data, counts.stride * sizeof(int), 0, columns * sizeof(int), rows,
                                   stream.handle()));
}

void PublishedSymbols::count(CountedAttributes counted, std::size_t firstRow, std::size_t rows,
                             std::size_t firstColumn, std::size_t columns, MatrixOnDevice<int> counts,
                             double work, const Stream& stream, PacedReport& report) const {
    // About a tenth of a second with the slowest kernel on a small GPU, within the limit of a grid.
    constexpr double comparisonsAtOnce = 2e10;
    constexpr double mostGridRows = 65535;
    const double wanted = comparisonsAtOnce / (double(columns) * double(attributes_));
    const auto rowsAtOnce = std::size_t(std::clamp(wanted, 1.0, mostGridRows));
    const Launch launch{stream.handle(), backend_.multiprocessors()};
    WorkSplit split(work, double(rows));
    for (const Range band : splitRange(rows, rowsAtOnce)) {
        PublishedTask task;
        task.data = readsIntegers(variant_) ? static_cast<const void*>(integers_.data()) : bytes_.data();
        task.stride = stride_;
        task.attributes = unsigned(attributes_);
        task.firstRow = unsigned(firstRow + band.begin);
        task.rows = unsigned(band.size());
        task.firstColumn = unsigned(firstColumn);
        task.columns = unsigned(columns);
        task.counts = {counts.at(band.begin, 0), counts.stride};
        task.texture = texture_;
        launchPublished(launch, variant_, counted, task);
        report.queued(stream, split.next(double(band.size())));
    }
}

}  // namespace glycine::cuda
