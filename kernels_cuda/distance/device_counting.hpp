#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// Comparing all pairs of instances on the device: bits, words and counts. Work is told in pairs ×
/// attributes.
namespace glycine::cuda {

// --- Counts
// --------------------------------------------------------------------------------------------------

enum class CountMethod {
    Bitplane,   ///< XOR, OR, population count
    BitTensor,  ///< products of bit matrices on tensor cores
    Int8,       ///< products of int8 matrices on tensor cores, through cuBLASLt
};

/// What is counted beside the attributes that differ.
struct WantedCounts {
    bool opposite = false;  ///< thermometers only
    bool valid = false;     ///< formats with missing entries only
};

/// Why the method cannot be had for this format on this device; empty when it can.
std::string whyNoCounter(const CudaBackend& backend, CountMethod method, const PlaneFormat& format);

/// Queues the counting of windows.
class PairCounter {
  public:
    virtual ~PairCounter() = default;
    /// Queues everything; returns before it is done. `work` is told to `report` in portions. Windows have at
    /// most the side that the counter was made for.
    virtual void count(const PairWindow& window, Accumulate accumulate, const CountsOnDevice& counts,
                       double work, const Stream& stream, PacedReport& report) = 0;
};

/// Device memory that a counter takes for windows of `side` × `side` instances, when `available` bytes are
/// left for counter and counts. Grows with both.
std::size_t bytesForCounter(CountMethod method, const PlaneFormat& format, WantedCounts wanted,
                            std::size_t side, std::size_t available);
/// For a method that whyNoCounter() has nothing against; `side` and `available` as there.
std::unique_ptr<PairCounter> makeCounter(const CudaBackend& backend, CountMethod method,
                                         const PlaneFormat& format, WantedCounts wanted, std::size_t side,
                                         std::size_t available);

/// The counter behind makeCounter() by products of int8 matrices; see distance_int8_counter.cpp for what they
/// are.
std::size_t bytesForInt8Counter(const PlaneFormat& format, WantedCounts wanted, std::size_t side,
                                std::size_t available);
std::unique_ptr<PairCounter> makeInt8Counter(const CudaBackend& backend, const PlaneFormat& format,
                                             WantedCounts wanted, std::size_t side, std::size_t available);

// --- Coordinates
// ---------------------------------------------------------------------------------------------

/// Queues the sums of a term over words that are numbers; `work` as in PairCounter.
void sumTerms(const CudaBackend& backend, const PairWindow& window, const SummedNumbers& summed,
              Accumulate accumulate, MatrixOnDevice<double> sums, double work, const Stream& stream,
              PacedReport& report);

// --- The published kernels
// -----------------------------------------------------------------------------------

/// Symbols in device memory as one of the published kernels reads them.
class PublishedSymbols {
  public:
    PublishedSymbols(const CudaBackend& backend, PublishedKernel kernel, std::size_t instances,
                     std::size_t attributes);
    ~PublishedSymbols();
    PublishedSymbols(const PublishedSymbols&) = delete;
    PublishedSymbols& operator=(const PublishedSymbols&) = delete;
    /// Symbols of `instances` instances from `firstInstance` on, a byte each, rows `stride` bytes apart.
    /// Returns when they are there.
    void load(const std::uint8_t* symbols, std::size_t stride, std::size_t firstInstance,
              std::size_t instances);
    /// Most instances of one load, so that its staging stays small.
    std::size_t instancesAtOnce() const { return instancesAtOnce_; }
    static std::size_t bytes(PublishedKernel kernel, std::size_t instances, std::size_t attributes);
    /// Why so many do not fit the kernel's memory, but for its size; empty: they do.
    static std::string whyNot(const CudaBackend& backend, PublishedKernel kernel, std::size_t instances,
                              std::size_t attributes);

    /// Counts the pairs of `rows` × `columns` instances from (firstRow, firstColumn) on, one block of threads
    /// a pair; counts(i, j) is zeroed beforehand by prepare(). `work` is told in portions.
    void count(CountedAttributes counted, std::size_t firstRow, std::size_t rows, std::size_t firstColumn,
               std::size_t columns, MatrixOnDevice<int> counts, double work, const Stream& stream,
               PacedReport& report) const;
    /// Queues the zeroing of counts; for Shared, too, so that all kernels start alike.
    void prepare(MatrixOnDevice<int> counts, std::size_t rows, std::size_t columns,
                 const Stream& stream) const;

  private:
    const CudaBackend& backend_;
    PublishedKernel kernel_;
    std::size_t attributes_;
    std::size_t stride_;
    std::size_t instancesAtOnce_;
    DeviceBuffer<int> integers_;
    DeviceBuffer<std::uint8_t> bytes_;  ///< the data, or staging on the way to integers
    unsigned long long texture_ = 0;    ///< CUDA's handle of one of the data; 0: none
};

}  // namespace glycine::cuda
