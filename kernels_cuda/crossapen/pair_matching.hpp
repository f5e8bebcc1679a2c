#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/crossapen/crossapen.hpp"
#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/paced_report.hpp"

/// Computes match statistics of all ordered pairs of signals on the device. T: float or double.
namespace glycine::cuda {

/// Why the variant is not available on this device; empty if it is. A shape with samples = 0 means any
/// length.
std::string unsupportedReason(const CudaBackend& backend, crossapen::Variant variant, const MatchShape& shape,
                              std::size_t sampleBytes);

/// Use of the kernel of a published variant, for m = 1 and float32; nothing for others.
std::optional<KernelUse> kernelOf(const CudaBackend& backend, crossapen::Variant variant);

/// A variant's tables and launches, for batches that have the same shape except for their number of epochs.
template <class T>
class MatchLauncher {
  public:
    virtual ~MatchLauncher() = default;
    /// Queues the preparation of single signals. `signals`: the same signals in page-locked memory, for
    /// uploads.
    virtual void prepare(const MatchProblem<T>& problem, const T* signals, const Stream& stream) = 0;
    /// Queues tables and pairs. The totals must be zero before. Reports `work` to `report` in portions.
    virtual void match(const MatchProblem<T>& problem, double work, const Stream& stream,
                       PacedReport& report) = 0;
};

/// Device memory that a launcher needs in addition to signals and totals. `largest`: the shape with the most
/// epochs per batch.
template <class T>
std::size_t bytesForLauncher(const CudaBackend& backend, crossapen::Variant variant,
                             const MatchShape& largest);
/// Requires that unsupportedReason() returns an empty string.
template <class T>
std::unique_ptr<MatchLauncher<T>> makeMatchLauncher(const CudaBackend& backend, crossapen::Variant variant,
                                                    const MatchShape& largest);

/// The streams of a run, with which transfers overlap kernels.
struct MatchStreams {
    Stream upload, compute, download;
};

/// Seconds on the device.
struct BatchTimes {
    double upload = 0, sort = 0, match = 0, download = 0;
};

/// A batch of epochs in flight: page-locked host memory, device memory, and events between the stages.
template <class T>
class MatchBatch {
  public:
    MatchBatch(const CudaBackend& backend, const MatchShape& largest, bool hasPairBounds);
    /// Device memory of one batch.
    static std::size_t bytes(const MatchShape& largest, bool hasPairBounds);

    /// Fill these before start(): signals signalStride() apart with NaN after each; bounds as in
    /// MatchProblem.
    T* signals() const { return reinterpret_cast<T*>(input_.data()); }
    T* bounds() const { return signals() + signalElements_; }

    /// Queues all stages for the first `epochs` epochs. `logs`: in device memory. `there`: signals in device
    /// memory to use instead of signals(), or null.
    void start(std::size_t epochs, const T* there, const std::int64_t* logs, MatchLauncher<T>& launcher,
               const MatchStreams& streams, double work, PacedReport& report);
    /// Waits for the totals, which remain valid until the next start().
    const crossapen::MatchStatistics* wait(BatchTimes& times) const;

  private:
    MatchShape shape_;
    bool hasPairBounds_;
    std::size_t signalElements_;
    PinnedBuffer input_, output_;
    DeviceBuffer<T> deviceInput_;
    DeviceBuffer<crossapen::MatchStatistics> deviceTotals_;
    Event uploading_{Event::Kind::Timing}, uploaded_{Event::Kind::Timing}, sorting_{Event::Kind::Timing},
        matching_{Event::Kind::Timing}, matched_{Event::Kind::Timing}, downloading_{Event::Kind::Timing},
        downloaded_{Event::Kind::Timing};
};

/// A table of logarithms in device memory.
DeviceBuffer<std::int64_t> uploadLogarithms(const CudaBackend& backend,
                                            const std::vector<std::int64_t>& logarithms);

}  // namespace glycine::cuda
