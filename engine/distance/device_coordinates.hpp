#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "engine/core/device_arrays.hpp"
#include "engine/distance/distance.hpp"

namespace glycine::distance {

/// Coordinates in device memory, which `cuda` sums in place. The first visit of their view on the host copies
/// all of them there.
class DeviceCoordinates {
  public:
    /// `matrix` holds float32 or float64 numbers and must outlive this object.
    DeviceCoordinates(std::shared_ptr<const DeviceArrays> arrays, const DeviceMatrix& matrix);

    const DeviceMatrix& matrix() const { return matrix_; }
    const NumberSummary& summary() const { return summary_; }
    CoordinateView view() const { return CoordinateView(*this); }
    /// A copy of some rows on the host.
    CoordinateMatrix rowsOnHost(std::span<const std::size_t> rows) const;
    /// Copies all of them to the host.
    const CoordinateView& onHost() const;

  private:
    std::shared_ptr<const DeviceArrays> arrays_;
    DeviceMatrix matrix_;
    NumberSummary summary_;
    mutable std::once_flag copied_;
    mutable CoordinateMatrix copy_;
    mutable CoordinateView onHost_;
};

}  // namespace glycine::distance
