#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "engine/command/recount.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/pairs/pair_layout.hpp"

namespace glycine::distance {

/// A few pairs of a run on `gl` or `cuda`, which are counted again by the reference before anything is
/// written. Which pairs these are is known before the run, for results that do not keep all.
class PairRecount {
  public:
    /// All arguments outlive this.
    PairRecount(const Backend& backend, const BackendRequest& request, const DataSet& data,
                const DistanceOptions& options);

    /// Number of a pair, column < row, among all.
    static std::size_t number(std::size_t row, std::size_t column) { return row * (row - 1) / 2 + column; }
    /// Whether a pair is one of those that may be counted again.
    bool samples(std::size_t row, std::size_t column) const;

    /// Counts again what the time that the run took allows. `valueOf` a pair: as a file of `type` holds it.
    /// Throws WrongResultError.
    std::optional<RecountReport> compare(
        const DistanceReport& found, double runSeconds, pairs::ValueType type,
        const std::function<double(std::size_t row, std::size_t column)>& valueOf, Progress& progress) const;

  private:
    const Backend& backend_;
    const BackendRequest& request_;
    const DataSet& data_;
    const DistanceOptions& options_;
    std::vector<std::size_t> numbers_;  ///< ascending
    std::vector<std::size_t> firstOf_;  ///< of each row, its first place in numbers_; and their end
};

}  // namespace glycine::distance
