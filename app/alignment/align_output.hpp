#pragma once

#include "app/alignment/align_options.hpp"
#include "app/alignment/align_report.hpp"
#include "engine/pairs/files/pair_output.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::align {

/// Throws InputError for names of sequences that a file of this run cannot hold: before anything is computed.
void checkNames(const AlignRun& run, const std::vector<std::string>& names);

/// Writes what the stage has made: alignments and their pictures, the tree, and where there are `values`, the
/// distances of all pairs, what is made of these. Leaves of the tree are named `names`. The report gets notes
/// about pictures.
void writeAlignResults(const AlignRun& run, AlignRunReport& report, const std::vector<std::string>& names,
                       const MultipleAlignment& alignment, const pairs::PairOutput* values,
                       Progress& progress);

}  // namespace glycine::align
