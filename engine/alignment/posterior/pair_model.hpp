#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/sequences/sequences.hpp"

/// Models that weigh all alignments of a pair of sequences, so that sums over paths need only multiplications
/// and additions.
namespace glycine::align {

inline constexpr std::size_t kMaxGapKinds = 2;

/// mantissa · 2^exponent, for numbers outside the range of double.
struct ScaledNumber {
    double mantissa = 0;
    int exponent = 0;

    double times2To(int shift) const { return std::ldexp(mantissa, exponent + shift); }
    /// Adds value · 2^exponentOfValue.
    void add(double value, int exponentOfValue);
    void multiply(double factor);
};

/// The weight of an alignment of two sequences relative to unrelated sequences. It is a product of odds(a, b)
/// over the paired letters, the weights of steps between pairs, and the weights of both ends. Two adjacent
/// pairs contribute `match`. Two pairs with a gap of k letters in either sequence between them contribute the
/// sum over the gap kinds of open · extend^(k−1) · close. A gap is never directly followed by a gap in the
/// other sequence. Before the first pair and after the last one, only one sequence may have letters: d of
/// them weigh leads[d] and trails[d].
struct PairModel {
    std::size_t codes = 0;  ///< number of codes with odds; beyond them 0
    std::array<std::array<double, kMaxCodes>, kMaxCodes> odds{};
    std::size_t gapKinds = 1;  ///< 1 … kMaxGapKinds
    double match = 1;
    std::array<double, kMaxGapKinds> open{}, extend{}, close{};
    bool hasFreeEnds = false;  ///< letters at the ends weigh 1; the members below are then unused
    double firstMatch = 1;     ///< of a path that begins or ends with a pair
    std::array<double, kMaxGapKinds> firstGap{};  ///< of a path that begins or ends with a gap of each kind

    /// The weights of d unpaired letters of one sequence before the first pair, for d = 0 … most.
    std::vector<ScaledNumber> leads(std::size_t most) const;
    /// The same after the last pair.
    std::vector<ScaledNumber> trails(std::size_t most) const;

  private:
    std::vector<ScaledNumber> ends(std::size_t most, const std::array<double, kMaxGapKinds>& first,
                                   const std::array<double, kMaxGapKinds>& last) const;
};

/// ProbCons' pair hidden Markov model for proteins (five states: pairs, and short and long gaps in either
/// sequence), and ProbConsRNA's for nucleotides, as their authors trained them. Odds are the probabilities of
/// pairs divided by those of both letters. An ambiguous letter has the mean odds of its residues, weighted by
/// their probabilities; an unknown letter has odds 1.
///
/// Source: C. B. Do, M. S. P. Mahabhashyam, M. Brudno, S. Batzoglou, "ProbCons: Probabilistic
/// consistency-based multiple sequence alignment", Genome Research 15 (2005), 330–340; the values are the
/// defaults of ProbCons 1.12 and ProbConsRNA 1.1.
const PairModel& hiddenMarkovModel(Alphabet alphabet);

/// Boltzmann weights of alignments: exp(score / T), with gaps at the ends free. Proteins: VTML 200, a gap of
/// k letters −28 − 1.6 (k − 1), T = 5.6007; nucleotides: HOXD70, −414 − 27 (k − 1), T = 100.
///
/// Source: S. Miyazawa, "A reliable sequence alignment method based on probabilities of residue
/// correspondences", Protein Engineering 8 (1995), 999–1009; U. Roshan, D. R. Livesay, "Probalign: multiple
/// sequence alignment using partition function posterior probabilities", Bioinformatics 22 (2006), 2715–2721.
/// T and the penalties for nucleotides are those of A. Gudyś, S. Deorowicz, "QuickProbs 2", Scientific
/// Reports 7 (2017), 41553. They use −25.3549 − 1.30113 (k − 1) for proteins; docs/align.md shows what the
/// other penalties gain. VTML: T. Müller, R. Spang, M. Vingron, Molecular Biology and Evolution 19 (2002),
/// 8–13. HOXD70: F. Chiaromonte, V. B. Yap, W. Miller, Pacific Symposium on Biocomputing 7 (2002), 115–126.
const PairModel& partitionModel(Alphabet alphabet);

}  // namespace glycine::align
