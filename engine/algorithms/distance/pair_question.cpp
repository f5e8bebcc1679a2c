#include "engine/algorithms/distance/pair_question.hpp"

#include "engine/algorithms/distance/pair_values.hpp"

namespace glycine::distance {

namespace {

PairQuestion counting(CountNeeds needs) {
    PairQuestion question{.needs = needs, .name = "differing"};
    if (needs.opposite) question.name += ", opposite";
    if (needs.valid) question.name += ", in common";
    return question;
}

PairQuestion summing(SumTerm term) {
    return {.term = term,
            .name = term == SumTerm::AbsoluteDifference ? "absolute differences" : "squared differences"};
}

}  // namespace

std::string_view numberFormatOf(const DataView& data) {
    return data.isCoordinates() ? "float32" : "counts";
}

PairQuestion questionFor(const DataView& data, Measure measure) {
    const MissingRule rule = defaultMissingRule(measure);
    checkMeasure(data, {.measure = measure, .missing = rule});
    return data.isCoordinates() ? summing(sumTerm(measure))
                                : counting(neededCounts(measure, rule, data.discrete->shape()));
}

std::vector<PairQuestion> questionsAbout(const DataView& data) {
    if (data.isCoordinates())
        return {summing(SumTerm::AbsoluteDifference), summing(SumTerm::SquaredDifference)};
    const DiscreteShape& shape = data.discrete->shape();
    std::vector<PairQuestion> questions;
    for (const bool opposite : {false, true})
        for (const bool valid : {false, true})
            if ((!opposite || shape.isGenotypes) && (!valid || shape.hasMissing))
                questions.push_back(counting({.opposite = opposite, .valid = valid}));
    return questions;
}

PairRequest requestFor(const DataView& data, const PairQuestion& question, Variant variant) {
    return requestFor(data, question.needs, variant);
}

PairWork::PairWork(PairEngine& engine, const DataView& data, const PairQuestion& question, Variant variant) {
    if (data.isCoordinates())
        summing_ = engine.startSumming(data.coordinates, question.term, variant);
    else
        counting_ = engine.startCounting(*data.discrete, question.needs, variant);
}

void PairWork::compute(const PairTile& tile, const PairNumbers& numbers, Progress& progress) {
    if (counting_)
        counting_->count(tile, numbers.counts, progress);
    else
        summing_->sum(tile, numbers.sums, progress);
}

}  // namespace glycine::distance
