#include "kernels_cuda/bounds/device_smoothing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::cuda {

/// Deep enough that reading and writing the matrix once a panel costs little compared with the sums, and
/// shallow enough that the next panel is finished while the rest is relaxed. Measured on an H200: 256 rows
/// are 7 % faster than 512 at n = 1024 and 3 % at 8192, 1 % slower at 16384.
std::size_t panelRows(std::size_t atoms) {
    return roundUp(atoms, kPadding) <= 12288 ? kMaxPanelRows / 2 : kMaxPanelRows;
}

namespace {

/// Panels queued ahead of the one whose end is awaited: progress and cancellation follow the device, and the
/// device never waits for the host.
constexpr std::size_t kPanelsAhead = 2;
/// Passes of the naive variant between two looks at progress.
constexpr std::size_t kPassesAtOnce = 64;

template <class T>
MatrixOnDevice<T> whole(const DeviceBounds<T>& bounds) {
    return {bounds.data(), bounds.side()};
}
template <class T>
MatrixOnDevice<const T> readOnly(MatrixOnDevice<T> matrix) {
    return {matrix.data, matrix.stride};
}

template <class T>
void smoothUpperNaive(const CudaBackend& backend, const DeviceBounds<T>& upper, const WorkListener& worked) {
    const Stream stream;
    const Launch launch{stream.handle(), backend.multiprocessors()};
    PacedReport progress(worked, 1);
    const double pass = double(upper.atoms()) * double(upper.atoms());
    for (const Range passes : splitRange(upper.atoms(), kPassesAtOnce)) {
        for (std::size_t k = passes.begin; k < passes.end; ++k)
            launchNaiveUpper(launch, whole(upper), upper.atoms(), k);
        progress.queued(stream, pass * double(passes.size()));
    }
    progress.settleAll();
}

template <class T>
void smoothLowerNaive(const CudaBackend& backend, const DeviceBounds<T>& lower, const DeviceBounds<T>& upper,
                      const WorkListener& worked) {
    const Stream stream;
    const Launch launch{stream.handle(), backend.multiprocessors()};
    PacedReport progress(worked, 1);
    const double pass = double(upper.atoms()) * double(upper.atoms());
    for (const Range passes : splitRange(upper.atoms(), kPassesAtOnce)) {
        for (std::size_t k = passes.begin; k < passes.end; ++k)
            launchNaiveLower(launch, whole(lower), readOnly(whole(upper)), upper.atoms(), k);
        progress.queued(stream, pass * double(passes.size()));
    }
    progress.settleAll();
}

/// Blocked Floyd-Warshall on the upper triangle.
///
/// Panel p holds panelRows() rows, closed: first the diagonal block by itself, then all columns relaxed
/// through it. The rest of the matrix is relaxed through the panel in one product of that depth. Two streams:
/// while the rest is relaxed through panel p, the rows of panel p + 1 are relaxed ahead of it and finished,
/// so that the short, serial kernels of the closure never leave the device idle.
template <class T>
void smoothUpperBlocked(const CudaBackend& backend, const DeviceBounds<T>& upper,
                        const WorkListener& worked) {
    const std::size_t side = upper.side();
    const std::vector<Range> pieces = splitRange(side, panelRows(upper.atoms()));
    const std::size_t depth = pieces.front().size();
    const DeviceBuffer<T> gathered(backend.memory(), depth * side);
    const DeviceBuffer<T> finished[2] = {{backend.memory(), depth * side}, {backend.memory(), depth * side}};
    const MatrixOnDevice<T> matrix = whole(upper);
    const MatrixOnDevice<T> gatheredPanel{gathered.data(), side};
    const auto finishedPanel = [&](std::size_t p) { return MatrixOnDevice<T>{finished[p % 2].data(), side}; };

    const Stream panelStream(Stream::Priority::High);
    const Stream restStream;
    const Launch onPanels{panelStream.handle(), backend.multiprocessors()};
    const Launch onRest{restStream.handle(), backend.multiprocessors()};
    const Event panelReady;
    const Event restRelaxed;
    PacedReport progress(worked, kPanelsAhead);

    const auto finishPanel = [&](std::size_t p) {
        const Range band = pieces[p];
        launchGatherPanel(onPanels, readOnly(matrix), side, band, gatheredPanel);
        launchClosure<T>(onPanels, {gatheredPanel.at(0, band.begin), side}, band.size());
        launchProduct(onPanels, Semiring::MinPlus,
                      Product<T>{{gatheredPanel.at(0, band.begin), side},
                                 readOnly(gatheredPanel),
                                 readOnly(gatheredPanel),
                                 finishedPanel(p),
                                 band.size(),
                                 side,
                                 band.size()});
        launchScatterPanel(onPanels, readOnly(finishedPanel(p)), side, band, matrix);
        panelReady.record(panelStream);
    };

    finishPanel(0);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        const Range band = pieces[p];
        const bool isLast = p + 1 == pieces.size();
        const Range next = isLast ? Range{band.end, band.end} : pieces[p + 1];
        restStream.waitFor(panelReady);
        if (p > 0) panelStream.waitFor(restRelaxed);  // of panel p − 1: it changed the rows that come next
        launchRelaxRest(onRest, matrix, side, readOnly(finishedPanel(p)), band.size(),
                        {band.begin, next.end});
        restRelaxed.record(restStream);
        launchRelaxBand(onPanels, matrix, side, readOnly(finishedPanel(p)), band.size(), band, next);
        if (!isLast) finishPanel(p + 1);
        progress.queued(restStream, double(upper.atoms()) * double(upper.atoms()) * double(upper.atoms()) /
                                        double(side) * double(band.size()));
    }
    progress.settleAll();
    launchSymmetrize(onRest, upper.data(), upper.atoms(), side, kFarAway<T>);
    restStream.synchronize();
    panelStream.synchronize();
}

/// T′ = max(L, L ⊗ −U), then L* = max(T′, T′ᵀ ⊗ −U) on and above the diagonal: with (max, +) products,
/// L*_ij = max over p, q of l_pq − U_ip − U_qj. T′ is the transpose of the product that the formula names
/// first, which is how the second product wants to read it.
template <class T>
double smoothLowerBlocked(const CudaBackend& backend, const DeviceBounds<T>& lower,
                          const DeviceBounds<T>& upper, const WorkListener& worked) {
    const std::size_t side = lower.side();
    const Stream streams[2];
    const Launch launches[2] = {{streams[0].handle(), backend.multiprocessors()},
                                {streams[1].handle(), backend.multiprocessors()}};
    const std::size_t tileSide = prunedTileSide<T>(launches[0], side);
    const std::size_t tiles = side / tileSide;
    const DeviceBuffer<T> negated(backend.memory(), side * side);
    const DeviceBuffer<T> halfWay(backend.memory(), side * side);
    const DeviceBuffer<T> tableMemory(backend.memory(), pruningTableSize<T>(side, side, side, tileSide));
    const DeviceBuffer<unsigned long long> steps(backend.memory(), 1);
    GLYCINE_CUDA(cudaMemsetAsync(steps.data(), 0, sizeof(unsigned long long), streams[0].handle()));
    launchNegate(launches[0], upper.data(), negated.data(), side * side);

    const auto inSquare = [side](const T* data) { return MatrixOnDevice<const T>{data, side}; };
    const PrunedProduct<T> products[2] = {{inSquare(lower.data()),
                                           inSquare(negated.data()),
                                           inSquare(lower.data()),
                                           {halfWay.data(), side},
                                           side,
                                           side,
                                           side,
                                           lower.atoms(),
                                           true,
                                           false},
                                          {inSquare(halfWay.data()),
                                           inSquare(negated.data()),
                                           inSquare(halfWay.data()),
                                           {lower.data(), side},
                                           side,
                                           side,
                                           side,
                                           lower.atoms(),
                                           false,
                                           true}};
    // Some rows of tiles a launch, so that work can be stopped and no launch is long. The launches alternate
    // between two streams: the end of one overlaps the beginning of the next.
    const std::size_t rowsAtOnce =
        std::max<std::size_t>(1, 16 * std::size_t(backend.multiprocessors()) / tiles);
    const double work = double(lower.atoms()) * double(lower.atoms()) * double(lower.atoms());
    PacedReport progress(worked, 2);
    for (const PrunedProduct<T>& product : products) {
        const double share = product.upperTriangleOnly ? 1.0 / 3 : 2.0 / 3;
        const PruningTables<T> tables = pruningTables(product, tileSide, tableMemory.data());
        launchLargest(launches[0], product, tileSide, tables);
        launchSmallest(launches[0], product, tileSide, tables);
        const Event ready;
        ready.record(streams[0]);
        streams[1].waitFor(ready);
        std::size_t turn = 0;
        for (const Range rows : splitRange(tiles, rowsAtOnce)) {
            launchPrunedProduct(launches[turn], product, tileSide, tables, rows, {0, tiles}, steps.data());
            progress.queued(streams[turn], work * share * double(rows.size()) / double(tiles));
            turn = 1 - turn;
        }
        const Event done;
        done.record(streams[1]);
        streams[0].waitFor(done);
    }
    progress.settleAll();
    launchSymmetrize(launches[0], lower.data(), lower.atoms(), side, T(0));
    unsigned long long taken = 0;
    GLYCINE_CUDA(
        cudaMemcpyAsync(&taken, steps.data(), sizeof taken, cudaMemcpyDeviceToHost, streams[0].handle()));
    streams[0].synchronize();
    return double(taken) / (double(side) * (double(tiles * tiles) + double(tiles * (tiles + 1) / 2)));
}

/// Copies n × n elements between two matrices in device memory and waits.
template <class T>
void copyOnDevice(const T* source, std::size_t sourceStride, T* target, std::size_t targetStride,
                  std::size_t n) {
    GLYCINE_CUDA(cudaMemcpy2D(target, targetStride * sizeof(T), source, sourceStride * sizeof(T),
                              n * sizeof(T), n, cudaMemcpyDeviceToDevice));
    GLYCINE_CUDA(cudaDeviceSynchronize());
}

template <class T>
DeviceBounds<T> paddedCopy(const CudaBackend& backend, const T* matrix, std::size_t stride, std::size_t atoms,
                           BoundKind kind) {
    DeviceBounds<T> copy(backend.memory(), atoms);
    copyOnDevice(matrix, stride, copy.data(), copy.side(), atoms);
    completeBounds(backend, copy, kind);
    return copy;
}

}  // namespace

template <class T>
DeviceBounds<T>::DeviceBounds(MemoryBudget& memory, std::size_t atoms)
    : atoms_(atoms), side_(roundUp(atoms, kPadding)), buffer_(memory, side_ * side_) {}

template <class T>
std::size_t DeviceBounds<T>::bytes(std::size_t atoms) {
    const std::size_t side = roundUp(atoms, kPadding);
    return side * side * sizeof(T);
}

template <class T>
void completeBounds(const CudaBackend& backend, const DeviceBounds<T>& bounds, BoundKind kind) {
    backend.makeCurrent();
    const Stream stream;
    launchSymmetrize({stream.handle(), backend.multiprocessors()}, bounds.data(), bounds.atoms(),
                     bounds.side(), kind == BoundKind::Upper ? kFarAway<T> : T(0));
    stream.synchronize();
}

template <class T>
void smoothUpper(const CudaBackend& backend, const DeviceBounds<T>& upper, bounds::Variant variant,
                 const WorkListener& worked) {
    backend.makeCurrent();
    if (variant == bounds::Variant::Naive)
        smoothUpperNaive(backend, upper, worked);
    else
        smoothUpperBlocked(backend, upper, worked);
}

template <class T>
double smoothLower(const CudaBackend& backend, const DeviceBounds<T>& lower, const DeviceBounds<T>& upper,
                   bounds::Variant variant, const WorkListener& worked) {
    backend.makeCurrent();
    if (variant == bounds::Variant::Blocked) return smoothLowerBlocked(backend, lower, upper, worked);
    smoothLowerNaive(backend, lower, upper, worked);
    return 1;
}

template <class T>
std::size_t bytesForSmoothing(bounds::Variant variant, std::size_t atoms, bool withLower) {
    const std::size_t side = roundUp(atoms, kPadding);
    const std::size_t matrix = DeviceBounds<T>::bytes(atoms);
    const std::size_t input = withLower ? 2 * matrix : matrix;
    if (variant == bounds::Variant::Naive) return input;
    const std::size_t panels = 3 * std::min(kMaxPanelRows, side) * side * sizeof(T);
    // The finest tiles that launchPrunedProduct may choose have 32 elements a side.
    const std::size_t products = 2 * matrix + pruningTableSize<T>(side, side, side, 32) * sizeof(T);
    return input + (withLower ? std::max(panels, products) : panels);
}

template <class T>
void smoothUpperInPlace(const CudaBackend& backend, T* matrix, std::size_t atoms, std::size_t stride,
                        bounds::Variant variant, const WorkListener& worked) {
    backend.makeCurrent();
    const DeviceBounds<T> upper = paddedCopy<T>(backend, matrix, stride, atoms, BoundKind::Upper);
    smoothUpper(backend, upper, variant, worked);
    copyOnDevice<T>(upper.data(), upper.side(), matrix, stride, atoms);
}

template <class T>
void smoothLowerInPlace(const CudaBackend& backend, T* lower, std::size_t lowerStride, const T* upper,
                        std::size_t upperStride, std::size_t atoms, bounds::Variant variant,
                        const WorkListener& worked) {
    backend.makeCurrent();
    const DeviceBounds<T> upperCopy = paddedCopy<T>(backend, upper, upperStride, atoms, BoundKind::Upper);
    const DeviceBounds<T> lowerCopy = paddedCopy<T>(backend, lower, lowerStride, atoms, BoundKind::Lower);
    smoothLower(backend, lowerCopy, upperCopy, variant, worked);
    copyOnDevice<T>(lowerCopy.data(), lowerCopy.side(), lower, lowerStride, atoms);
}

template <class T>
double maxAbsDifference(const CudaBackend& backend, const T* a, std::size_t strideA, const T* b,
                        std::size_t strideB, std::size_t n) {
    backend.makeCurrent();
    const Stream stream;
    const DeviceBuffer<double> largest(backend.memory(), 1);
    launchMaxAbsDifference<T>({stream.handle(), backend.multiprocessors()}, {a, strideA}, {b, strideB}, n,
                              largest.data());
    double result = 0;
    GLYCINE_CUDA(
        cudaMemcpyAsync(&result, largest.data(), sizeof result, cudaMemcpyDeviceToHost, stream.handle()));
    stream.synchronize();
    return result;
}

#define GLYCINE_INSTANTIATE(T)                                                                             \
    template class DeviceBounds<T>;                                                                        \
    template void completeBounds<T>(const CudaBackend&, const DeviceBounds<T>&, BoundKind);                \
    template void smoothUpper<T>(const CudaBackend&, const DeviceBounds<T>&, bounds::Variant,              \
                                 const WorkListener&);                                                     \
    template double smoothLower<T>(const CudaBackend&, const DeviceBounds<T>&, const DeviceBounds<T>&,     \
                                   bounds::Variant, const WorkListener&);                                  \
    template std::size_t bytesForSmoothing<T>(bounds::Variant, std::size_t, bool);                         \
    template void smoothUpperInPlace<T>(const CudaBackend&, T*, std::size_t, std::size_t, bounds::Variant, \
                                        const WorkListener&);                                              \
    template void smoothLowerInPlace<T>(const CudaBackend&, T*, std::size_t, const T*, std::size_t,        \
                                        std::size_t, bounds::Variant, const WorkListener&);                \
    template double maxAbsDifference<T>(const CudaBackend&, const T*, std::size_t, const T*, std::size_t,  \
                                        std::size_t);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
