#include "kernels_cuda/pairwise/device_sequences.hpp"

#include <vector>

#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::pairwise::cuda {

DeviceSequences sequencesOnDevice(const glycine::cuda::CudaBackend& backend, const Sequences& sequences) {
    std::vector<std::uint8_t> codes;
    codes.reserve(sequences.total());
    std::vector<std::uint64_t> begins;
    for (const std::vector<std::uint8_t>& one : sequences.codes) {
        begins.push_back(codes.size());
        codes.insert(codes.end(), one.begin(), one.end());
    }
    begins.push_back(codes.size());
    return {onDevice(backend, codes), onDevice(backend, begins)};
}

}  // namespace glycine::pairwise::cuda
