#pragma once

#include <cstddef>
#include <vector>

#include "engine/pairwise/pairwise_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/pairwise/clustal_kernels.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"

namespace glycine::pairwise::cuda {

/// `cuda intertask` for pairs as ClustalW 2.1 aligns them: a pair in each thread of a warp
/// (clustal_thread.hpp), those of one first sequence side by side in order of length.
class ClustalThreadsRun final : public PairwiseRun {
  public:
    /// Device memory for such a request, at least: sequences, pairs of a tile, and the memory of one block.
    static std::size_t leastBytes(const PairwiseRequest& request);

    /// `sequences` outlive the run.
    ClustalThreadsRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences);
    std::string_view variantName() const override { return toString(Variant::InterTask); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    std::vector<glycine::cuda::ClustalTask> listTasks(const pairs::PairTile& tile) const;
    std::size_t letters(std::size_t sequence) const { return sequences_.codes[sequence].size(); }
    double cells(const glycine::cuda::ClustalTask& task) const;

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    DeviceSequences there_;
    glycine::cuda::DeviceBuffer<std::int32_t> table_;
    glycine::cuda::DeviceBuffer<std::byte> memory_;
    glycine::cuda::Stream stream_;
    pairs::PairTimes times_;
};

}  // namespace glycine::pairwise::cuda
