#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/device_store.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/pairs/operand_source.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"
#include "kernels_cuda/pairs/word_loader.hpp"

namespace glycine::pairs::cuda {

/// The device memory that a run needs.
struct TileDemand {
    std::size_t instances = 0;
    std::size_t words = 0;  ///< per plane
    unsigned planes = 1;
    /// Bytes of results and workspace for pieces of side × side instances, given the memory that operands
    /// leave. The side is already padded.
    std::function<std::size_t(std::size_t side, std::size_t available)> bytes;
};

/// How a run uses device memory.
struct TilePlan {
    std::size_t side = 0;     ///< side of the largest piece of a tile processed at once; 0: too little memory
    bool isResident = false;  ///< all operands are on the device; else only blocks of the operands of one
                              ///< piece
    std::size_t blockWords = 0;  ///< not resident: words per plane that are on the device at once
    std::size_t stagingBytes = 0;
    std::size_t available = 0;  ///< left for results and workspace
    std::size_t needed = 0;     ///< side = 0: bytes that would suffice
};

/// Operands stay on the device if they fit together with results of a useful size; else they are streamed.
TilePlan planTiles(const TileDemand& demand, std::size_t available);

/// Padded number of instances that a window of `count` instances takes on the device. Its first column starts
/// on a 16-byte boundary, and its length is a multiple of whole tiles.
std::size_t paddedSide(std::size_t count);

/// Row stride of operands that hold all instances: windows that start late extend beyond the last one.
std::size_t residentStride(std::size_t instances);

/// Side of equal tiles for a run with this plan; `instances` = 0: any number.
std::size_t suitableTile(const TilePlan& plan, std::size_t instances);

/// Runs tiles through the device: uploads operands, runs a variant, downloads results. A tile larger than the
/// plan allows is cut into pieces.
class TileRunner {
  public:
    /// Queues a variant's work on one window; reports `work` in portions.
    using Queue = std::function<void(
        const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate, double work,
        const glycine::cuda::Stream& stream, glycine::cuda::PacedReport& report)>;
    /// A piece of a tile whose results are complete. Element (0, 0) of `piece` is (row, column) of the tile's
    /// results and (deviceRow, deviceColumn) of those on the device.
    struct Piece {
        PairTile piece;
        std::size_t row, column;
        std::size_t deviceRow, deviceColumn;
    };
    using Deliver = std::function<void(const Piece&)>;

    TileRunner(glycine::cuda::CudaBackend& backend, std::unique_ptr<OperandSource> source,
               const TilePlan& plan);
    void run(const PairTile& tile, Progress& progress, const Queue& queue, const Deliver& deliver);
    const PairTimes& times() const { return times_; }
    /// A remark for people if operands had to be streamed; else empty.
    std::string note() const;

  private:
    /// Operands on the device: a range of instances and a range of words.
    struct Operands {
        glycine::cuda::DeviceBuffer<std::uint32_t> memory;
        std::size_t stride = 0;
    };
    void loadAll(Progress& progress);
    void load(Range instances, Range words, glycine::cuda::MatrixOnDevice<std::uint32_t> target,
              Progress& progress);
    void runResident(const Piece& piece, Progress& progress, const Queue& queue);
    void runStreamed(const Piece& piece, Progress& progress, const Queue& queue);

    glycine::cuda::CudaBackend& backend_;
    std::unique_ptr<OperandSource> source_;
    TilePlan plan_;
    glycine::cuda::WordLoader loader_;
    glycine::cuda::Stream stream_;
    Operands operands_[2];  ///< resident: the first holds everything; else two alternating blocks
    bool isLoaded_ = false;
    PairTimes times_;
};

/// Leaves the results of a tile on the device, as pairs::TileRun::keep does; `device` is as in downloadPiece.
/// `run(deliver)` computes the tile. `staysOnDevice` becomes false once the host had to finish a piece,
/// because others most likely need it, too.
template <class T, class Run>
bool keepTile(const glycine::cuda::CudaBackend& backend, DeviceStore& store, const T* device,
              std::size_t stride, const DeviceFinish& finish, bool& staysOnDevice, const Run& run) {
    if (!staysOnDevice || store.device() != backend.deviceIndex()) return false;
    run([&](const TileRunner::Piece& piece) {
        const T* const first = device + piece.deviceRow * stride + piece.deviceColumn;
        staysOnDevice = staysOnDevice && store.keep(piece.piece, {first, stride}, finish);
    });
    return staysOnDevice;
}

/// Copies the results of a piece into `results` (of the whole tile). `device` holds those of the piece, with
/// rows `stride` elements apart. For a piece on the diagonal, skips some elements above it.
template <class T>
void downloadPiece(glycine::cuda::StagedTransfer& transfer, const T* device, std::size_t stride,
                   const TileRunner::Piece& piece, MatrixView<T> results) {
    constexpr std::size_t rowsAtOnce = 1024;
    for (const Range rows : splitRange(piece.piece.rows.size(), rowsAtOnce)) {
        const std::size_t columns = piece.piece.isDiagonal() ? rows.end : piece.piece.columns.size();
        transfer.download(device + (piece.deviceRow + rows.begin) * stride + piece.deviceColumn, stride,
                          results.row(piece.row + rows.begin) + piece.column, results.rowStride(),
                          rows.size(), columns);
    }
}

}  // namespace glycine::pairs::cuda
