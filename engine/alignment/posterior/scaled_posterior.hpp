#pragma once

#include <cstddef>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine::align {

/// The merged posteriors of two of the sequences for backends whose own numbers do not hold the sums of the
/// pair: in double precision, each row with an exponent of its own, one cell after another. What all pairs
/// are compared with is the reference's (reference/serial_alignment.hpp), which nothing here has a part in.
SparsePosterior scaledPosterior(const Sequences& sequences, std::size_t first, std::size_t second);

}  // namespace glycine::align
