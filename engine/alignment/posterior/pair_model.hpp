#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/sequences/sequences.hpp"

/// Probabilities of all alignments of a pair of sequences, as sums over paths with multiplications and
/// additions alone.
namespace glycine::align {

inline constexpr std::size_t kMostGapKinds = 2;

/// mantissa · 2^exponent, for numbers that leave the range of double.
struct ScaledNumber {
    double mantissa = 0;
    int exponent = 0;

    double times2To(int shift) const { return std::ldexp(mantissa, exponent + shift); }
    /// Adds value · 2^exponentOfValue.
    void add(double value, int exponentOfValue);
    void multiply(double factor);
};

/// What an alignment of two sequences weighs, relative to both sequences being unrelated: the product over
/// its pairs of letters of odds(a, b), of what each step from pair to pair costs, and of what stands at its
/// ends. Two pairs that follow each other have `match` between them; those with a gap of k letters in either
/// sequence between them have the sum over the kinds of gaps of open · extend^(k−1) · close. No gap follows
/// one in the other sequence at once. Before the first pair there are letters of one sequence alone, and
/// behind the last one, too: d of them weigh leads[d] and trails[d].
struct PairModel {
    std::size_t codes = 0;  ///< of odds; beyond is 0
    std::array<std::array<double, kMostCodes>, kMostCodes> odds{};
    std::size_t gapKinds = 1;  ///< 1 … kMostGapKinds
    double match = 1;
    std::array<double, kMostGapKinds> open{}, extend{}, close{};
    bool hasFreeEnds = false;  ///< letters at the ends weigh 1, however many; what follows is not read then
    double firstMatch = 1;     ///< of a path that begins, or ends, with a pair
    std::array<double, kMostGapKinds> firstGap{};  ///< of one that begins, or ends, with a gap of each kind

    /// What d letters of one sequence weigh that stand alone before the first pair, for d = 0 … most.
    std::vector<ScaledNumber> leads(std::size_t most) const;
    /// Behind the last one.
    std::vector<ScaledNumber> trails(std::size_t most) const;

  private:
    std::vector<ScaledNumber> ends(std::size_t most, const std::array<double, kMostGapKinds>& first,
                                   const std::array<double, kMostGapKinds>& last) const;
};

/// The pair hidden Markov model of ProbCons for proteins (five states: pairs, short and long gaps in either
/// sequence), and that of its version for RNA, as their authors trained them. Odds are the probabilities of
/// pairs divided by those of both letters. Letters that stand for several residues have the mean odds of
/// these, each weighted by its probability; unknown ones 1.
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
/// sequence alignment using partition function posterior probabilities", Bioinformatics 22 (2006),
/// 2715–2721; T and the penalties of nucleotides are those of A. Gudyś, S. Deorowicz, "QuickProbs 2",
/// Scientific Reports 7 (2017), 41553, who take −25.3549 − 1.30113 (k − 1) for proteins; docs/align.md tells
/// what the others are worth. VTML: T. Müller, R. Spang, M. Vingron, Molecular Biology and Evolution 19
/// (2002), 8–13. HOXD70: F. Chiaromonte, V. B. Yap, W. Miller, Pacific Symposium on Biocomputing 7 (2002),
/// 115–126.
const PairModel& partitionModel(Alphabet alphabet);

}  // namespace glycine::align
