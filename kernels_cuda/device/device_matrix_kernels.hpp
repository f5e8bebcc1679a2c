#pragma once

#include <cstddef>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Numbers that others have brought to the device (DeviceMatrix), as host code has them read.
namespace glycine::cuda {

/// Whether kernels read these numbers: whole ones of 1 to 8 bytes, float32 and float64, where numbers of
/// their size may lie.
bool isReadable(const DeviceMatrix& numbers);

/// Makes the device of some numbers the thread's current one, after what is queued on it.
class OnDeviceOf {
  public:
    explicit OnDeviceOf(const DeviceMatrix& numbers);
    ~OnDeviceOf();
    OnDeviceOf(const OnDeviceOf&) = delete;
    OnDeviceOf& operator=(const OnDeviceOf&) = delete;

  private:
    int before_ = 0;
};

/// What summarize() finds; all zero before.
struct SummaryOnDevice {
    double widest, highest;
    unsigned isInfinite;  ///< or NaN, some number
};

/// Copies some columns of some rows (of those whose numbers `which` holds, in the device's memory, unless it
/// is null) to `target`, one behind another.
void launchGather(StreamHandle stream, const DeviceMatrix& numbers, const std::size_t* which, Range rows,
                  Range columns, void* target);
/// float32 and float64 alone.
void launchSummary(StreamHandle stream, const DeviceMatrix& numbers, SummaryOnDevice* summary);

}  // namespace glycine::cuda
