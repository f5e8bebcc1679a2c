#pragma once

#include <cstddef>

#include "engine/pairs/pair_store.hpp"

namespace glycine::pairs {

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
    /// `diagonalValue`: what counts as identical; NaN: nothing.
    explicit ValueSummarizer(double diagonalValue);
    /// column < row; NaN: the pair has no value.
    void add(std::size_t row, std::size_t column, double value);
    ValueSummary summary() const;

  private:
    double diagonalValue_;
    double sum_ = 0;
    ValueSummary summary_;
};
/// Of all pairs of a store.
ValueSummary summarizeValues(const PairStore& store, double diagonalValue);

}  // namespace glycine::pairs
