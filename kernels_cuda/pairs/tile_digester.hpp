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

/// Finds digests of tiles where their values lie. Its results are not believed: every place is checked, and
/// the digests and close pairs of some rows of each piece are found again from the rows' values.
class TileDigester {
  public:
    /// `side`: of the largest piece; `instances` of the whole run.
    TileDigester(const glycine::cuda::CudaBackend& backend, std::size_t side, std::size_t instances);

    /// Device memory that it takes.
    static std::size_t bytes(std::size_t side);

    /// Adds the digest of a piece to that of its tile, whose rows are there. `values` and `inCommon` as
    /// TileRunner leaves them on the device, rows `stride` elements apart; `inCommon` may be null. False
    /// where more pairs are close than there is room for. Throws ImpossibleResultError.
    bool add(const TileRunner::Piece& piece, const std::uint32_t* values, const std::uint32_t* inCommon,
             std::size_t stride, const DigestWish& wish, std::size_t leastInCommon, TileDigest& tile);

  private:
    void gatherSamples(const TileRunner::Piece& piece, const glycine::cuda::DigestedValues& input,
                       const DigestWish& wish, TileDigest& tile);
    void checkRows(const glycine::cuda::DigestedValues& input, const std::vector<RowDigest>& digests,
                   std::vector<glycine::cuda::PlacedValue>& close) const;

    const glycine::cuda::CudaBackend& backend_;
    std::size_t checkedRows_;  ///< of a piece
    glycine::cuda::Stream stream_;
    glycine::cuda::DeviceBuffer<RowDigest> digests_;
    glycine::cuda::DeviceBuffer<glycine::cuda::PlacedValue> close_;
    glycine::cuda::DeviceBuffer<std::uint32_t> found_;
};

}  // namespace glycine::pairs::cuda
