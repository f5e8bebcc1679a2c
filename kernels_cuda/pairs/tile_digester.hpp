#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/pairs/tile_digest.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/pairs/tile_digest_kernels.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::pairs::cuda {

/// Computes digests of tiles on the device that holds their values. Its results are not trusted: every place
/// is checked, and the digests and close pairs of some rows of each piece are computed again from the rows'
/// values.
class TileDigester {
  public:
    /// `side` is that of the largest piece; `instances` is that of the whole run.
    TileDigester(const glycine::cuda::CudaBackend& backend, std::size_t side, std::size_t instances);

    /// Device memory that it needs.
    static std::size_t bytes(std::size_t side);

    /// Adds the digest of a piece to that of its tile, whose rows must exist. `values` and `inCommon` are on
    /// the device as TileRunner leaves them, with rows `stride` elements apart; `inCommon` may be null.
    /// Returns false if there are more close pairs than room. Throws ImpossibleResultError.
    bool add(const TileRunner::Piece& piece, const std::uint32_t* values, const std::uint32_t* inCommon,
             std::size_t stride, const DigestRequest& digestRequest, std::size_t leastInCommon,
             TileDigest& tile);

  private:
    void gatherSamples(const TileRunner::Piece& piece, const glycine::cuda::DigestedValues& input,
                       const DigestRequest& digestRequest, TileDigest& tile);
    void checkRows(const glycine::cuda::DigestedValues& input, const std::vector<RowDigest>& digests,
                   std::vector<glycine::cuda::PlacedValue>& close) const;

    const glycine::cuda::CudaBackend& backend_;
    std::size_t checkedRows_;  ///< per piece
    glycine::cuda::Stream stream_;
    glycine::cuda::DeviceBuffer<RowDigest> digests_;
    glycine::cuda::DeviceBuffer<glycine::cuda::PlacedValue> close_;
    glycine::cuda::DeviceBuffer<std::uint32_t> found_;
};

}  // namespace glycine::pairs::cuda
