#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/data_size.hpp"
#include "engine/pairwise/pairwise.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/study/data_sizes.hpp"
#include "engine/study/subject.hpp"

/// Compares backends with the reference: all numbers must be equal.
namespace glycine::pairwise {

/// Sequences shared by several problems.
struct StudySequences {
    Sequences sequences;
    std::string description;  ///< "1,000 × 400"
};

/// Generated sequences of several sizes, or a file.
class SequenceSet : public study::SizedSet {
  public:
    using Shared = std::shared_ptr<const StudySequences>;

  protected:
    using SizedSet::SizedSet;
    Shared readFile(const Options& options) const;
    Shared generate(DataSize size, Alphabet alphabet, double shortest, double ambiguous) const;
};

/// For large data, only pairs among this many sequences are checked.
inline constexpr std::size_t kCheckedSequences = 12;

/// All pairs of the sequences, score and identities. `checked`: the number of sequences whose pairs are all
/// compared (the first, the last, and others drawn with `seed`); 0: all sequences.
std::unique_ptr<study::Problem> pairwiseProblem(std::shared_ptr<const StudySequences> sequences,
                                                const PairScoring& scoring, std::size_t checked = 0,
                                                std::uint64_t seed = 1);

/// Scores by the thesis' scheme, of each pair once or of the whole square. The check requires that each
/// sequence scores its length against itself, that both halves of the square are equal, and that one pair
/// scores as the reference does.
std::unique_ptr<study::Problem> scoresProblem(std::shared_ptr<const StudySequences> sequences, bool isSquare);

/// `pairwise` for the study harness.
std::unique_ptr<study::Subject> pairwiseSubject();

}  // namespace glycine::pairwise
