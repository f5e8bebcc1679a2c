#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/algorithms/distance/distance.hpp"
#include "engine/command/environment.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::distance {

/// What the values of all pairs look like.
struct ValueSummary {
    std::size_t pairs = 0;      ///< i < j, with a value
    std::size_t undefined = 0;  ///< pairs without one
    std::size_t identical = 0;  ///< pairs whose value is that of an instance beside itself
    double smallest = 0;
    double mean = 0;
    double largest = 0;
    std::size_t smallestPair[2] = {0, 0};  ///< the first pair with the smallest value, counted from 0
    std::size_t largestPair[2] = {0, 0};
};
ValueSummary summarizeValues(const pairs::PairStore& store, double diagonalValue);

/// Everything that `glycine distance` tells about a run.
struct RunReport {
    std::string input;               ///< one line
    std::vector<std::string> notes;  ///< about the input
    DeviceDescription device;
    std::string backendReason;  ///< why this backend; empty when the user named it
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    bool hasMissing = false;
    DistanceReport distances;
    ValueSummary summary;
    std::vector<std::string> names;
    double readSeconds = 0;
    double computeSeconds = 0;  ///< the whole call
    double writeSeconds = 0;
    std::vector<std::filesystem::path> files;  ///< written, in this order
};

/// A few lines for people.
void printRunReport(std::ostream& out, const RunReport& report, std::size_t width);
/// Instance indices count from 0.
Json toJson(const RunReport& report);

}  // namespace glycine::distance
