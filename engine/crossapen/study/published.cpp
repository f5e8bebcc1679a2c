#include <fmt/format.h>

#include "engine/core/quantity.hpp"
#include "engine/crossapen/study/pair_problem.hpp"
#include "engine/study/published.hpp"

namespace glycine::crossapen {

namespace {

using study::Scale;
using Problems = std::vector<std::unique_ptr<study::Problem>>;

/// Trials of two signals of white noise.
Problems trialProblems(const std::vector<Json>& inputs, std::uint64_t seed) {
    Problems problems;
    for (const Json& one : inputs) {
        const EpochExtents extents{2, one.at("samples"), one.at("epochs")};
        PairInput input{.name = fmt::format("{} × {}", extents.epochs, formatCount(extents.samples))};
        input.epochs = randomEpochs({.kind = SignalKind::White, .coupling = 0}, extents, seed);
        problems.push_back(pairProblem(std::move(input), seed));
    }
    return problems;
}

Problems studyProblems(Scale scale, std::uint64_t seed) {
    StudyPlan plan{.seed = seed};
    if (scale == Scale::Quick) plan.subjects = 1;
    if (scale == Scale::Quick) plan.extents.epochs = 2;
    Problems problems;
    problems.push_back(studyProblem(plan));
    return problems;
}

}  // namespace

std::vector<study::PublishedFigure> publishedFigures() {
    const study::PublishedData data("martinez-zarzuela");
    std::vector<study::PublishedFigure> figures = data.figures();
    for (study::PublishedFigure& figure : figures)
        figure.problems = [data, id = figure.id](Scale scale, std::uint64_t seed, Progress&) {
            const std::vector<Json> inputs = data.inputs(id, scale);
            return inputs.empty() ? studyProblems(scale, seed) : trialProblems(inputs, seed);
        };
    return figures;
}

}  // namespace glycine::crossapen
