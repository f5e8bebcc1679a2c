#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/backend.hpp"

/// The most that a device can do of one kind of work, measured on it: what rates are to be held against.
namespace glycine::study {

struct Ceiling {
    double rate = 0;   ///< 10⁹ a second
    std::string what;  ///< "multiply-adds of AVX-512 registers, 2 threads"
};

/// Multiply-adds of matrix products of numbers of a format (float64, float32, tf32, fp16), with operands that
/// do not leave the registers: `cpu` by the vectors of its instruction set, `cuda` by tensor cores from
/// compute capability 8.0 on; products of float32 are three of tf32 there. Nothing for other backends and
/// formats. Takes a tenth of a second.
std::optional<Ceiling> matrixCeiling(Backend& backend, std::string_view numberFormat);

}  // namespace glycine::study
