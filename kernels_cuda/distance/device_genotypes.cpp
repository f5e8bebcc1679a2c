#include "kernels_cuda/distance/device_genotypes.hpp"

#include <algorithm>
#include <utility>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

namespace glycine::distance::cuda {

std::unique_ptr<DeviceGenotypes> DeviceGenotypes::of(const DeviceMatrix& numbers) {
    if (!glycine::cuda::isReadable(numbers)) return nullptr;
    const glycine::cuda::CurrentDeviceGuard current(numbers);
    glycine::cuda::MemoryBudget memory(0);
    const glycine::cuda::DeviceBuffer<unsigned long long> found(memory, numbers.rows + 1);
    GLYCINE_CUDA(cudaMemset(found.data(), 0, found.size() * sizeof(unsigned long long)));
    glycine::cuda::launchCheckGenotypes(nullptr, numbers, found.data(),
                                        reinterpret_cast<unsigned*>(found.data() + numbers.rows));
    std::vector<unsigned long long> known(found.size());
    GLYCINE_CUDA(cudaMemcpy(known.data(), found.data(), known.size() * sizeof known[0], cudaMemcpyDefault));
    if (known.back() != 0) return nullptr;
    return std::unique_ptr<DeviceGenotypes>(new DeviceGenotypes(numbers, {known.begin(), known.end() - 1}));
}

DeviceGenotypes::DeviceGenotypes(const DeviceMatrix& numbers, std::vector<std::size_t> known)
    : numbers_(numbers), known_(std::move(known)) {
    shape_.instances = numbers.rows;
    shape_.attributes = numbers.columns;
    shape_.isGenotypes = true;
    shape_.hasMissing = std::ranges::any_of(known_, [&](std::size_t one) { return one < numbers.columns; });
}

void DeviceGenotypes::pack(Range instances, Range attributes,
                           glycine::cuda::MatrixOnDevice<std::uint32_t> target,
                           glycine::cuda::StreamHandle stream) const {
    glycine::cuda::launchPackGenotypes(stream, numbers_, instances, attributes, shape_, target);
}

PlaneBlock DeviceGenotypes::readPlanes(Range instances, Range attributes) const {
    constexpr std::size_t kBytesAtOnce = std::size_t{64} << 20;
    PlaneBlock block = PlaneBlock::notSet(instances.size(), shape_.storedPlanes(), attributes.size());
    const std::size_t words = 2 * block.stride(), ofInstance = words * shape_.storedPlanes();
    const std::size_t atOnce =
        std::clamp<std::size_t>(kBytesAtOnce / (ofInstance * sizeof(std::uint32_t)), 1, instances.size());
    const glycine::cuda::CurrentDeviceGuard current(numbers_);
    glycine::cuda::MemoryBudget memory(0);
    const glycine::cuda::DeviceBuffer<std::uint32_t> planes(memory, atOnce * ofInstance);
    for (const Range some : splitRange(instances.size(), atOnce)) {
        pack({instances.begin + some.begin, instances.begin + some.end}, attributes, {planes.data(), words},
             nullptr);
        GLYCINE_CUDA(cudaMemcpy(block.plane(some.begin, 0), planes.data(),
                                some.size() * ofInstance * sizeof(std::uint32_t), cudaMemcpyDefault));
    }
    return block;
}

}  // namespace glycine::distance::cuda
