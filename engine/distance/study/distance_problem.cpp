#include "engine/distance/study/distance_problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/core/device_probe.hpp"
#include "engine/core/random.hpp"
#include "engine/distance/measures.hpp"
#include "engine/distance/prepared_coordinates.hpp"
#include "engine/study/pair_computation.hpp"

namespace glycine::distance {

namespace {

using study::CheckScope;
using study::Computation;

/// Sets what a configuration names; the backend chooses the rest.
DistanceOptions withChoice(DistanceOptions options, const Configuration& configuration) {
    const std::string& format = configuration.numberFormat;
    if (!configuration.variant.empty()) options.variant = fromString<Variant>(configuration.variant);
    if (!format.empty() && format != "counts") options.precision = fromString<Precision>(format);
    return options;
}

PairQuestion counting(CountNeeds needs) {
    PairQuestion question{.needs = needs, .name = "differing"};
    if (needs.opposite) question.name += ", opposite";
    if (needs.valid) question.name += ", in common";
    return question;
}

PairQuestion summing(SumTerm term) {
    return {.term = term, .name = withTerm(term, [](auto operation) { return operation.kName; })};
}

template <class T>
study::PairTrial<T> trialOf(const DataView& data, Precision precision, std::string stage, std::size_t tile,
                            std::vector<std::string> quantities) {
    return {.stage = std::move(stage),
            .instances = data.instances(),
            .attributes = data.attributes(),
            .tile = tile,
            .quantities = std::move(quantities),
            .allowedDifference = data.isCoordinates() ? summationTolerance(data.attributes(), precision) : 0};
}

class PairProblem : public study::Problem {
  public:
    PairProblem(StudyInputs inputs, PairQuestion question)
        : inputs_(std::move(inputs)), question_(std::move(question)) {}
    std::string name() const override {
        return fmt::format("{}: {}", inputs_.front()->set().description, question_.name);
    }
    Dimensions dimensions() const override {
        return {{"instances", data().instances()}, {"attributes", data().attributes()}};
    }
    bool concerns(const Configuration& configuration) const override {
        return configuration.numberFormat.empty() ||
               (configuration.numberFormat == "counts") != data().isCoordinates();
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsData(backend, data(), question_.needs, withChoice({}, configuration));
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, CheckScope scope,
                                       Progress& progress) override {
        for (const auto& input : inputs_) referenceSeconds_ += input->findAnswers(progress);
        return computeWithEngine(createImplementation<DistanceEngine>(backend), inputs_, question_,
                                 withChoice({}, configuration), scope);
    }
    /// After Sinnott-Armstrong et al. 2010: each pair's attributes are compared and the differences counted,
    /// at least one bit (or one product of indicators) each. For coordinates, a difference is added. Results
    /// are written once.
    std::vector<study::RequiredWork> needs(const Configuration& configuration) const override {
        const double pairs =
            static_cast<double>(PairTile{{0, data().instances()}, {0, data().instances()}}.pairs()) / 1e9;
        std::string kind(kPopulationCount);
        if (data().isCoordinates()) kind = probeName(kMultiplyAdd, configuration.numberFormat);
        if (configuration.variant == toString(Variant::Tensor)) kind = probeName(kMatrixProduct, "int8");
        if (configuration.variant == toString(Variant::BitTensor)) kind = probeName(kMatrixProduct, "bits");
        return {{kind, pairs * static_cast<double>(data().attributes())},
                {std::string(kCopyBandwidth), pairs * (data().isCoordinates() ? 8 : 4)}};
    }
    double referenceSeconds() const override { return referenceSeconds_; }

  protected:
    DataView data() const { return inputs_.front()->data(); }

    double referenceSeconds_ = 0;

  private:
    StudyInputs inputs_;
    PairQuestion question_;
};

class ValuesProblem final : public PairProblem {
  public:
    ValuesProblem(const std::shared_ptr<StudyInput>& input, Measure measure)
        : PairProblem({input}, {.name = std::string(toString(measure))}), input_(input) {
        options_ = {
            .measure = measure, .missing = defaultMissingRule(measure), .founders = input->set().founders};
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsDistances(backend, data(), withChoice(options_, configuration));
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, CheckScope scope,
                                       Progress& progress) override {
        if (expected_.empty()) {
            const auto reference = BackendRegistry::instance().create("reference", {});
            const auto engine = createImplementation<DistanceEngine>(*reference);
            const auto run = startValues(*engine, data(), options_, progress);
            expected_ = study::runReference(*run, data().instances(), data().attributes(), 1,
                                            referenceSeconds_, progress);
        }
        const DistanceOptions options = withChoice(options_, configuration);
        const std::string measure(toString(options.measure));
        const std::shared_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
        const Precision precision = precisionOf(*engine, data(), options);
        auto trial =
            trialOf<double>(data(), precision, measure, tileSide(backend, data(), options), {measure});
        const auto start = [=, data = data(), &progress] {
            return startValues(*engine, data, options, progress);
        };
        trial.inputs.push_back({start, input_->checkedInstances(), expected_});
        if (data().isCoordinates())
            trial.inputs.back().explained =
                [measure = options.measure,
                 rounding = PreparedCoordinates(data().coordinates, precision, Preparation::None).rounding()](
                    double value) { return changeOf(measure, rounding, value); };
        return study::computePairs(std::move(trial), scope);
    }

  private:
    std::shared_ptr<StudyInput> input_;
    DistanceOptions options_;
    std::vector<Matrix<double>> expected_;
};

}  // namespace

std::vector<std::string> numberFormatsOf(const DataView& data) {
    if (!data.isCoordinates()) return {"counts"};
    return {"float32", "float64"};
}

PairQuestion questionFor(const DataView& data, Measure measure) {
    const MissingRule rule = defaultMissingRule(measure);
    checkMeasure(data, {.measure = measure, .missing = rule});
    if (measure == Measure::Grm)
        throw UsageError("'grm' sums squared differences: --data coordinates --measure sqeuclidean");
    return data.isCoordinates() ? summing(traitsOf(measure).term)
                                : counting(neededCounts(measure, rule, data.discrete->shape()));
}

std::vector<PairQuestion> questionsAbout(const DataView& data) {
    std::vector<PairQuestion> questions;
    if (data.isCoordinates()) {
        for (const SumTerm term : kSumTerms) questions.push_back(summing(term));
        return questions;
    }
    const DiscreteShape& shape = data.discrete->shape();
    for (const bool opposite : {false, true})
        for (const bool valid : {false, true})
            if ((!opposite || shape.isGenotypes) && (!valid || shape.hasMissing))
                questions.push_back(counting({.opposite = opposite, .valid = valid}));
    return questions;
}

StudyInput::StudyInput(DataSet set, std::optional<std::size_t> checked, std::uint64_t seed)
    : set_(std::move(set)) {
    const std::size_t n = data().instances();
    checked_ = drawSamples(n, checked.value_or(n), seed);
}

double StudyInput::findAnswers(Progress& progress) {
    if (!counts_.empty() || !sums_.empty()) return 0;
    const bool isWhole = checked_.size() == data().instances();
    const DataSet part = isWhole ? DataSet() : selectInstances(data(), checked_);
    const DataView checked = isWhole ? data() : part.view();
    const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
    const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(*backend);
    double seconds = 0;
    const auto ask = [&](auto run, std::size_t quantities) {
        return study::runReference(*run, checked_.size(), checked.attributes(), quantities, seconds,
                                   progress);
    };
    if (checked.isCoordinates()) {
        // Squares of extreme numbers leave the range of float64, too; otherwise the input's own numbers are
        // used.
        const PreparedCoordinates prepared(checked.coordinates, Precision::Float64, Preparation::None);
        unit_ = prepared.unit();
        const CoordinateView coordinates = unit_ == 1 ? checked.coordinates : prepared.view();
        for (const SumTerm term : kSumTerms)
            sums_[term] = ask(engine->startSumming(coordinates, term, Variant::Default), 1);
    } else {
        // The reference also counts what is meaningless for some data.
        counts_ = ask(
            engine->startCounting(*checked.discrete, {.opposite = true, .valid = true}, Variant::Default), 3);
    }
    return seconds;
}

const std::vector<Matrix<double>>& StudyInput::sums(SumTerm term, double unit) {
    if (unit == unit_) return sums_.at(term);
    std::vector<Matrix<double>>& result = sumsInUnits_[{term, unit}];
    if (!result.empty()) return result;
    const int power = withTerm(term, [](auto operation) { return operation.kDegree; });
    const int exponent = power * (std::ilogb(unit) - std::ilogb(unit_));
    for (const Matrix<double>& sums : sums_.at(term)) {
        Matrix<double>& scaled = result.emplace_back(sums.rows(), sums.columns());
        for (std::size_t k = 0; k < sums.size(); ++k) scaled.data()[k] = std::ldexp(sums.data()[k], exponent);
    }
    return result;
}

std::unique_ptr<Computation> computeWithEngine(std::shared_ptr<DistanceEngine> engine,
                                               const StudyInputs& inputs, const PairQuestion& question,
                                               const DistanceOptions& requested, CheckScope scope) {
    const DataView data = inputs.front()->data();
    const Variant variant = requested.variant;
    const Precision precision = precisionOf(*engine, data, requested);
    const auto ask = [&]<class T>(std::vector<std::string> quantities, const auto& inputOf) {
        auto trial = trialOf<T>(data, precision, question.name,
                                engine->preferredTile(requestFor(data, question.needs, variant, precision)),
                                std::move(quantities));
        for (const std::shared_ptr<StudyInput>& input : inputs) trial.inputs.push_back(inputOf(input));
        return study::computePairs(std::move(trial), scope);
    };
    if (data.isCoordinates())
        return ask.operator()<double>({question.name}, [&](const std::shared_ptr<StudyInput>& input) {
            const SumTerm term = question.term;
            const auto prepared = std::make_shared<PreparedCoordinates>(
                input->data().coordinates, precision,
                term == SumTerm::AnyDifference ? Preparation::Rank : Preparation::None);
            const auto start = [=] { return engine->startSumming(prepared->view(), term, variant); };
            const auto explained = [=](double sum) { return prepared->rounding().ofSum(term, sum); };
            return study::PairInput<double>{start, input->checkedInstances(),
                                            input->sums(term, prepared->unit()), explained};
        });
    return ask.operator()<std::uint32_t>(
        {"differing attributes", question.needs.opposite ? "opposite homozygotes" : "",
         question.needs.valid ? "attributes in common" : ""},
        [&](const std::shared_ptr<StudyInput>& input) {
            const auto start = [=, needs = question.needs] {
                return engine->startCounting(*input->data().discrete, needs, variant);
            };
            return study::PairInput<std::uint32_t>{start, input->checkedInstances(), input->counts(), {}};
        });
}

std::unique_ptr<study::Problem> pairProblem(StudyInputs inputs, PairQuestion question) {
    return std::make_unique<PairProblem>(std::move(inputs), std::move(question));
}

std::vector<Measure> checkedMeasures(DataKind kind) {
    if (kind == DataKind::Coordinates) return {defaultMeasure(true)};
    if (kind == DataKind::Genotypes) return {Measure::Allele, Measure::King};
    return {Measure::Proportion};
}

std::unique_ptr<study::Problem> valuesProblem(std::shared_ptr<StudyInput> input, Measure measure) {
    return std::make_unique<ValuesProblem>(input, measure);
}

}  // namespace glycine::distance
