#pragma once

#include "engine/core/names.hpp"

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::distance {

/// The variants of all backends. `glycine list` shows which backend offers which.
enum class Variant {
    Default,    ///< the backend's own choice for these data
    Serial,     ///< reference: the paper's loops
    PaperLoop,  ///< reference: the function timed in the paper, unchanged; not listed
    Bitplane,   ///< cpu, cuda: bit planes, XOR, OR, population count
    Direct,     ///< cpu, cuda: coordinates, sums of differences tile by tile
    Scalar,     ///< gl: one attribute per texel, a block of attributes per pass
    Packed,     ///< gl: four attributes per texel
    Bits,       ///< gl: bit planes in RGBA32UI, several rows per fragment
    Naive,      ///< cuda, the paper's GPUnaive: integers by columns, one block per pair, atomics
    Coalesced,  ///< cuda, GPUcoalesce: integers by rows
    Char4,      ///< cuda, GPUchar: four attributes per load, up to four atomics
    Register,   ///< cuda, GPUregister: four mismatches summed first, one atomic
    Shared,     ///< cuda, GPUshared: counters in shared memory, one plain write
    Reduction,  ///< cuda, from the paper's discussion: the same counters, summed by a tree of threads
    Texture,    ///< cuda, from its discussion: the same, with symbols read through a texture
    Constant,   ///< cuda, from its discussion: the same, with one instance of each pair in constant memory
    Tensor,     ///< cuda: exact int8 matrix products on tensor cores
    BitTensor,  ///< cuda: products of bit matrices on tensor cores
};
constexpr auto namesOf(Variant) {
    using V = Variant;  // nvcc compiles this as C++17
    return namesAre<Variant>("variant", {{V::Default, "default"},
                                         {V::Serial, "serial"},
                                         {V::PaperLoop, "paper-loop"},
                                         {V::Bitplane, "bitplane"},
                                         {V::Direct, "direct"},
                                         {V::Scalar, "scalar"},
                                         {V::Packed, "packed"},
                                         {V::Bits, "bits"},
                                         {V::Naive, "naive"},
                                         {V::Coalesced, "coalesced"},
                                         {V::Char4, "char4"},
                                         {V::Register, "register"},
                                         {V::Shared, "shared"},
                                         {V::Reduction, "reduction"},
                                         {V::Texture, "texture"},
                                         {V::Constant, "constant"},
                                         {V::Tensor, "tensor"},
                                         {V::BitTensor, "bittensor"}});
}

}  // namespace glycine::distance
