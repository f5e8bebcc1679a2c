#include <algorithm>
#include <memory>
#include <vector>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::cuda {

namespace {

/// Elements on the device while upper bounds are smoothed with panels of `rows` rows: the panel over all
/// columns, the closed diagonal block with the workspace of its closure, and two tiles.
std::size_t upperElements(std::size_t rows, std::size_t side) {
    return rows * side + 3 * rows * rows + 3 * std::min(kMostPanelRows, rows) * rows;
}
/// The same for the lower bounds with tiles of `rows` rows: one tile of each operand and one of the result.
std::size_t lowerElements(std::size_t rows) {
    return 3 * rows * rows;
}

/// Largest multiple of kPadding, at most `side`, for which `elements(rows)` fit into `capacity` elements.
template <class Elements>
std::size_t largestFitting(std::size_t side, std::size_t capacity, const Elements& elements) {
    std::size_t rows = kPadding;
    while (rows + kPadding <= side && elements(rows + kPadding) <= capacity) rows += kPadding;
    return rows;
}

/// A matrix in host memory, worked on by tiles of a padded index space.
template <class T>
struct HostMatrix {
    T* data;
    std::size_t stride;
    std::size_t atoms;
    std::size_t valid(Range range) const { return std::min(range.end, atoms) - std::min(range.begin, atoms); }
    T* at(std::size_t row, std::size_t column) const { return data + row * stride + column; }
};

template <class T>
class TileMover {
  public:
    TileMover(const CudaBackend& backend, const Launch& launch, const Stream& stream)
        : transfer_(backend.transfer()), launch_(launch), stream_(stream) {}

    /// Copies a tile into `target` (which has the tile's size) and completes it.
    void fetch(const HostMatrix<T>& host, Range rows, Range columns, MatrixOnDevice<T> target, T padding) {
        transfer_.upload(host.at(rows.begin, columns.begin), host.stride, target.data, target.stride,
                         host.valid(rows), host.valid(columns), StagedTransfer::Part::Whole);
        launchCompleteTile(launch_, target, rows.size(), columns.size(), host.valid(rows),
                           host.valid(columns), padding);
    }
    /// Copies a finished tile back.
    void store(MatrixOnDevice<T> source, const HostMatrix<T>& host, Range rows, Range columns) {
        stream_.synchronize();
        transfer_.download(source.data, source.stride, host.at(rows.begin, columns.begin), host.stride,
                           host.valid(rows), host.valid(columns));
    }
    /// Waits until the kernels that read earlier tiles are done, so that their memory can be filled again.
    void waitForKernels() const { stream_.synchronize(); }

  private:
    StagedTransfer& transfer_;
    const Launch& launch_;
    const Stream& stream_;
};

/// Writes the lower triangle from the upper one, by squares that stay in the processor's cache.
template <class T>
void mirror(const HostMatrix<T>& matrix) {
    constexpr std::size_t square = 64;
    for (const Range rows : splitRange(matrix.atoms, square))
        for (std::size_t first = 0; first <= rows.begin; first += square)
            for (std::size_t i = rows.begin; i < rows.end; ++i)
                for (std::size_t j = first; j < std::min(first + square, i); ++j)
                    *matrix.at(i, j) = *matrix.at(j, i);
}

template <class T>
void smoothUpperOutOfCore(const CudaBackend& backend, const HostMatrix<T>& upper,
                          const WorkListener& worked) {
    const std::size_t side = roundUp(upper.atoms, kPadding);
    const std::size_t most = largestFitting(side, backend.memory().available() / sizeof(T),
                                            [&](std::size_t rows) { return upperElements(rows, side); });
    const std::vector<Range> bands = splitRange(side, most);
    const Stream stream;
    const Launch launch{stream.handle(), backend.multiprocessors()};
    TileMover<T> mover(backend, launch, stream);
    const DeviceBuffer<T> panelMemory(backend.memory(), most * side);
    const DeviceBuffer<T> tileMemory[2] = {{backend.memory(), most * most}, {backend.memory(), most * most}};
    const MatrixOnDevice<T> panel{panelMemory.data(), side};
    const auto panelAt = [&](Range columns) { return MatrixOnDevice<T>{panel.at(0, columns.begin), side}; };
    const auto constPanelAt = [&](Range columns) {
        return MatrixOnDevice<const T>{panel.at(0, columns.begin), side};
    };
    const double work = double(upper.atoms) * double(upper.atoms) * double(upper.atoms);
    const double tilesABand = double(bands.size() * (bands.size() + 1) / 2);

    for (const Range band : bands) {
        const std::size_t depth = band.size();
        const DeviceBounds<T> diagonal(backend.memory(), upper.valid(band));
        const MatrixOnDevice<T> block{diagonal.data(), diagonal.side()};
        mover.fetch(upper, band, band, block, kFarAway<T>);
        mover.waitForKernels();
        smoothUpper(backend, diagonal, BoundsMethod::Blocked, {});

        for (const Range columns : bands) {
            const MatrixOnDevice<T> tile{tileMemory[0].data(), columns.size()};
            const MatrixOnDevice<T> turned{tileMemory[1].data(), depth};
            if (columns == band) {
                // The closed block itself: relaxed once more through itself, it only moves into the panel.
                launchProduct(launch, Semiring::MinPlus,
                              Product<T>{{block.data, block.stride},
                                         {block.data, block.stride},
                                         {block.data, block.stride},
                                         panelAt(columns),
                                         depth,
                                         depth,
                                         depth});
                mover.store(panelAt(columns), upper, band, columns);
                continue;
            }
            const bool below = columns.begin < band.begin;
            if (below) {
                mover.fetch(upper, columns, band, turned, kFarAway<T>);
                launchTranspose(launch, {turned.data, turned.stride}, columns.size(), depth, tile);
            } else {
                mover.fetch(upper, band, columns, tile, kFarAway<T>);
            }
            launchProduct(launch, Semiring::MinPlus,
                          Product<T>{{block.data, block.stride},
                                     {tile.data, tile.stride},
                                     {tile.data, tile.stride},
                                     panelAt(columns),
                                     depth,
                                     columns.size(),
                                     depth});
            if (below) {
                launchTranspose(launch, constPanelAt(columns), depth, columns.size(), turned);
                mover.store(turned, upper, columns, band);
            } else {
                mover.store(panelAt(columns), upper, band, columns);
            }
        }

        for (std::size_t i = 0; i < bands.size(); ++i) {
            for (std::size_t j = i; j < bands.size(); ++j) {
                const Range rows = bands[i];
                const Range columns = bands[j];
                if (!(rows == band) && !(columns == band)) {
                    const MatrixOnDevice<T> tile{tileMemory[0].data(), columns.size()};
                    mover.fetch(upper, rows, columns, tile, kFarAway<T>);
                    launchProduct(launch, Semiring::MinPlus,
                                  Product<T>{constPanelAt(rows),
                                             constPanelAt(columns),
                                             {tile.data, tile.stride},
                                             tile,
                                             rows.size(),
                                             columns.size(),
                                             depth});
                    mover.store(tile, upper, rows, columns);
                }
                if (worked) worked(work * double(depth) / double(side) / tilesABand);
            }
        }
    }
    mirror(upper);
}

/// c = max(start, aᵀ ⊗ −upper), tile by tile; see smoothLowerBlocked for the two products.
template <class T>
void productOutOfCore(const CudaBackend& backend, const HostMatrix<T>& a, const HostMatrix<T>& upper,
                      const HostMatrix<T>& c, bool upperTriangleOnly, double work,
                      const WorkListener& worked) {
    const std::size_t side = roundUp(upper.atoms, kPadding);
    const std::size_t most = largestFitting(side, backend.memory().available() / sizeof(T), lowerElements);
    const std::vector<Range> bands = splitRange(side, most);
    const Stream stream;
    const Launch launch{stream.handle(), backend.multiprocessors()};
    TileMover<T> mover(backend, launch, stream);
    const DeviceBuffer<T> memory[3] = {
        {backend.memory(), most * most}, {backend.memory(), most * most}, {backend.memory(), most * most}};
    const std::size_t tiles =
        upperTriangleOnly ? bands.size() * (bands.size() + 1) / 2 : bands.size() * bands.size();
    for (std::size_t i = 0; i < bands.size(); ++i) {
        for (std::size_t j = upperTriangleOnly ? i : 0; j < bands.size(); ++j) {
            const Range rows = bands[i];
            const Range columns = bands[j];
            const MatrixOnDevice<T> result{memory[2].data(), columns.size()};
            // Both products start from their own left operand: l_qi, and t′_ij.
            mover.fetch(a, rows, columns, result, T(0));
            for (const Range k : bands) {
                const MatrixOnDevice<T> left{memory[0].data(), rows.size()};
                const MatrixOnDevice<T> right{memory[1].data(), columns.size()};
                mover.waitForKernels();
                mover.fetch(a, k, rows, left, T(0));
                mover.fetch(upper, k, columns, right, kFarAway<T>);
                launchNegate(launch, right.data, right.data, k.size() * columns.size());
                launchProduct(launch, Semiring::MaxPlus,
                              Product<T>{{left.data, left.stride},
                                         {right.data, right.stride},
                                         {result.data, result.stride},
                                         result,
                                         rows.size(),
                                         columns.size(),
                                         k.size()});
                if (worked) worked(work * double(k.size()) / double(side) / double(tiles));
            }
            mover.store(result, c, rows, columns);
        }
    }
}

}  // namespace

template <class T>
void smoothOutOfCore(const CudaBackend& backend, T* upper, std::size_t upperStride, T* lower,
                     std::size_t lowerStride, std::size_t atoms, const WorkListener& workedOnUpper,
                     const WorkListener& workedOnLower) {
    backend.makeCurrent();
    const HostMatrix<T> upperMatrix{upper, upperStride, atoms};
    smoothUpperOutOfCore(backend, upperMatrix, workedOnUpper);
    if (lower == nullptr) return;
    const HostMatrix<T> lowerMatrix{lower, lowerStride, atoms};
    const std::unique_ptr<T[]> memory(new T[atoms * atoms]);
    const HostMatrix<T> halfWay{memory.get(), atoms, atoms};
    const double work = double(atoms) * double(atoms) * double(atoms);
    productOutOfCore(backend, lowerMatrix, upperMatrix, halfWay, false, work * 2 / 3, workedOnLower);
    productOutOfCore(backend, halfWay, upperMatrix, lowerMatrix, true, work / 3, workedOnLower);
    mirror(lowerMatrix);
}

template <class T>
std::size_t bytesForOutOfCore(std::size_t atoms) {
    const std::size_t side = roundUp(atoms, kPadding);
    return sizeof(T) * std::max(upperElements(kPadding, side), lowerElements(kPadding));
}

#define GLYCINE_INSTANTIATE(T)                                                                          \
    template void smoothOutOfCore<T>(const CudaBackend&, T*, std::size_t, T*, std::size_t, std::size_t, \
                                     const WorkListener&, const WorkListener&);                         \
    template std::size_t bytesForOutOfCore<T>(std::size_t);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
