#pragma once

#include <string>

#include "engine/core/names.hpp"

namespace glycine::io {

struct ExpressionTable;

/// What becomes of missing values before anything is computed.
enum class MissingValues {
    Pairwise,     ///< they stay: a pair counts the samples that both genes have
    Mean,         ///< each becomes the mean of the values that its gene has
    Median,       ///< ... their median; of an even number the mean of the two in the middle
    DropSamples,  ///< samples that lack a value are left out, genes without any value aside
    DropGenes,    ///< genes that lack a value are left out
};
constexpr auto namesOf(MissingValues) {
    using enum MissingValues;
    return namesAre<MissingValues>("rule for missing values", {{Pairwise, "pairwise"},
                                                               {Mean, "mean"},
                                                               {Median, "median"},
                                                               {DropSamples, "drop-samples"},
                                                               {DropGenes, "drop-genes"}});
}

/// Does so, counts ExpressionTable::missing anew, and notes what was done. A gene without any value has
/// nothing to be filled with and stays as it is, unless genes are left out. `path`: for messages. Throws
/// InputError where no sample or no gene is left.
void treatMissing(const std::string& path, ExpressionTable& table, MissingValues rule);

}  // namespace glycine::io
