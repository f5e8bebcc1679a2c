#include <fmt/format.h>

#include "engine/alignment/study/alignment_problem.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/study/published.hpp"

namespace glycine::align {

namespace {

/// Two problems an input: by the thesis' scheme, and as ClustalW.
std::vector<std::unique_ptr<study::Problem>> problemsOf(const std::vector<Json>& inputs, study::Scale scale,
                                                        std::uint64_t seed) {
    // Of sequences whose length is not printed.
    const std::size_t usualLetters = scale == study::Scale::Quick ? 64 : 256;
    std::vector<std::unique_ptr<study::Problem>> problems;
    for (const Json& input : inputs) {
        const std::size_t count = input.at("sequences"), letters = input.value("letters", usualLetters);
        const auto sequences = std::make_shared<pairwise::StudySequences>(pairwise::StudySequences{
            randomSequences({.count = count, .length = letters, .gaps = 0, .shortest = 1, .seed = seed}),
            fmt::format("{} × {}", count, letters)});
        for (const AlignMethod method : {AlignMethod::Thesis, AlignMethod::ClustalW})
            problems.push_back(alignmentProblem(sequences, method, seed));
    }
    return problems;
}

}  // namespace

std::vector<study::PublishedFigure> publishedFigures() {
    const study::PublishedData data("khaladkar");
    std::vector<study::PublishedFigure> figures = data.figures();
    for (study::PublishedFigure& figure : figures)
        figure.problems = [data, id = figure.id](study::Scale scale, std::uint64_t seed, Progress&) {
            return problemsOf(data.inputs(id, scale), scale, seed);
        };
    return figures;
}

}  // namespace glycine::align
