#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"

/// Signals that others have brought to the device, made what engines compare.
namespace glycine::cuda {

/// Steps are bytes and may be negative.
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

/// What becomes of a signal; zeros of all but the usable ones.
enum class SignalUse : std::uint8_t { Usable, NotFinite, Constant, BeyondFormat };

/// Signals come to lie signalStride() apart, NaN behind each.
template <class T>
void launchPreparation(StreamHandle stream, const SignalsOnDevice& source, const PreparedShape& shape,
                       T* target, SignalUse* uses);

}  // namespace glycine::cuda
