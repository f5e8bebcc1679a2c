#pragma once

#include "engine/core/names.hpp"

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::crossapen {

/// The variants of all backends. `glycine list` shows the variants of each backend.
enum class Variant {
    Default,         ///< the backend's own choice for this length and m
    Serial,          ///< reference: the paper's steps
    PaperTwoSweeps,  ///< reference: the paper's program C(1), for timing; not listed
    PaperOneSweep,   ///< reference: the paper's program C(2), likewise
    Merged,          ///< cpu: brute force, both lengths and both directions in one sweep, vectorised
    Pruned,          ///< cpu: exact without comparing all pairs: sorted partners, prefix counts, bit sets
    Scalar,          ///< gl: one template per fragment
    Packed,          ///< gl: four templates per fragment, in RGBA
    Bitset,          ///< gl, cuda: bit sets of sorted partners
    Dominance,       ///< gl, cuda, m = 1: prefix counts of ranks of sorted partners
    Registers,       ///< cuda, the paper's first kernel
    Halo,            ///< cuda, the paper's second kernel
    Shifted,         ///< cuda, the paper's third kernel: shifted input
    Diagonal,        ///< cuda: brute force that compares each pair of samples once, along the diagonals
    Membership,      ///< all: sums of fuzzy memberships, for Cross-Fuzzy entropy only
    Patterns,        ///< all: the only variant for measures that isOfPatterns
};
constexpr auto namesOf(Variant) {
    using V = Variant;  // nvcc compiles this as C++17
    return namesAre<Variant>("variant", {{V::Default, "default"},
                                         {V::Serial, "serial"},
                                         {V::PaperTwoSweeps, "paper-two-sweeps"},
                                         {V::PaperOneSweep, "paper-one-sweep"},
                                         {V::Merged, "merged"},
                                         {V::Pruned, "pruned"},
                                         {V::Scalar, "scalar"},
                                         {V::Packed, "packed"},
                                         {V::Bitset, "bitset"},
                                         {V::Dominance, "dominance"},
                                         {V::Registers, "registers"},
                                         {V::Halo, "halo"},
                                         {V::Shifted, "shifted"},
                                         {V::Diagonal, "diagonal"},
                                         {V::Membership, "membership"},
                                         {V::Patterns, "patterns"}});
}

}  // namespace glycine::crossapen
