#pragma once

#include "engine/core/names.hpp"

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::mutualinfo {

/// Number format to which weights are rounded.
enum class WeightPrecision {
    Float64,
    Float32,
    Tf32,     ///< of tensor cores: 10 bits after the binary point; sums in float32
    Float16,  ///< the same with float16's range
};
constexpr auto namesOf(WeightPrecision) {
    using P = WeightPrecision;  // nvcc compiles this as C++17
    return namesAre<WeightPrecision>(
        "precision",
        {{P::Float64, "float64"}, {P::Float32, "float32"}, {P::Tf32, "tf32"}, {P::Float16, "fp16"}});
}

}  // namespace glycine::mutualinfo
