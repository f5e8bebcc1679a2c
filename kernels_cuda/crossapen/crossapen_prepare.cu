#include <cfloat>

#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/crossapen/device_epochs.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// Repeats the operations of prepared_signals.cpp on the device in the same order, so that every bit is the
/// same.
namespace glycine::cuda {

namespace {

template <class Number>
struct Signal {
    const char* data;
    std::ptrdiff_t step;
    __device__ double at(std::size_t i) const {
        return *reinterpret_cast<const Number*>(data + std::ptrdiff_t(i) * step);
    }
};

/// The sum of of(0), of(1), … in this order, returned in every lane.
template <class Of>
__device__ double sumInOrder(std::size_t count, const Of& of) {
    double sum = 0;
    for (std::size_t first = 0; first < count; first += kWarp) {
        const double own = first + threadIdx.x < count ? of(first + threadIdx.x) : 0;
        const unsigned some = unsigned(count - first < kWarp ? count - first : kWarp);
        for (unsigned k = 0; k < some; ++k) sum += __shfl_sync(kFullWarp, own, int(k));
    }
    return sum;
}

/// A warp per signal.
template <class Number, class T>
__global__ void __launch_bounds__(kWarp)
    prepareKernel(SignalsOnDevice source, PreparedShape shape, T* target, SignalUse* uses) {
    const std::size_t epoch = blockIdx.x / shape.channels, channel = blockIdx.x % shape.channels;
    const Signal<Number> signal{
        source.data + std::ptrdiff_t(epoch) * source.epochStep + std::ptrdiff_t(channel) * source.channelStep,
        source.sampleStep};
    const std::size_t stride = signalStride(shape.samples);
    T* const prepared = target + blockIdx.x * stride;

    bool areFinite = true, areEqual = true, fits = true;
    const double front = signal.at(0);
    double lowest = DBL_MAX, highest = -DBL_MAX;
    for (std::size_t i = threadIdx.x; i < shape.samples; i += kWarp) {
        const double value = signal.at(i);
        areFinite = areFinite && isfinite(value);
        areEqual = areEqual && value == front;
        fits = fits && isfinite(T(value));
        lowest = fmin(lowest, value);
        highest = fmax(highest, value);
    }
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        lowest = fmin(lowest, __shfl_xor_sync(kFullWarp, lowest, distance));
        highest = fmax(highest, __shfl_xor_sync(kFullWarp, highest, distance));
    }
    SignalUse use = SignalUse::Usable;
    if (!__all_sync(kFullWarp, areFinite))
        use = SignalUse::NotFinite;
    else if (shape.isNormalised && __all_sync(kFullWarp, areEqual))
        use = SignalUse::Constant;
    else if (!shape.isNormalised && !__all_sync(kFullWarp, fits))
        use = SignalUse::BeyondFormat;
    if (threadIdx.x == 0) uses[blockIdx.x] = use;

    double unit = 1, offset = 0, mean = 0, scale = 1;
    if (use == SignalUse::Usable && shape.isNormalised) {
        const int exponent = -ilogb(highest / 2 - lowest / 2);
        unit = ldexp(1.0, exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent);
        offset = front * unit;
        const double count = double(shape.samples);
        mean = sumInOrder(shape.samples, [&](std::size_t i) { return signal.at(i) * unit - offset; }) / count;
        const double squares = sumInOrder(shape.samples, [&](std::size_t i) {
            const double difference = signal.at(i) * unit - offset - mean;
            return difference * difference;
        });
        scale = sqrt(squares / (shape.isOfSample ? count - 1 : count));
    }
    for (std::size_t i = threadIdx.x; i < stride; i += kWarp) {
        if (i >= shape.samples)
            prepared[i] = T(NAN);
        else if (use != SignalUse::Usable)
            prepared[i] = T(0);
        else
            prepared[i] =
                shape.isNormalised ? T((signal.at(i) * unit - offset - mean) / scale) : T(signal.at(i));
    }
}

}  // namespace

template <class T>
void launchPreparation(StreamHandle stream, const SignalsOnDevice& source, const PreparedShape& shape,
                       T* target, SignalUse* uses) {
    const unsigned blocks = unsigned(shape.epochs * shape.channels);
    if (source.isDouble)
        prepareKernel<double><<<blocks, kWarp, 0, stream>>>(source, shape, target, uses);
    else
        prepareKernel<float><<<blocks, kWarp, 0, stream>>>(source, shape, target, uses);
    checkLaunch("preparation of signals");
}

template void launchPreparation(StreamHandle, const SignalsOnDevice&, const PreparedShape&, float*,
                                SignalUse*);
template void launchPreparation(StreamHandle, const SignalsOnDevice&, const PreparedShape&, double*,
                                SignalUse*);

}  // namespace glycine::cuda
