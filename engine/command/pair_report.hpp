#pragma once

#include <string>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/pairs/value_summary.hpp"

/// What the reports of all-pairs runs say alike.
namespace glycine {

/// "45 pairs: mean 3.2, smallest 1 (a – b), largest 7 (a – c)". `names`: of the instances. At least one pair
/// must have a value.
std::string describeValues(const pairs::ValueSummary& summary, const std::vector<std::string>& names);
/// Adds "mean", "smallest", "smallestPair", "largest" and "largestPair", where a pair has a value; instances
/// count from 0.
void addValues(Json& json, const pairs::ValueSummary& summary);

}  // namespace glycine
