#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/algorithms/distance/pair_engine.hpp"

/// What measures ask of engines, whatever the data.
namespace glycine::distance {

/// "counts" or "float32": how the numbers of these data are called among number formats.
std::string_view numberFormatOf(const DataView& data);

/// What can be asked about the pairs of a data set.
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

/// Where the answer for a tile goes: counts, or sums.
struct PairNumbers {
    PairCounts counts{};
    MatrixView<double> sums{};
};

/// An engine at work on a question.
class PairWork {
  public:
    /// Starts it; `data` outlive it.
    PairWork(PairEngine& engine, const DataView& data, const PairQuestion& question, Variant variant);
    void compute(const PairTile& tile, const PairNumbers& numbers, Progress& progress);
    const PairRun& run() const { return counting_ ? static_cast<const PairRun&>(*counting_) : *summing_; }

  private:
    std::unique_ptr<CountingRun> counting_;
    std::unique_ptr<SummingRun> summing_;
};

}  // namespace glycine::distance
