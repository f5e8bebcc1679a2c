#pragma once

#include <cstddef>
#include <functional>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::align {

struct AddOptions {
    pairwise::Variant variant = pairwise::Variant::Default;  ///< for the pairs
    std::size_t tile = 0;                                    ///< for the pairs; 0: chosen to suit the backend
    /// The added rows are an alignment and are joined as a whole. Otherwise they are sequences without gaps,
    /// added one by one.
    bool asGroup = false;
    StageRecount* recount = nullptr;  ///< for profile paths (AlignOptions)
    /// Called with all pairs once they are aligned: those between the added rows and the alignment, and,
    /// unless the added rows are a group, those among the added rows.
    std::function<void(const pairwise::PairwiseOptions& pairwise, const pairwise::PairwiseReport& report,
                       double seconds, const pairs::PairStore& pairs)>
        afterPairs{};
};

/// Adds rows to an alignment by ClustalW's profiles (clustal/progressive.hpp). Rows of the alignment, and of
/// an added group, keep their columns; the rows of `base` come first in the result. The distance of two rows
/// of the alignment, or of the group, is the share of columns whose letters differ (1 where no column has
/// both). All other distances come from pairs aligned as ClustalW aligns them. The guide tree joins all rows
/// by neighbour joining.
///
/// Both alignments need at least one row, one alphabet and different names. Throws what computeAlignment
/// throws, and UsageError if the alphabets differ.
AlignmentResult addToAlignment(Backend& backend, const MultipleAlignment& base,
                               const MultipleAlignment& added, const AddOptions& options, Progress& progress);

/// The sequences of both alignments without gaps, those of `base` first.
Sequences sequencesOfBoth(const MultipleAlignment& base, const MultipleAlignment& added);

}  // namespace glycine::align
