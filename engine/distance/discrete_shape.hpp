#pragma once

#include <cstddef>

#include "engine/core/host_device.hpp"

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::distance {

/// Shape and alphabet of discrete data: each entry is a symbol 0 … 2^planes − 1, or missing.
struct DiscreteShape {
    std::size_t instances = 0;
    std::size_t attributes = 0;
    /// Bit planes that encode a symbol, 1 … 8.
    unsigned planes = 2;
    /// Whether entries may be missing; there is then one more plane, `valid`.
    bool hasMissing = false;
    /// Genotypes: the symbol is the number of copies of the counted allele, 0, 1 or 2, in thermometer code.
    /// Plane 0 holds "at least one copy", plane 1 "two copies". Two genotypes are opposite homozygotes (0 and
    /// 2) exactly if both planes differ. Other alphabets: plane p holds bit p of the symbol.
    bool isGenotypes = false;

    GLYCINE_HOST_DEVICE unsigned storedPlanes() const { return planes + (hasMissing ? 1U : 0U); }
};

}  // namespace glycine::distance
