#pragma once

#include <string>
#include <vector>

#include "engine/algorithms/distance/distance.hpp"
#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/command/run_report.hpp"
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
/// Takes values in any order, each pair once.
class ValueSummarizer {
  public:
    explicit ValueSummarizer(double diagonalValue);
    /// column < row; NaN: the pair has no value.
    void add(std::size_t row, std::size_t column, double value);
    ValueSummary summary() const;

  private:
    double diagonalValue_;
    double sum_ = 0;
    ValueSummary summary_;
};
ValueSummary summarizeValues(const pairs::PairStore& store, double diagonalValue);

/// Everything that `glycine distance` tells about a run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override;
    /// JSON: instance indices count from 0.
    Json json() const override;

    std::vector<LeftOutSites> leftOut;  ///< told before anything else
    std::string input;                  ///< one line
    std::vector<std::string> notes;     ///< about the input
    Measure measure = Measure::Mismatch;
    MissingRule missing = MissingRule::Ignore;
    bool hasMissing = false;
    bool isCoordinates = false;
    std::size_t leastInCommon = 0;  ///< attributes that a pair must have in common; 0: any number
    DistanceReport distances;
    ValueSummary summary;
    std::vector<std::string> names;
    double readSeconds = 0;
    double computeSeconds = 0;  ///< the whole call
    double writeSeconds = 0;
};

}  // namespace glycine::distance
