#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"

/// Converts signals that are already in device memory to the form that engines compare.
namespace glycine::cuda {

/// Steps are in bytes and may be negative.
struct SignalsOnDevice {
    const char* data;
    std::ptrdiff_t epochStep, channelStep, sampleStep;
    bool isDouble;  ///< else float32
};

struct PreparedShape {
    std::size_t epochs, channels, samples;
    bool isNormalised;
    bool isOfSample;  ///< Deviation::Sample
};

/// The state of a signal. Signals other than Usable are replaced by zeros.
enum class SignalUse : std::uint8_t { Usable, NotFinite, Constant, BeyondFormat };

/// Writes signals signalStride() apart, with NaN after each.
template <class T>
void launchPreparation(StreamHandle stream, const SignalsOnDevice& source, const PreparedShape& shape,
                       T* target, SignalUse* uses);

}  // namespace glycine::cuda
