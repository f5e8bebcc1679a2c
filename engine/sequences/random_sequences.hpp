#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/sequences/sequences.hpp"

namespace glycine {

/// Sequences made from a seed, for tests and measurements; the same on every machine. They descend from one
/// random ancestor, so that they can be aligned.
struct RandomSequencesOptions {
    std::size_t count = 0;
    std::size_t length = 0;  ///< of the ancestor
    Alphabet alphabet = Alphabet::Protein;
    /// Share of the ancestor's letters that are replaced by random ones, independently in each sequence.
    double divergence = 0.6;
    /// Share of positions at which letters of the ancestor are deleted, and share at which others are
    /// inserted: 1 to 10 at a time.
    double gaps = 0.02;
    /// Each sequence keeps at least this share of the ancestor, from a random position.
    double shortest = 0.8;
    /// Share of ambiguous letters (X, B, Z; N, R, Y).
    double ambiguous = 0;
    std::uint64_t seed = 1;
};
/// Throws UsageError unless there is at least one sequence of at least one letter, and for shares out of
/// range. Sequence i does not depend on the number of sequences. Names are s1, s2, …
Sequences randomSequences(const RandomSequencesOptions& options);

/// A family made from a seed; the same on every machine. Every sequence descends from an earlier one, drawn
/// at random. The family therefore has a tree, and a change is shared by all later descendants. Each step
/// changes its parent:
/// - Letters are replaced. Amino acids change according to BLOSUM62; nucleotides change to the other purine
///   (pyrimidine) twice as often as to each of the others. Positions change at different rates: the five
///   classes of a gamma distribution of shape 1.
/// - Letters are inserted and deleted only at hinges, one position in twelve, like loops between conserved
///   cores. Their number follows Zipf's law with exponent 1.8, up to 40.
///
/// Source: Z. Yang, "Maximum likelihood phylogenetic estimation from DNA sequences with variable rates over
/// sites", Journal of Molecular Evolution 39 (1994), 306–314 (classes); S. A. Benner, M. A. Cohen, G. H.
/// Gonnet, "Empirical and structural models for insertions and deletions in the divergent evolution of
/// proteins", Journal of Molecular Biology 229 (1993), 1065–1082 (lengths).
struct RandomFamilyOptions {
    std::size_t count = 0;
    std::size_t length = 0;  ///< of the ancestor
    Alphabet alphabet = Alphabet::Protein;
    double divergence = 0.05;  ///< mean share of the letters that a step replaces
    double gaps = 0.02;        ///< share of hinges with an insertion per step; same share for deletions
    double shortest = 1;       ///< least share that each sequence keeps; descendants inherit all
    std::uint64_t seed = 1;
};
/// Throws UsageError unless there is at least one sequence of at least one letter, and for shares out of
/// range. Sequence i does not depend on the number of sequences. Two of n sequences are about 2 ln n steps
/// apart. Names are s1, s2, …
Sequences randomFamily(const RandomFamilyOptions& options);

}  // namespace glycine
