#include <algorithm>
#include <map>

#include "engine/mutualinfo/study/information_problem.hpp"
#include "engine/study/published.hpp"

namespace glycine::mutualinfo {

namespace {

using study::Scale;
using Problems = std::vector<std::unique_ptr<study::Problem>>;

/// Two problems a case: all genes, and the first of them, which stand for all for gl and for MIBE's stand-in.
Problems problemsOf(const std::vector<Json>& cases, Work work, Scale scale, std::uint64_t seed) {
    Problems problems;
    const bool isQuick = scale == Scale::Quick;
    std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<StudyExpression>> made;  // by their sizes
    for (const Json& one : cases) {
        const std::size_t genes = one.at("genes").get<std::size_t>() / (isQuick ? 16 : 1);
        const std::size_t samples = one.at("samples").get<std::size_t>() / (isQuick ? 4 : 1);
        const SplineOptions splines{.bins = one.at("bins"), .order = one.at("order")};
        for (const std::size_t count : {genes, std::min(genes, std::size_t{512})}) {
            auto& expression = made[{count, samples}];
            if (!expression)
                expression = std::make_shared<StudyExpression>(StudyExpression{
                    .values = randomExpression({.genes = count, .samples = samples, .seed = seed}),
                    .description = "generated"});
            problems.push_back(informationProblem(expression, splines, kCheckedGenes, seed, work));
        }
    }
    return problems;
}

Problems networkProblems(const std::vector<Json>& inputs, Scale scale, std::uint64_t seed,
                         Progress& progress) {
    const SimulatedNetwork network =
        simulateNetwork({.genes = scale == Scale::Quick ? 100U : 250U, .seed = seed});
    const auto truth = std::make_shared<TruePairs>(truePairsOf(network));
    Problems problems;
    for (const Json& input : inputs) {
        const std::size_t samples = input.at("samples");
        const auto expression = std::make_shared<StudyExpression>(StudyExpression{
            .values = simulateExpression(network, {.samples = samples, .seed = seed}, progress)});
        const auto add = [&](const char* method, const SplineOptions& splines, NullModel null) {
            problems.push_back(
                networkProblem({method,
                                expression,
                                truth,
                                {.information = {.splines = withImplied(splines)}, .null = null}}));
        };
        add("ARACNE", {.estimator = Estimator::Bins}, NullModel::Aracne);
        add("TINGe", {.transform = Transform::Ordinals}, NullModel::Analytic);
        add("CARACNE", {}, NullModel::Aracne);
    }
    return problems;
}
}  // namespace

std::vector<study::PublishedFigure> publishedFigures() {
    const study::PublishedData data("cudami");
    std::vector<study::PublishedFigure> figures = data.figures();
    for (study::PublishedFigure& figure : figures) {
        const bool isOfNetworks = figure.id == "cudami-table-5";
        const Work work = figure.id == "cudami-table-4" ? Work::Products : Work::Samples;
        figure.problems = [data, id = figure.id, isOfNetworks, work](Scale scale, std::uint64_t seed,
                                                                     Progress& progress) {
            const std::vector<Json> inputs = data.inputs(id, scale);
            return isOfNetworks ? networkProblems(inputs, scale, seed, progress)
                                : problemsOf(inputs, work, scale, seed);
        };
    }
    return figures;
}

}  // namespace glycine::mutualinfo
