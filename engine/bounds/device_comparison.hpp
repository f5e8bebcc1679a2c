#pragma once

#include <memory>
#include <string>

#include "engine/bounds/bounds.hpp"
#include "engine/core/backend.hpp"

namespace glycine::bounds {

/// What a comparison on the device found.
struct DeviceDifference {
    double upper = 0;  ///< largest |gl − cuda| in Å
    double lower = 0;  ///< the same of the lower bounds
    double glSeconds = 0;
    double cudaSeconds = 0;
    double handoverSeconds = 0;  ///< for CUDA to reach the input and GL's results
    double handoverBytes = 0;    ///< of these
    /// In place alone: the same handed over through the host, each element of it equal to what CUDA found in
    /// place. 0: it went that way.
    double stagedSeconds = 0;
};

/// Smooths one data set by variant `blocked` of `gl` and of `cuda` and compares the results on the device.
///
/// The float32 bounds go into OpenGL textures once and are smoothed there; CUDA smooths the same textures'
/// contents and compares. In mode Direct nothing travels through the host: the textures, and buffers in which
/// CUDA smooths in place, are registered with CUDA, and the CUDA device is the one that draws for the OpenGL
/// context. In mode Staged they are copied through host memory.
class DeviceComparison {
  public:
    /// Makes both backends. Throws UnavailableError when one of them is missing (a build without nvcc among
    /// the reasons), or when Direct is asked for and the driver cannot share.
    DeviceComparison(const BackendOptions& options, InteropMode mode);
    ~DeviceComparison();
    DeviceComparison(const DeviceComparison&) = delete;
    DeviceComparison& operator=(const DeviceComparison&) = delete;

    /// Direct or Staged: how CUDA gets at GL's data.
    InteropMode mode() const;
    /// "in place", or "through the host" with the reason when the mode was left to choose.
    std::string description() const;
    /// Upper and lower bounds of n ≥ 1 atoms that fit one texture (else UnavailableError).
    DeviceDifference compare(MatrixView<const float> upper, MatrixView<const float> lower,
                             Progress& progress);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace glycine::bounds
