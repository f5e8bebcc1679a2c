#include "kernels_cuda/pairs/word_loader.hpp"

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::cuda {

WordLoader::WordLoader(const CudaBackend& backend, std::size_t stagingBytes)
    : backend_(backend), staging_(backend.memory(), stagingBytes / sizeof(std::uint32_t)) {}

void WordLoader::load(const SourceWords& source, MatrixOnDevice<std::uint32_t> target) {
    backend_.makeCurrent();
    const Launch launch{stream_.handle(), backend_.multiprocessors()};
    const std::size_t instanceWords = source.planes * source.words;
    for (const Range band : splitRange(source.instances, staging_.size() / instanceWords)) {
        const std::size_t rows = band.size() * source.planes;
        if (source.fill)
            source.fill(band, staging_.data(), stream_.handle());
        else
            backend_.transfer().upload(source.data + band.begin * source.planes * source.stride,
                                       source.stride, staging_.data(), source.words, rows, source.words,
                                       StagedTransfer::Part::Whole);
        launchTransposeWords(launch, {staging_.data(), source.words}, band.size(), source.planes,
                             source.words, {target.at(0, band.begin), target.stride});
        stream_.synchronize();
    }
}

}  // namespace glycine::cuda
