#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/distance/distance.hpp"
#include "engine/distance/pair_counts.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// Compares all pairs of instances on the device: bits, words and counts. The unit of work is pairs ×
/// attributes.
namespace glycine::cuda {

// --- Counts
// --------------------------------------------------------------------------------------------------

// Variants here are Bitplane (XOR, OR, population count), BitTensor (products of bit matrices on tensor
// cores) and Tensor (products of int8 matrices there, through cuBLASLt).

/// Why the variant is unavailable for this shape on this device; empty if it is available.
std::string unsupportedReason(const CudaBackend& backend, distance::Variant variant,
                              const distance::DiscreteShape& shape);

/// Queues the counting of windows.
class PairCounter {
  public:
    virtual ~PairCounter() = default;
    /// Queues all work and returns before it is done. Reports `work` to `report` in portions. The side of a
    /// window is at most that of the counter.
    virtual void count(const PairWindow& window, Accumulate accumulate, const CountsOnDevice& counts,
                       double work, const Stream& stream, PacedReport& report) = 0;
};

/// Device memory of a counter for windows of `side` × `side` instances, if `available` bytes are left for
/// counter and counts. Grows with both. `wanted`: opposite homozygotes only with a thermometer code, valid
/// entries only if some are missing.
std::size_t bytesForCounter(distance::Variant variant, const distance::DiscreteShape& shape,
                            distance::CountNeeds wanted, std::size_t side, std::size_t available);
/// Requires that unsupportedReason() is empty; `side` and `available` as in bytesForCounter.
std::unique_ptr<PairCounter> makeCounter(const CudaBackend& backend, distance::Variant variant,
                                         const distance::DiscreteShape& shape, distance::CountNeeds wanted,
                                         std::size_t side, std::size_t available);

/// The counter that makeCounter() creates for int8 matrix products; distance_int8_counter.cpp describes
/// these.
std::size_t bytesForInt8Counter(const distance::DiscreteShape& shape, distance::CountNeeds wanted,
                                std::size_t side, std::size_t available);
std::unique_ptr<PairCounter> makeInt8Counter(const CudaBackend& backend, const distance::DiscreteShape& shape,
                                             distance::CountNeeds wanted, std::size_t side,
                                             std::size_t available);

// --- Coordinates
// ---------------------------------------------------------------------------------------------

/// Queues the sums of a term over words that are numbers; `work` is as in PairCounter.
void sumTerms(const CudaBackend& backend, const PairWindow& window, const SummedNumbers& summed,
              Accumulate accumulate, MatrixOnDevice<double> sums, double work, const Stream& stream,
              PacedReport& report);

// --- The published kernels
// -----------------------------------------------------------------------------------

/// Symbols in device memory, in the layout that a published kernel reads.
class PublishedSymbols {
  public:
    PublishedSymbols(const CudaBackend& backend, distance::Variant variant, std::size_t instances,
                     std::size_t attributes);
    ~PublishedSymbols();
    PublishedSymbols(const PublishedSymbols&) = delete;
    PublishedSymbols& operator=(const PublishedSymbols&) = delete;
    /// Loads the symbols of `instances` instances, starting at `firstInstance`: one byte each, rows `stride`
    /// bytes apart. Returns when they have arrived.
    void load(const std::uint8_t* symbols, std::size_t stride, std::size_t firstInstance,
              std::size_t instances);
    /// Largest number of instances per load, which limits the staging memory.
    std::size_t instancesAtOnce() const { return instancesAtOnce_; }
    static std::size_t bytes(distance::Variant variant, std::size_t instances, std::size_t attributes);
    /// Why this many instances or attributes do not suit the kernel, apart from the size of memory; empty if
    /// they do.
    static std::string unsupportedReason(const CudaBackend& backend, distance::Variant variant,
                                         std::size_t instances, std::size_t attributes);

    /// Counts the pairs of `rows` × `columns` instances starting at (firstRow, firstColumn), with one thread
    /// block per pair. prepare() must have zeroed counts(i, j). Reports `work` in portions.
    void count(CountedAttributes counted, std::size_t firstRow, std::size_t rows, std::size_t firstColumn,
               std::size_t columns, MatrixOnDevice<int> counts, double work, const Stream& stream,
               PacedReport& report) const;
    /// Queues zeroing the counts; also for Shared, so that all kernels start alike.
    void prepare(MatrixOnDevice<int> counts, std::size_t rows, std::size_t columns,
                 const Stream& stream) const;

  private:
    const CudaBackend& backend_;
    distance::Variant variant_;
    std::size_t attributes_;
    std::size_t stride_;
    std::size_t instancesAtOnce_;
    DeviceBuffer<int> integers_;
    DeviceBuffer<std::uint8_t> bytes_;  ///< the data, or staging for integers
    unsigned long long texture_ = 0;    ///< CUDA's handle of a texture of the data; 0: none
};

}  // namespace glycine::cuda
