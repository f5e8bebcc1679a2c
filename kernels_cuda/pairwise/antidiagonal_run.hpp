#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/pairwise/antidiagonal_kernels.hpp"

namespace glycine::pairwise::cuda {

/// `cuda antidiagonal` and `antidiagonal-resident`, Khaladkar's: one pair after another, numbers of
/// 64 bits. Resident: all sequences lie on the device, and so do the numbers of a tile; otherwise
/// both sequences of each pair are sent, and its number is fetched.
class AntidiagonalRun final : public PairwiseRun {
  public:
    /// Device memory for such a request, at least.
    static std::size_t leastBytes(const PairwiseRequest& request);

    /// `sequences` outlive the run. `variant` is one of the two.
    AntidiagonalRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences,
                    const PairScoring& scoring, Variant variant);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    bool isResident() const { return variant_ == Variant::AntidiagonalResident; }
    const std::vector<std::uint8_t>& codesOf(std::size_t sequence) const {
        return sequences_.codes[sequence];
    }
    /// All but sequences and result.
    glycine::cuda::AntidiagonalPair pairOf(std::size_t row, std::size_t column) const;
    void computeResident(const pairs::PairTile& tile, Matrix<long long>& numbers, TileProgress& progress);
    void computeSent(const pairs::PairTile& tile, Matrix<long long>& numbers, TileProgress& progress);

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    PairScoring scoring_;
    Variant variant_;
    LaneNumbers numbers_;
    std::vector<std::size_t> begins_;                  ///< of each sequence in codes_, where resident
    glycine::cuda::DeviceBuffer<std::uint8_t> codes_;  ///< of all sequences; or of two, the longest's room
    glycine::cuda::DeviceBuffer<long long> results_;   ///< of a tile; or one
    glycine::cuda::DeviceBuffer<std::int64_t> table_;
    glycine::cuda::DeviceBuffer<glycine::cuda::AntidiagonalBorder> borders_;  ///< a row and a column
    glycine::cuda::DeviceBuffer<long long> corners_;
    glycine::cuda::Stream stream_;
    pairs::PairTimes times_;
};

}  // namespace glycine::pairwise::cuda
