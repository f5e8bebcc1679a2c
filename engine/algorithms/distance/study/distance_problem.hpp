#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/algorithms/distance/pair_question.hpp"
#include "engine/algorithms/distance/reference/pair_answers.hpp"
#include "engine/study/subject.hpp"

/// Backends against the reference: counts equal to the bit, sums within summationTolerance() of the value.
namespace glycine::distance {

/// A data set with the reference's answers about it, which are found once for all problems.
class StudyInput {
  public:
    /// `checked`: of so many instances (the first, the last, others drawn with `seed`) all pairs are
    /// compared; none: of all.
    explicit StudyInput(DataSet set, std::optional<std::size_t> checked = {}, std::uint64_t seed = 1);

    /// Finds the answers about the checked instances, in their order, unless they are known. Returns the
    /// seconds that the reference took.
    double findAnswers(Progress& progress);
    const PairAnswers& answers() const { return answers_.value(); }
    DataView data() const { return set_.view(); }
    const DataSet& set() const { return set_; }
    const std::vector<std::size_t>& checkedInstances() const { return checked_; }  ///< ascending

  private:
    DataSet set_;
    std::vector<std::size_t> checked_;
    std::optional<PairAnswers> answers_;
};
using StudyInputs = std::vector<std::shared_ptr<StudyInput>>;

/// Puts a question to an engine, again and again; the times are the mean over the inputs, which have one
/// shape and outlive it. Depth::Whole asks about all pairs as one tile (where that suits the engine), then as
/// tiles of at most a third of the instances, on and off the diagonal; Depth::Sampled as the tiles that suit
/// the engine. Each tile is compared before the next one, outside the times.
std::unique_ptr<study::Computation> askEngine(std::unique_ptr<PairEngine> engine, const StudyInputs& inputs,
                                              const PairQuestion& question, Variant variant,
                                              study::Depth depth);

/// A question about inputs of one kind and shape, at least one.
std::unique_ptr<study::Problem> pairProblem(StudyInputs inputs, PairQuestion question);

/// The values of the usual measure, as `glycine distance` would write them; equal where both have none.
std::unique_ptr<study::Problem> valuesProblem(std::shared_ptr<StudyInput> input);

/// Figure 4 of Sinnott-Armstrong et al. 2010.
study::PublishedFigure publishedFigure();

/// `distance` as the study harness sees it.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::distance
