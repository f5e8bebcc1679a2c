#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/data_size.hpp"
#include "engine/pairwise/pairwise.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/study/data_sizes.hpp"
#include "engine/study/subject.hpp"

/// Backends against the reference: all numbers must be equal.
namespace glycine::pairwise {

/// Shared by problems.
struct StudySequences {
    Sequences sequences;
    std::string description;  ///< "1,000 × 400"
};

/// Generated sequences of some sizes, or a file.
class SequenceSet : public study::SizedSet {
  public:
    using Shared = std::shared_ptr<const StudySequences>;

  protected:
    using SizedSet::SizedSet;
    Shared readFile(const Options& options) const;
    Shared generate(DataSize size, Alphabet alphabet, double shortest, double ambiguous) const;
};

/// Of large data, all pairs among so many sequences are aligned again.
inline constexpr std::size_t kCheckedSequences = 12;

/// All pairs of the sequences, score and identities. `checked`: of so many sequences (the first, the last,
/// others drawn with `seed`) all pairs are compared; 0: of all.
std::unique_ptr<study::Problem> pairwiseProblem(std::shared_ptr<const StudySequences> sequences,
                                                const PairScoring& scoring, std::size_t checked = 0,
                                                std::uint64_t seed = 1);

/// Scores by the thesis' scheme, of each pair once or of the whole square of them. Checked: each sequence
/// with itself scores its letters, both halves of the square are alike, and a pair scores as the reference
/// says.
std::unique_ptr<study::Problem> scoresProblem(std::shared_ptr<const StudySequences> sequences, bool isSquare);

/// `pairwise` as the study harness sees it.
std::unique_ptr<study::Subject> pairwiseSubject();

}  // namespace glycine::pairwise
