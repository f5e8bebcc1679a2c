#pragma once

#include <cstddef>
#include <memory>

#include "kernels_cuda/distance/device_counting.hpp"

/// The counters behind makeCounter().
namespace glycine::cuda {

/// Products of int8 matrices; see distance_int8_form.cpp for what they are.
std::size_t bytesForInt8Counter(const PlaneFormat& format, WantedCounts wanted, std::size_t side,
                                std::size_t available);
std::unique_ptr<PairCounter> makeInt8Counter(const CudaBackend& backend, const PlaneFormat& format,
                                             WantedCounts wanted, std::size_t side, std::size_t available);

}  // namespace glycine::cuda
