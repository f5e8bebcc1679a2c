#pragma once

#include "engine/core/names.hpp"

namespace glycine {

/// The floating-point format of a computation.
enum class Precision { Float32, Float64 };
constexpr auto namesOf(Precision) {
    return namesAre<Precision>("precision",
                               {{Precision::Float32, "float32"}, {Precision::Float64, "float64"}});
}

}  // namespace glycine
