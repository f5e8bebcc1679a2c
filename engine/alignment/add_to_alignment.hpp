#pragma once

#include <cstddef>
#include <functional>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::align {

struct AddOptions {
    pairwise::Variant variant = pairwise::Variant::Default;  ///< of the pairs
    std::size_t tile = 0;                                    ///< of the pairs; 0: what suits the backend
    /// What is added is aligned, and joined as a whole; else its rows are sequences without gaps, added one
    /// by one.
    bool asGroup = false;
    StageRecount* recount = nullptr;  ///< of profile paths (AlignOptions)
    /// Called with all pairs, where they are found: those between what is added and the alignment, and,
    /// unless it is a group, among what is added.
    std::function<void(const pairwise::PairwiseOptions& pairwise, const pairwise::PairwiseReport& report,
                       double seconds, const pairs::PairStore& pairs)>
        afterPairs{};
};

/// Adds rows to an alignment by ClustalW's profiles (clustal/progressive.hpp). Rows of the alignment, and of
/// a group that is added, keep what stands beside each other; the result has those of `base` first. Distances
/// of two rows of the alignment, or of the group, are the share of differing letters of their columns (1
/// where none has both); others come from pairs that are aligned as ClustalW aligns them. The guide tree is
/// that of all of them, by neighbour joining.
///
/// Both have at least one row, of one alphabet, with different names. Throws as computeAlignment, and
/// UsageError where the alphabets differ.
AlignmentResult addToAlignment(Backend& backend, const MultipleAlignment& base,
                               const MultipleAlignment& added, const AddOptions& options, Progress& progress);

/// The sequences of both, without gaps, those of `base` first.
Sequences sequencesOfBoth(const MultipleAlignment& base, const MultipleAlignment& added);

}  // namespace glycine::align
