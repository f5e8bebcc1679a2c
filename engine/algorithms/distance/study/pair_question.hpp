#pragma once

#include <string>
#include <vector>

#include "engine/algorithms/distance/distance.hpp"
#include "engine/algorithms/distance/pair_engine.hpp"

namespace glycine::distance {

/// What can be asked of an engine about one data set.
struct PairQuestion {
    CountNeeds needs{};                          ///< discrete data
    SumTerm term = SumTerm::AbsoluteDifference;  ///< coordinates
    std::string name{};                          ///< "differing, opposite": what is counted or summed
};

/// What `measure` asks. Throws UsageError when it does not fit the data.
PairQuestion questionFor(const DataView& data, Measure measure);

/// All questions that some measure asks of these data.
std::vector<PairQuestion> questionsAbout(const DataView& data);

PairRequest requestFor(const DataView& data, const PairQuestion& question, Variant variant);

/// Comparisons of two numbers that the tiles take, which is what engines advance progress by.
double comparisons(const std::vector<PairTile>& tiles, const DataView& data);

}  // namespace glycine::distance
