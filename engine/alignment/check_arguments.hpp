#pragma once

#include "engine/alignment/compute_alignment.hpp"

/// What the typed calls of alignments throw for their arguments, before any backend is involved.
namespace glycine::align {

/// As computeAlignment: UsageError for fewer than two sequences, unknown enumerators, options that the method
/// does not have, a tree and distances at once, and another number of distances than pairs; InputError for
/// distances that are no finite numbers, and as checkSequences and checkGuideTree.
void checkAlignment(const Sequences& sequences, const AlignOptions& options);

}  // namespace glycine::align
