#pragma once

#include <memory>
#include <string>

#include "engine/core/data_size.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/study/data_sizes.hpp"

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

}  // namespace glycine::pairwise
