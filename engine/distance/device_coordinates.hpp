#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "engine/core/device_arrays.hpp"
#include "engine/distance/distance.hpp"

namespace glycine::distance {

/// Coordinates in the memory of a device, which `cuda` sums where they are. The host has a copy of all from
/// the time on when somebody visits their view there.
class DeviceCoordinates {
  public:
    /// `matrix`: of float32 or float64, which outlive this.
    DeviceCoordinates(std::shared_ptr<const DeviceArrays> arrays, const DeviceMatrix& matrix);

    const DeviceMatrix& matrix() const { return matrix_; }
    const NumberSummary& summary() const { return summary_; }
    CoordinateView view() const { return CoordinateView(*this); }
    /// A copy of some rows on the host.
    CoordinateMatrix rowsOnHost(std::span<const std::size_t> rows) const;
    /// All of them.
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
