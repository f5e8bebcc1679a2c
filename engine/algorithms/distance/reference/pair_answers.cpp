#include "engine/algorithms/distance/reference/pair_answers.hpp"

#include "engine/algorithms/distance/pair_question.hpp"

namespace glycine::distance {

PairAnswers askReference(const DataView& data, Progress& progress) {
    const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
    const std::unique_ptr<PairEngine> engine = createPairEngine(*backend);
    const std::size_t n = data.instances();
    PairAnswers answers;
    const auto ask = [&](const PairQuestion& question, const PairNumbers& numbers) {
        const PairTile whole{{0, n}, {0, n}};
        progress.begin("reference", static_cast<double>(whole.pairs() * data.attributes()));
        PairWork work(*engine, data, question, Variant::Default);
        work.compute(whole, numbers, progress);
        answers.seconds += work.run().times().total();
    };
    if (data.isCoordinates()) {
        answers.absoluteDifferences = Matrix<double>(n, n);
        answers.squaredDifferences = Matrix<double>(n, n);
        ask({.term = SumTerm::AbsoluteDifference}, {.sums = answers.absoluteDifferences.view()});
        ask({.term = SumTerm::SquaredDifference}, {.sums = answers.squaredDifferences.view()});
    } else {
        for (Matrix<std::uint32_t>* counts : {&answers.differing, &answers.opposite, &answers.valid})
            *counts = Matrix<std::uint32_t>(n, n);
        // The reference counts what means nothing for some data, too.
        ask({.needs = {.opposite = true, .valid = true}},
            {.counts = {answers.differing.view(), answers.opposite.view(), answers.valid.view()}});
    }
    return answers;
}

}  // namespace glycine::distance
