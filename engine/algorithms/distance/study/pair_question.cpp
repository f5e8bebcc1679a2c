#include "engine/algorithms/distance/study/pair_question.hpp"

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

double comparisons(const std::vector<PairTile>& tiles, const DataView& data) {
    double pairs = 0;
    for (const PairTile& tile : tiles) pairs += static_cast<double>(tile.pairs());
    return pairs * static_cast<double>(data.attributes());
}

}  // namespace glycine::distance
