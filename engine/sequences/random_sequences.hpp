#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/sequences/sequences.hpp"

namespace glycine {

/// Sequences made from a seed, for tests and measurements: the same on every machine. They descend from one
/// random ancestor, so that they have something to be aligned by.
struct RandomSequencesOptions {
    std::size_t count = 0;
    std::size_t length = 0;  ///< of the ancestor
    Alphabet alphabet = Alphabet::Protein;
    /// Share of the ancestor's letters that are replaced by others drawn at random, in each sequence anew.
    double divergence = 0.6;
    /// Share of the places at which letters of the ancestor are left out, and the same share at which others
    /// are put in: 1 to 10 at a time.
    double gaps = 0.02;
    /// Each sequence keeps a part of the ancestor of at least this share, from a random place on.
    double shortest = 0.8;
    /// Share of the letters that stand for several residues (X, B, Z; N, R, Y).
    double ambiguous = 0;
    std::uint64_t seed = 1;
};
/// Throws UsageError unless there is a sequence of at least one letter, or for shares out of range.
/// Sequence i does not depend on how many there are. Names are s1, s2, …
Sequences randomSequences(const RandomSequencesOptions& options);

}  // namespace glycine
