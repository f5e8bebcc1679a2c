#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/distance/distance_engine.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/study/subject.hpp"

/// Backends against the reference, which computes with the input's own numbers. Counts must be equal to the
/// bit, sums within summationTolerance() of the value plus what the rounding of coordinates explains.
namespace glycine::distance {

/// "counts", or "float32" and "float64": the number formats in which these data can be computed.
std::vector<std::string> numberFormatsOf(const DataView& data);

/// Requirements of measures on engines, for the pairs of a data set.
struct PairQuestion {
    CountNeeds needs{};                          ///< discrete data
    SumTerm term = SumTerm::AbsoluteDifference;  ///< coordinates
    std::string name{};                          ///< "differing, opposite": what is counted or summed
};
/// The question of `measure`. Throws UsageError if it does not match the data.
PairQuestion questionFor(const DataView& data, Measure measure);
/// All questions that any measure has for these data.
std::vector<PairQuestion> questionsAbout(const DataView& data);

/// A data set with the reference's answers, which are computed once for all problems.
class StudyInput {
  public:
    /// `checked`: the number of instances (the first, the last, others drawn with `seed`) whose pairs are all
    /// compared; absent: all instances.
    explicit StudyInput(DataSet set, std::optional<std::size_t> checked = {}, std::uint64_t seed = 1);

    /// Computes the answers for the checked instances, in order, unless they are known. Returns the seconds
    /// that the reference took.
    double findAnswers(Progress& progress);
    DataView data() const { return set_.view(); }
    const DataSet& set() const { return set_; }
    const std::vector<std::size_t>& checkedInstances() const { return checked_; }  ///< ascending
    // The answers; elements with column < row are valid.
    const std::vector<Matrix<std::uint32_t>>& counts() const { return counts_; }
    /// For coordinates multiplied by `unit`, a power of two (PreparedCoordinates::unit).
    const std::vector<Matrix<double>>& sums(SumTerm term, double unit);

  private:
    DataSet set_;
    std::vector<std::size_t> checked_;                     ///< ascending
    std::vector<Matrix<std::uint32_t>> counts_;            ///< differing, opposite, valid
    std::map<SumTerm, std::vector<Matrix<double>>> sums_;  ///< for coordinates multiplied by unit_
    double unit_ = 1;
    std::map<std::pair<SumTerm, double>, std::vector<Matrix<double>>> sumsInUnits_;
};
using StudyInputs = std::vector<std::shared_ptr<StudyInput>>;

/// Computes a question with an engine, as study::computePairs does, with variant and precision of
/// `requested`. The inputs must have one kind and size and outlive the computation.
std::unique_ptr<study::Computation> computeWithEngine(std::shared_ptr<DistanceEngine> engine,
                                                      const StudyInputs& inputs, const PairQuestion& question,
                                                      const DistanceOptions& requested,
                                                      study::CheckScope scope);

/// A question about at least one input; all inputs have the same kind and shape.
std::unique_ptr<study::Problem> pairProblem(StudyInputs inputs, PairQuestion question);

/// Measures of such data whose values are compared: the default, and those that need more counts than it
/// does.
std::vector<Measure> checkedMeasures(DataKind kind);

/// The values of a measure, as `glycine distance` writes them; pairs without a value in both results are
/// equal.
std::unique_ptr<study::Problem> valuesProblem(std::shared_ptr<StudyInput> input, Measure measure);

/// Figure 4 of Sinnott-Armstrong et al. 2010.
study::PublishedFigure publishedFigure();

/// The description of `distance` for the study harness.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::distance
