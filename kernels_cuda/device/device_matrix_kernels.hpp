#pragma once

#include <cstddef>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels that read numbers which other libraries placed in device memory (DeviceMatrix).
namespace glycine::cuda {

/// Whether kernels can read these numbers: integers of 1 to 8 bytes, float32 and float64, aligned to their
/// size.
bool isReadable(const DeviceMatrix& numbers);

/// Makes the device of some numbers current for the thread, ordered after the work queued on that device.
class CurrentDeviceGuard {
  public:
    explicit CurrentDeviceGuard(const DeviceMatrix& numbers);
    ~CurrentDeviceGuard();
    CurrentDeviceGuard(const CurrentDeviceGuard&) = delete;
    CurrentDeviceGuard& operator=(const CurrentDeviceGuard&) = delete;

  private:
    int before_ = 0;
};

/// Results of launchSummary; initially all zero.
struct SummaryOnDevice {
    double widest, highest;
    unsigned isInfinite;  ///< nonzero if some number is infinite or NaN
};

/// Copies some columns of some rows to `target`, packed one row after another. `which`, in device memory,
/// lists the row numbers; null: rows as they are.
void launchGather(StreamHandle stream, const DeviceMatrix& numbers, const std::size_t* which, Range rows,
                  Range columns, void* target);
/// Requires float32 or float64.
void launchSummary(StreamHandle stream, const DeviceMatrix& numbers, SummaryOnDevice* summary);

}  // namespace glycine::cuda
