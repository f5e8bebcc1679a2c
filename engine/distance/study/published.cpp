#include "engine/study/published.hpp"
#include "engine/distance/input/random_data_set.hpp"
#include "engine/distance/study/distance_problem.hpp"

namespace glycine::distance {

namespace {

using study::Problem;
using study::Scale;

/// The data sets of the figure as one problem: its times are means.
std::vector<std::unique_ptr<Problem>> makeProblems(Scale scale, std::uint64_t seed, Progress&) {
    StudyInputs inputs;
    for (std::size_t set = 0; set < (scale == Scale::Published ? 25 : 5); ++set)
        inputs.push_back(std::make_shared<StudyInput>(
            randomDataSet({.size = {112, 512}, .uniform = true, .seed = seed + set})));
    PairQuestion question = questionFor(inputs.front()->data(), Measure::Mismatch);
    std::vector<std::unique_ptr<Problem>> problems;
    problems.push_back(pairProblem(std::move(inputs), std::move(question)));
    return problems;
}

}  // namespace

study::PublishedFigure publishedFigure() {
    study::PublishedFigure figure = study::PublishedData("allpairs").figures().front();
    figure.problems = makeProblems;
    return figure;
}

}  // namespace glycine::distance
