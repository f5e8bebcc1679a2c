#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/bounds/cuda_blocks.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"

namespace glycine::bounds::cuda {

namespace {

using glycine::cuda::BoundKind;
using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBounds;
using glycine::cuda::StagedTransfer;

// Tetrangles
/// Squares, halves of inverses, and limits of both kinds of bounds.
constexpr std::size_t kTetrangleArrays = 6;
/// Of a launch: some hundredths of a second on a large device.
constexpr double kQuadruplesAtOnce = 4e9;
constexpr std::size_t kThirdAtomsAtOnce = 1024;

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cuda", {"float32", "float64", "fixed"},
        {{Variant::Naive, "one launch per k, one thread per pair", "GPU Gems 2, algorithm 43-2"},
         {Variant::Blocked,
          "blocked Floyd-Warshall on the upper triangle, then two pruned (max, +) products",
          "",
          {},
          true}});
    return table;
}

/// Devices or processes among which blocks are divided.
std::size_t sharingDevices(const CudaBackend& backend) {
    const ProcessTeam* const team = teamAtWork();
    if (team != nullptr) return team->processes();
    if (backend.crew() == nullptr) return 1;
    const std::vector<int>& devices = backend.crew()->devices;
    return devices.size() - static_cast<std::size_t>(std::ranges::count(devices, DeviceCrew::kHost));
}

class CudaSmoothingEngine : public SmoothingEngine {
  public:
    explicit CudaSmoothingEngine(CudaBackend& backend) : backend_(backend), transfer_(backend.transfer()) {}

    Support supports(const SmoothingRequest& request) const override;
    SmoothingOutcome smooth(const AnyBoundMatrices& matrices, Variant variant, Progress& progress) override {
        const Variant chosen = variants().resolve(variant);
        return std::visit([&](const auto& typed) { return smoothTyped(typed, chosen, progress); }, matrices);
    }

    Support supportsTetrangles(std::size_t atoms) const override;
    TetrangleLimits tetrangleLimits(const AnyBoundMatrices& matrices, Progress& progress) override;

    std::optional<DeviceBoundOutcome> smoothOnDevice(const DeviceBoundRequest& request,
                                                     const AnyBoundMatrices& host,
                                                     Progress& progress) override {
        backend_.makeCurrent();
        if (const auto* const typed = std::get_if<BoundMatrices<float>>(&host))
            return smoothArrays(request, *typed, progress);
        if (const auto* const typed = std::get_if<BoundMatrices<double>>(&host))
            return smoothArrays(request, *typed, progress);
        return std::nullopt;
    }

    SmoothingOutcome beginShared(const AnyBoundMatrices& /*matrices*/, Variant variant,
                                 Progress& /*progress*/, SharedTask& task) override {
        SmoothingOutcome outcome;
        outcome.variant = variants().resolve(variant);
        if (outcome.variant == Variant::Naive)
            throw UnavailableError(
                "variant 'naive' uses one device; 'blocked' can share its blocks among several");
        task.side = glycine::cuda::panelRows(task.atoms);
        return outcome;
    }
    std::unique_ptr<BlockWorker> worker(const WorkerPart& part) override {
        return makeBlockWorker(part, backend_);
    }

  private:
    template <class T>
    std::optional<DeviceBoundOutcome> smoothArrays(const DeviceBoundRequest& request,
                                                   const BoundMatrices<T>& host, Progress& progress);
    template <class T>
    SmoothingOutcome smoothTyped(const BoundMatrices<T>& matrices, Variant variant, Progress& progress);
    template <class T>
    SmoothingOutcome smoothOnDevice(const BoundMatrices<T>& matrices, Variant variant, Progress& progress);

    CudaBackend& backend_;
    StagedTransfer& transfer_;
};

Support CudaSmoothingEngine::supports(const SmoothingRequest& request) const {
    if (Support known = variants().supports(request.variant); !known) return known;
    backend_.makeCurrent();
    const std::size_t atoms = request.atoms;
    if (variants().resolve(request.variant) == Variant::Blocked)
        return supportsShare({atoms, glycine::cuda::panelRows(atoms), sharingDevices(backend_)},
                             request.format, backend_);
    const std::size_t needed = withNumberOf(request.format, [atoms]<class T>(T) {
        return glycine::cuda::bytesForSmoothing<T>(Variant::Naive, atoms, true);
    });
    const std::size_t available = backend_.memory().available();
    if (needed <= available) return Support::yes();
    return Support::no(
        lackOfDeviceMemory(fmt::format("smoothing {} atoms", atoms), static_cast<double>(needed), available) +
        "; variant 'blocked' works in blocks");
}

Support CudaSmoothingEngine::supportsTetrangles(std::size_t atoms) const {
    backend_.makeCurrent();
    const std::size_t needed = kTetrangleArrays * atoms * atoms * sizeof(double);
    const std::size_t available = backend_.memory().available();
    if (needed <= available) return Support::yes();
    return Support::no(
        lackOfDeviceMemory(fmt::format("{} atoms", atoms), static_cast<double>(needed), available));
}

TetrangleLimits CudaSmoothingEngine::tetrangleLimits(const AnyBoundMatrices& matrices, Progress& progress) {
    backend_.makeCurrent();
    const TetrangleBounds bounds(matrices);
    const std::size_t n = bounds.atoms;
    TetrangleLimits limits(n);
    for (std::size_t i = 0; i < n * n; ++i)
        limits.upper.data()[i] = std::isnan(bounds.upper[i]) ? HUGE_VAL : bounds.upper[i];
    std::copy(bounds.lower.begin(), bounds.lower.end(), limits.lower.data());

    const glycine::cuda::DeviceBuffer<double> memory(backend_.memory(), kTetrangleArrays * n * n);
    const auto array = [&](std::size_t index) { return memory.data() + index * n * n; };
    const double* const hosts[] = {bounds.upper.data(),        bounds.lower.data(),
                                   bounds.halfPerUpper.data(), bounds.halfPerLower.data(),
                                   limits.upper.data(),        limits.lower.data()};
    static_assert(std::size(hosts) == kTetrangleArrays);
    for (std::size_t index = 0; index < kTetrangleArrays; ++index)
        glycine::cuda::copyToDevice(backend_, hosts[index], n * n, array(index));
    const auto bits = [&](std::size_t index) { return reinterpret_cast<unsigned long long*>(array(index)); };
    const glycine::cuda::TetrangleArrays arrays{array(0), array(1), array(2), array(3), bits(4), bits(5), n};

    const glycine::cuda::Stream stream;
    const glycine::cuda::Launch launch{stream.handle(), backend_.multiprocessors()};
    const glycine::cuda::WorkListener worked = [&](double done) { progress.advance(done); };
    glycine::cuda::PacedReport paced(worked, 1);
    const auto pairs = [](double atoms) { return atoms * (atoms - 1) / 2; };
    progress.begin("tetrangles", pairs(double(n)));
    for (std::size_t k = 0; k + 1 < n;) {
        // All l > k of a k are as many quadruples of each pair.
        const double each = pairs(double(n)) * double(n - 1 - k);
        const std::size_t count = static_cast<std::size_t>(
            std::clamp(kQuadruplesAtOnce / each, 1.0, double(std::min(n - 1 - k, kThirdAtomsAtOnce))));
        glycine::cuda::launchTetrangles(launch, arrays, {k, k + count});
        paced.queued(stream, pairs(double(n - k)) - pairs(double(n - k - count)));
        k += count;
    }
    paced.settleAll();
    glycine::cuda::copyToHost(backend_, array(4), n * n, limits.upper.data());
    glycine::cuda::copyToHost(backend_, array(5), n * n, limits.lower.data());
    return limits;
}

template <class T>
SmoothingOutcome CudaSmoothingEngine::smoothTyped(const BoundMatrices<T>& matrices, Variant variant,
                                                  Progress& progress) {
    backend_.makeCurrent();
    const std::size_t needed =
        glycine::cuda::bytesForSmoothing<T>(variant, matrices.atoms(), matrices.hasLower());
    // Blocks take less memory than two matrices and their products, and may lie in the host's.
    if (variant == Variant::Blocked && needed > backend_.memory().available())
        return smoothInBlocks(*this, matrices, variant, progress);
    SmoothingOutcome outcome = smoothOnDevice(matrices, variant, progress);
    outcome.variant = variant;
    return outcome;
}

/// Both matrices on the device. The lower bounds travel up while the upper ones are smoothed, the upper
/// bounds travel down while the lower ones are: `upload` and `download` count what could not be hidden.
template <class T>
SmoothingOutcome CudaSmoothingEngine::smoothOnDevice(const BoundMatrices<T>& matrices, Variant variant,
                                                     Progress& progress) {
    const std::size_t n = matrices.atoms();
    const double work = double(n) * double(n) * double(n);
    const auto worked = [&](double done) { progress.advance(done); };
    const auto upload = [this, n](MatrixView<T> host, const DeviceBounds<T>& device, BoundKind kind) {
        transfer_.upload<T>(host.data(), host.rowStride(), device.data(), device.side(), n, n,
                            StagedTransfer::Part::UpperTriangle);
        glycine::cuda::completeBounds(backend_, device, kind);
    };
    const auto download = [this, n](const DeviceBounds<T>& device, MatrixView<T> host) {
        transfer_.download<T>(device.data(), device.side(), host.data(), host.rowStride(), n, n);
    };

    SmoothingOutcome outcome;
    Stopwatch watch;
    const DeviceBounds<T> upper(backend_.memory(), n);
    std::optional<DeviceBounds<T>> lower;
    if (matrices.hasLower()) lower.emplace(backend_.memory(), n);
    progress.throwIfCancelled();
    upload(matrices.upper, upper, BoundKind::Upper);
    outcome.times.upload = watch.restart();

    // Declared after the matrices: should a stage throw, it is waited for before they go.
    std::future<void> lowerUpload;
    if (lower)
        lowerUpload =
            std::async(std::launch::async, [&] { upload(matrices.lower, *lower, BoundKind::Lower); });
    progress.begin("upper bounds", work);
    glycine::cuda::smoothUpper(backend_, upper, variant, worked);
    outcome.times.upper = watch.restart();

    std::future<void> upperDownload;
    if (lower) {
        lowerUpload.get();
        outcome.times.upload += watch.restart();
        upperDownload = std::async(std::launch::async, [&] { download(upper, matrices.upper); });
        progress.begin("lower bounds", work);
        const double share = glycine::cuda::smoothLower(backend_, *lower, upper, variant, worked);
        if (variant == Variant::Blocked)
            outcome.note = fmt::format("lower bounds: pruning left {:.1f} % of the sums", 100 * share);
        outcome.times.lower = watch.restart();
        upperDownload.get();
        download(*lower, matrices.lower);
    } else {
        download(upper, matrices.upper);
    }
    outcome.times.download = watch.restart();
    return outcome;
}

/// Matrices that are on the device, checked there.
template <class T>
std::optional<DeviceBoundOutcome> CudaSmoothingEngine::smoothArrays(const DeviceBoundRequest& request,
                                                                    const BoundMatrices<T>& host,
                                                                    Progress& progress) {
    const std::size_t n = request.upper.rows;
    const bool hasLower = request.lower.data != nullptr;
    const Variant variant = variants().resolve(request.variant);
    const auto isTaken = [&](const DeviceMatrix& matrix) {
        return matrix.device == backend_.deviceIndex() && matrix.kind == 'f' &&
               glycine::cuda::isReadable(matrix) && matrix.rows == n && matrix.columns == n;
    };
    if (!isTaken(request.upper) || (hasLower && !isTaken(request.lower)) ||
        glycine::cuda::bytesForSmoothing<T>(variant, n, true) > backend_.memory().available())
        return std::nullopt;

    DeviceBoundOutcome outcome;
    outcome.variant = variant;
    Stopwatch watch;
    const glycine::cuda::CurrentDeviceGuard current(request.upper);
    const glycine::cuda::Stream stream;
    const glycine::cuda::Launch launch{stream.handle(), backend_.multiprocessors()};
    const DeviceBounds<T> upper(backend_.memory(), n), lower(backend_.memory(), n);
    const glycine::cuda::DeviceBuffer<glycine::cuda::BoundFacts> facts(backend_.memory(), 1);
    const auto matrix = [](const DeviceBounds<T>& bounds) {
        return glycine::cuda::MatrixOnDevice<T>{bounds.data(), bounds.side()};
    };
    const auto read = [](const DeviceBounds<T>& bounds) {
        return glycine::cuda::MatrixOnDevice<const T>{bounds.data(), bounds.side()};
    };
    const auto count = [&](double tolerance) {
        glycine::cuda::launchCountBounds(launch, read(upper), read(lower), n, tolerance, facts.data());
        glycine::cuda::BoundFacts found{};
        stream.synchronize();
        glycine::cuda::copyToHost(backend_, facts.data(), 1, &found);
        return found;
    };
    const auto clear = [&stream](void* memory, std::size_t bytes) {
        GLYCINE_CUDA(cudaMemsetAsync(memory, 0, bytes, stream.handle()));
    };
    clear(facts.data(), sizeof(glycine::cuda::BoundFacts));
    glycine::cuda::launchTakeBounds(launch, request.upper, true, n, matrix(upper), facts.data());
    if (hasLower)
        glycine::cuda::launchTakeBounds(launch, request.lower, false, n, matrix(lower), facts.data());
    else
        clear(lower.data(), DeviceBounds<T>::bytes(n));
    const glycine::cuda::BoundFacts before = count(0);
    if (before.isRefused != 0 || before.exceeding > 0) return std::nullopt;
    const bool isUnknown = before.largest >= kUnknownUpper<T>;
    outcome.knownPairs = n * (n - 1) / 2 - (isUnknown || before.atLargest > 1 ? before.atLargest : 0);
    glycine::cuda::completeBounds(backend_, upper, BoundKind::Upper);
    glycine::cuda::completeBounds(backend_, lower, BoundKind::Lower);
    outcome.times.upload = watch.restart();

    const double work = double(n) * double(n) * double(n);
    const auto worked = [&](double done) { progress.advance(done); };
    progress.begin("upper bounds", work);
    glycine::cuda::smoothUpper(backend_, upper, variant, worked);
    outcome.times.upper = watch.restart();
    progress.begin("lower bounds", work);
    const double share = glycine::cuda::smoothLower(backend_, lower, upper, variant, worked);
    if (variant == Variant::Blocked)
        outcome.note = fmt::format("lower bounds: pruning left {:.1f} % of the sums", 100 * share);
    outcome.times.lower = watch.restart();

    clear(facts.data(), sizeof(glycine::cuda::BoundFacts));
    outcome.violationCount = count(request.tolerance).exceeding;
    const auto give = [&](const DeviceBounds<T>& bounds, const DeviceMatrix& target, MatrixView<T> onHost) {
        if (target.data != nullptr) glycine::cuda::launchGiveBounds(launch, read(bounds), n, target);
        stream.synchronize();
        if (onHost.data() != nullptr)
            transfer_.download<T>(bounds.data(), bounds.side(), onHost.data(), onHost.rowStride(), n, n);
    };
    give(upper, request.smoothedUpper, host.upper);
    give(lower, request.smoothedLower, host.lower);
    outcome.times.download = watch.restart();
    return outcome;
}

}  // namespace

Implementation<SmoothingEngine> smoothingEngine() {
    return implementWith<SmoothingEngine, CudaSmoothingEngine, CudaBackend>(variants());
}

}  // namespace glycine::bounds::cuda
