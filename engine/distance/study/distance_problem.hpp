#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/distance/input/input_data.hpp"
#include "engine/distance/pair_engine.hpp"
#include "engine/study/subject.hpp"

/// Backends against the reference, which computes with the input's own numbers: counts equal to the bit, sums
/// within summationTolerance() of the value and what rounding the coordinates explains.
namespace glycine::distance {

/// "counts", or "float32" and "float64": the number formats that these data can be computed in.
std::vector<std::string> numberFormatsOf(const DataView& data);

/// What measures ask of engines about the pairs of a data set.
struct PairQuestion {
    CountNeeds needs{};                          ///< discrete data
    SumTerm term = SumTerm::AbsoluteDifference;  ///< coordinates
    std::string name{};                          ///< "differing, opposite": what is counted or summed
};
/// What `measure` asks. Throws UsageError when it does not fit the data.
PairQuestion questionFor(const DataView& data, Measure measure);
/// All questions that some measure asks of these data.
std::vector<PairQuestion> questionsAbout(const DataView& data);

/// A data set with the reference's answers about it, which are found once for all problems.
class StudyInput {
  public:
    /// `checked`: of so many instances (the first, the last, others drawn with `seed`) all pairs are
    /// compared; none: of all.
    explicit StudyInput(DataSet set, std::optional<std::size_t> checked = {}, std::uint64_t seed = 1);

    /// Finds the answers about the checked instances, in their order, unless they are known. Returns the
    /// seconds that the reference took.
    double findAnswers(Progress& progress);
    DataView data() const { return set_.view(); }
    const DataSet& set() const { return set_; }
    const std::vector<std::size_t>& checkedInstances() const { return checked_; }  ///< ascending
    // The answers, each elements with column < row.
    const std::vector<Matrix<std::uint32_t>>& counts() const { return counts_; }
    /// Of coordinates that were multiplied by `unit`, a power of two (PreparedCoordinates::unit).
    const std::vector<Matrix<double>>& sums(SumTerm term, double unit);

  private:
    DataSet set_;
    std::vector<std::size_t> checked_;                     ///< ascending
    std::vector<Matrix<std::uint32_t>> counts_;            ///< differing, opposite, valid
    std::map<SumTerm, std::vector<Matrix<double>>> sums_;  ///< of coordinates multiplied by unit_
    double unit_ = 1;
    std::map<std::pair<SumTerm, double>, std::vector<Matrix<double>>> sumsInUnits_;
};
using StudyInputs = std::vector<std::shared_ptr<StudyInput>>;

/// Puts a question to an engine as study::computePairs does; of `asked`, variant and precision. The inputs
/// have one kind and size and outlive it.
std::unique_ptr<study::Computation> askEngine(std::shared_ptr<PairEngine> engine, const StudyInputs& inputs,
                                              const PairQuestion& question, const DistanceOptions& asked,
                                              study::Depth depth);

/// A question about inputs of one kind and shape, at least one.
std::unique_ptr<study::Problem> pairProblem(StudyInputs inputs, PairQuestion question);

/// Measures of such data whose values are compared: the usual one, and those that need more than its counts.
std::vector<Measure> checkedMeasures(DataKind kind);

/// The values of a measure, as `glycine distance` would write them; equal where both have none.
std::unique_ptr<study::Problem> valuesProblem(std::shared_ptr<StudyInput> input, Measure measure);

/// Figure 4 of Sinnott-Armstrong et al. 2010.
study::PublishedFigure publishedFigure();

/// `distance` as the study harness sees it.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::distance
