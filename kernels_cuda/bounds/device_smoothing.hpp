#pragma once

#include <cstddef>

#include "engine/bounds/bounds.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/paced_report.hpp"

/// Smoothing of distance bounds on the device. T is float, double or std::int32_t throughout; matrices are
/// symmetric with zero diagonal, row-major; entries are ≥ 0, finite, and any two upper bounds can be added.
/// Upper bounds that mean "unknown" are 1e30, or 2³⁰ − 1 for int32. Progress counts relaxations: atoms³ per
/// stage. Variants are Naive (GPU Gems 2, algorithm 43-2: one launch per k) and Blocked (Floyd-Warshall by
/// blocks; two (max, +) products).
namespace glycine::cuda {

/// Rows of one panel of the blocked Floyd-Warshall, on which the order of sums depends.
std::size_t panelRows(std::size_t atoms);

/// A symmetric matrix of bounds in device memory, padded with unconnected atoms.
template <class T>
class DeviceBounds {
  public:
    DeviceBounds() = default;
    DeviceBounds(MemoryBudget& memory, std::size_t atoms);
    T* data() const { return buffer_.data(); }
    std::size_t atoms() const { return atoms_; }
    /// Rows and columns with padding; also the distance of rows.
    std::size_t side() const { return side_; }
    /// Bytes of a matrix of so many atoms.
    static std::size_t bytes(std::size_t atoms);

  private:
    std::size_t atoms_ = 0;
    std::size_t side_ = 0;
    DeviceBuffer<T> buffer_;
};

enum class BoundKind { Upper, Lower };

/// Completes a matrix whose upper triangle has been written: mirrors it and fills the padding. Both kinds
/// need this before they are smoothed. Returns when the device is done.
template <class T>
void completeBounds(const CudaBackend& backend, const DeviceBounds<T>& bounds, BoundKind kind);

/// Replaces every bound by the length of the shortest path. Returns when the device is done.
template <class T>
void smoothUpper(const CudaBackend& backend, const DeviceBounds<T>& upper, bounds::Variant variant,
                 const WorkListener& worked);

/// Raises the lower bounds to the tightest that follow from `upper`, which must be smoothed.
/// Returns the share of the two products' sums that pruning left (Blocked; 1 for Naive).
template <class T>
double smoothLower(const CudaBackend& backend, const DeviceBounds<T>& lower, const DeviceBounds<T>& upper,
                   bounds::Variant variant, const WorkListener& worked);

/// Device memory that smoothing needs in all, matrices included.
template <class T>
std::size_t bytesForSmoothing(bounds::Variant variant, std::size_t atoms, bool withLower);

// --- On matrices that lie in device memory already (a registered OpenGL buffer, say)
// ---------------------------------

/// Smooths `matrix` (atoms × atoms, rows `stride` elements apart) in place. A padded copy is worked on.
template <class T>
void smoothUpperInPlace(const CudaBackend& backend, T* matrix, std::size_t atoms, std::size_t stride,
                        bounds::Variant variant = bounds::Variant::Blocked, const WorkListener& worked = {});
/// The same for lower bounds; `upper` must be smoothed.
template <class T>
void smoothLowerInPlace(const CudaBackend& backend, T* lower, std::size_t lowerStride, const T* upper,
                        std::size_t upperStride, std::size_t atoms,
                        bounds::Variant variant = bounds::Variant::Blocked, const WorkListener& worked = {});

/// Largest |a − b| over the elements off the diagonal of two n × n matrices in device memory. The diagonal of
/// bounds is zero by definition; products of contradictory bounds leave other values there, which mean
/// nothing.
template <class T>
double maxAbsDifference(const CudaBackend& backend, const T* a, std::size_t strideA, const T* b,
                        std::size_t strideB, std::size_t n);

}  // namespace glycine::cuda
