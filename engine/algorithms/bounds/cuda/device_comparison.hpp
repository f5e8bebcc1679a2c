#pragma once

#include <string>

#include "engine/algorithms/bounds/bounds.hpp"
#include "engine/core/backend.hpp"

namespace glycine::bounds {

/// One data set, smoothed by variant `blocked` of `gl` and of `cuda` and compared on the device.
struct DeviceComparison {
    InteropMode mode = InteropMode::Direct;  ///< how CUDA got at GL's data: Direct or Staged
    std::string reason;                      ///< why staged, when the mode was left to choose
    double upperDifference = 0;              ///< largest |gl − cuda| in Å
    double lowerDifference = 0;
    double glSeconds = 0;
    double cudaSeconds = 0;
    double handoverSeconds = 0;  ///< for CUDA to reach the input and GL's results
};

/// Puts the float32 bounds into OpenGL textures once; smooths them there; lets CUDA smooth the same textures'
/// contents and compare the results. In mode Direct nothing travels through the host: the textures, and a
/// buffer in which CUDA smooths in place, are registered with CUDA, and the CUDA device is the one that
/// draws. In mode Staged they are copied through host memory.
///
/// Throws UnavailableError when either backend is missing, the data do not fit one texture, or Direct is
/// asked for and the driver cannot share.
DeviceComparison compareOnDevice(MatrixView<const float> upper, MatrixView<const float> lower,
                                 const BackendOptions& options, InteropMode mode, Progress& progress);

}  // namespace glycine::bounds
