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

/// A family made from a seed, the same on every machine: every sequence descends from one that was made
/// before it, drawn at random, so that the family has a tree and what has changed once is shared by all that
/// descend from there. On the way, a step each,
/// - letters are replaced: amino acids by others as BLOSUM62 has them side by side, nucleotides by the other
///   purine (pyrimidine) twice as often as by one of the others; places differ in how fast they change, by
///   the five classes of a gamma distribution of shape 1;
/// - letters are put in and left out at hinges alone, one place in twelve, as at loops between conserved
///   cores; how many follows Zipf's law, with the exponent 1.8, up to 40.
///
/// Source: Z. Yang, "Maximum likelihood phylogenetic estimation from DNA sequences with variable rates over
/// sites", Journal of Molecular Evolution 39 (1994), 306–314 (classes); S. A. Benner, M. A. Cohen, G. H.
/// Gonnet, "Empirical and structural models for insertions and deletions in the divergent evolution of
/// proteins", Journal of Molecular Biology 229 (1993), 1065–1082 (lengths).
struct RandomFamilyOptions {
    std::size_t count = 0;
    std::size_t length = 0;  ///< of the ancestor
    Alphabet alphabet = Alphabet::Protein;
    double divergence = 0.05;  ///< share of the letters that a step replaces, on average
    double gaps = 0.02;   ///< share of the hinges at which a step puts letters in; the same, leaves them out
    double shortest = 1;  ///< each sequence keeps a part of at least this share; what descends has all
    std::uint64_t seed = 1;
};
/// Throws UsageError unless there is a sequence of at least one letter, or for shares out of range. Sequence
/// i does not depend on how many there are. Two sequences of n are about 2 ln n steps apart. Names are s1,
/// s2, …
Sequences randomFamily(const RandomFamilyOptions& options);

}  // namespace glycine
