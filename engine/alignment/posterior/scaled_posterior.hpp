#pragma once

#include <cstddef>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine::align {

/// The merged posteriors of two sequences, for backends whose own numbers cannot hold the sums of the pair.
/// They are computed in double precision, cell by cell, with an exponent per row. The reference that all
/// backends are compared with (reference/serial_alignment.hpp) shares no code with this.
SparsePosterior scaledPosterior(const Sequences& sequences, std::size_t first, std::size_t second);

}  // namespace glycine::align
