#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "kernels_cuda/crossapen/pair_matching.hpp"

namespace glycine::crossapen::cuda {

/// How the epochs of a run are split into batches.
struct BatchPlan {
    std::size_t epochs = 0;  ///< per batch; 0: not even one epoch fits on the device
    std::size_t slots = 1;   ///< batches on the device at a time: one is processed while another is
                             ///< transferred
    std::size_t needed = 0;  ///< if epochs = 0: bytes that would suffice
};

/// Memory needed by a batch of some epochs, in bytes.
struct BatchDemand {
    std::function<std::size_t(std::size_t epochs)> ofSlot;    ///< device memory of signals and results
    std::function<std::size_t(std::size_t epochs)> ofTables;  ///< device memory that all slots share
};

/// Plans batches of about equal size, small enough that transfers overlap the kernels, within `available`
/// bytes and `mostEpochs` ≥ 1 epochs. `epochs` ≥ 1: of the whole run.
BatchPlan planBatches(const BatchDemand& demand, std::size_t epochs, std::size_t mostEpochs,
                      std::size_t available);

/// Prepares some of the epochs that are in device memory. Returns null if the host has to do it.
std::unique_ptr<EpochsOnDevice> prepareOnDevice(glycine::cuda::CudaBackend& backend,
                                                const DeviceEpochs& epochs, Range some,
                                                const EntropyOptions& options);

/// The properties that determine a run's buffers on the device.
struct RunShape {
    Variant variant = Variant::Registers;
    glycine::cuda::MatchShape all;  ///< epochs: those of the whole run
    bool hasPairBounds = false;
    bool operator==(const RunShape& other) const {
        return variant == other.variant && all.epochs == other.all.epochs &&
               all.channels == other.all.channels && all.samples == other.all.samples &&
               all.m == other.all.m && hasPairBounds == other.hasPairBounds;
    }
};

/// How a run of this shape would use `available` bytes of device memory. T: float or double.
template <class T>
BatchPlan planRun(const glycine::cuda::CudaBackend& backend, const RunShape& shape, std::size_t available);

/// Buffers and tables for consecutive runs of one shape.
template <class T>
class MatchRun {
  public:
    /// `plan`: from planRun() for this shape, with epochs > 0.
    MatchRun(glycine::cuda::CudaBackend& backend, const RunShape& shape, const BatchPlan& plan);
    const RunShape& shape() const { return shape_; }

    /// As MatchEngine::match, for epochs of this shape.
    MatchTimes match(std::span<const AnyEpoch> epochs, bool isStrict,
                     std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress);

  private:
    void pack(std::span<const AnyEpoch> epochs, bool isStrict,
              const glycine::cuda::MatchBatch<T>& batch) const;
    void unpack(const MatchStatistics* totals, std::span<const MatrixView<MatchStatistics>> statistics) const;

    glycine::cuda::CudaBackend& backend_;
    RunShape shape_;
    std::vector<Range> batches_;
    glycine::cuda::DeviceBuffer<std::int64_t> logs_;
    std::unique_ptr<glycine::cuda::MatchLauncher<T>> launcher_;
    std::vector<glycine::cuda::MatchBatch<T>> slots_;
    glycine::cuda::MatchStreams streams_;
};

}  // namespace glycine::crossapen::cuda
