#include "engine/algorithms/distance/study/distance_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/algorithms/distance/pair_values.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/study/result_memory.hpp"
#include "engine/study/samples.hpp"

namespace glycine::distance {

namespace {

using study::Computation;
using study::Depth;
using study::Outcome;
using study::ResultMemory;

/// None for counts.
double allowedDifference(const DataView& data) {
    return data.isCoordinates() ? summationTolerance(data.attributes()) : 0;
}

Variant variantOf(const Configuration& configuration) {
    return configuration.variant.empty() ? Variant::Default : parseVariant(configuration.variant);
}

/// The mean over inputs of one shape. Work is N² · M comparisons in 10⁹, counted in full although each pair
/// is computed once.
Outcome meanOutcome(const PairTimes& times, double seconds, const DataView& data, std::size_t inputs,
                    std::string variant, std::string note) {
    const auto n = static_cast<double>(data.instances());
    const double work = n * n * static_cast<double>(data.attributes()) / 1e9;
    const double share = 1 / static_cast<double>(inputs);
    return {.variant = std::move(variant),
            .stages = {{"pack", times.pack * share},
                       {"upload", times.upload * share},
                       {"compute", times.compute * share, work},
                       {"download", times.download * share}},
            .seconds = seconds * share,
            .work = work,
            .note = std::move(note)};
}

class PairComputation final : public Computation {
  public:
    PairComputation(std::unique_ptr<PairEngine> engine, const StudyInputs& inputs,
                    const PairQuestion& question, Variant variant, Depth depth)
        : engine_(std::move(engine)),
          inputs_(inputs),
          question_(question),
          variant_(variant),
          differing_(depth),
          opposite_(depth),
          valid_(depth),
          sums_(depth) {
        const std::size_t n = data().instances();
        const std::size_t suiting = engine_->preferredTile(requestFor(data(), question, variant));
        const bool isWhole = depth == Depth::Whole;
        const std::size_t side = std::min(suiting, isWhole ? std::max<std::size_t>((n + 2) / 3, 1) : n);
        tiles_ = tilesBelowDiagonal(n, side);
        if (!isWhole || suiting < n) return;
        tiles_.insert(tiles_.begin(), PairTile{{0, n}, {0, n}});
        timesAsked_ = 2;
    }

    Outcome run(Progress& progress) override {
        double pairs = 0;
        for (const PairTile& tile : tiles_) pairs += static_cast<double>(tile.pairs() * inputs_.size());
        progress.begin(question_.name, pairs * static_cast<double>(data().attributes()));
        comparison_ = equalSoFar(allowedDifference(data()));
        pairs_ = 0;
        PairTimes times;
        double seconds = 0;
        std::string variant, note;
        for (const auto& input : inputs_) {
            Stopwatch watch;
            PairWork work(*engine_, input->data(), question_, variant_);
            seconds += watch.seconds();
            for (const PairTile& tile : tiles_) {
                const PairNumbers numbers = memoryFor(tile);
                watch.restart();
                work.compute(tile, numbers, progress);
                seconds += watch.seconds();
                compare(tile, numbers, *input);
            }
            times += work.run().times();
            variant = toString(work.run().variant());
            note = work.run().note();
        }
        return meanOutcome(times, seconds, data(), inputs_.size(), std::move(variant), std::move(note));
    }

    Comparison check(Progress&) override {
        const std::size_t n = inputs_.front()->checkedInstances().size();
        const std::size_t expected = inputs_.size() * (n * (n - 1) / 2);
        const std::string pairs = formatCount(expected, "pair");
        Comparison comparison = std::exchange(comparison_, equalSoFar(0));
        if (const std::size_t seen = std::exchange(pairs_, 0); seen != expected * timesAsked_)
            comparison.fail(fmt::format("{} of {} were computed", formatCount(seen), pairs));
        comparison.verdict = !comparison.agrees() ? comparison.place
                             : comparison.isEqual
                                 ? fmt::format("{} exact", pairs)
                                 : fmt::format("{} within {:.1g}", pairs, comparison.largestDifference);
        return comparison;
    }

  private:
    DataView data() const { return inputs_.front()->data(); }

    PairNumbers memoryFor(const PairTile& tile) {
        const std::size_t rows = tile.rows.size();
        const std::size_t columns = tile.columns.size();
        if (data().isCoordinates()) return {.sums = sums_.view(rows, columns)};
        PairCounts counts{differing_.view(rows, columns), {}, {}};
        if (question_.needs.opposite) counts.opposite = opposite_.view(rows, columns);
        if (question_.needs.valid) counts.valid = valid_.view(rows, columns);
        return {.counts = counts};
    }

    /// The checked pairs of a tile.
    void compare(const PairTile& tile, const PairNumbers& numbers, const StudyInput& input) {
        const PairAnswers& answers = input.answers();
        const auto& sums = question_.term == SumTerm::AbsoluteDifference ? answers.absoluteDifferences
                                                                         : answers.squaredDifferences;
        const std::vector<std::size_t>& checked = input.checkedInstances();
        const auto isIn = [](Range range, std::size_t instance) {
            return instance >= range.begin && instance < range.end;
        };
        for (std::size_t i = 0; i < checked.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (!isIn(tile.rows, checked[i]) || !isIn(tile.columns, checked[j])) continue;
                const auto compareOne = [&]<class T>(const Matrix<T>& expected, MatrixView<T> found,
                                                     std::string_view what) {
                    if (found.empty()) return;
                    T& value = found(checked[i] - tile.rows.begin, checked[j] - tile.columns.begin);
                    comparison_.compareElement(
                        static_cast<double>(expected(i, j)), static_cast<double>(value),
                        [&] { return fmt::format("{} of ({}, {})", what, checked[i], checked[j]); });
                    value = ResultMemory<T>::kNoResult;
                };
                compareOne(answers.differing, numbers.counts.differing, "differing attributes");
                compareOne(answers.opposite, numbers.counts.opposite, "opposite homozygotes");
                compareOne(answers.valid, numbers.counts.valid, "attributes in common");
                compareOne(sums, numbers.sums, question_.name);
                ++pairs_;
            }
        }
        if (!differing_.isIntact() || !opposite_.isIntact() || !valid_.isIntact() || !sums_.isIntact())
            comparison_.fail(fmt::format("elements beside the tile ({}, {}), which were overwritten",
                                         tile.rows.begin, tile.columns.begin));
    }

    std::unique_ptr<PairEngine> engine_;
    const StudyInputs& inputs_;
    PairQuestion question_;
    Variant variant_;
    std::vector<PairTile> tiles_;
    std::size_t timesAsked_ = 1;
    ResultMemory<std::uint32_t> differing_, opposite_, valid_;
    ResultMemory<double> sums_;
    Comparison comparison_ = equalSoFar(0);
    std::size_t pairs_ = 0;  ///< compared since the last check
};

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
        return configuration.numberFormat.empty() || configuration.numberFormat == numberFormatOf(data());
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        return supportsRequest(backend, requestFor(data(), question_, variantOf(configuration)));
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, Depth depth,
                                       Progress& progress) override {
        for (const auto& input : inputs_) referenceSeconds_ += input->findAnswers(progress);
        return askEngine(createPairEngine(backend), inputs_, question_, variantOf(configuration), depth);
    }
    double referenceSeconds() const override { return referenceSeconds_; }

  protected:
    DataView data() const { return inputs_.front()->data(); }

  private:
    StudyInputs inputs_;
    PairQuestion question_;
    double referenceSeconds_ = 0;
};

class ValuesComputation final : public Computation {
  public:
    ValuesComputation(Backend& backend, const DataView& data, const DistanceOptions& options,
                      const pairs::PairStore& expected)
        : backend_(backend), data_(data), options_(options), expected_(expected) {}

    Outcome run(Progress& progress) override {
        found_ = memoryFor(data_, options_);
        const Stopwatch watch;
        const DistanceReport report = computeDistances(backend_, data_, options_, *found_, progress);
        return meanOutcome(report.times, watch.seconds(), data_, 1, report.variant, report.note);
    }
    Comparison check(Progress&) override {
        Comparison comparison = equalSoFar(allowedDifference(data_));
        for (std::size_t i = 0; i < data_.instances(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                comparison.compareElement(expected_.value(i, j), found_->value(i, j), [&] {
                    return fmt::format("{} of ({}, {})", toString(options_.measure), i, j);
                });
        return comparison;  // the next run writes into other memory
    }
    static std::unique_ptr<pairs::PairStore> memoryFor(const DataView& data, const DistanceOptions& options) {
        return std::make_unique<pairs::PairStore>(
            pairs::PairFormat{{data.instances(), pairs::StoreLayout::Triangle},
                              pairs::ValueType::Float64,
                              diagonalValue(options.measure)});
    }

  private:
    Backend& backend_;
    DataView data_;
    DistanceOptions options_;
    const pairs::PairStore& expected_;
    std::unique_ptr<pairs::PairStore> found_;
};

class ValuesProblem final : public PairProblem {
  public:
    ValuesProblem(const std::shared_ptr<StudyInput>& input, Measure measure)
        : PairProblem({input}, {.name = std::string(toString(measure))}) {
        options_ = {
            .measure = measure, .missing = defaultMissingRule(measure), .founders = input->set().founders};
    }
    Support supports(Backend& backend, const Configuration& configuration) override {
        options_.variant = variantOf(configuration);
        return supportsDistances(backend, data(), options_);
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, Depth,
                                       Progress& progress) override {
        if (!expected_) {
            options_.variant = Variant::Default;
            expected_ = ValuesComputation::memoryFor(data(), options_);
            const auto reference = BackendRegistry::instance().create("reference", {});
            computeDistances(*reference, data(), options_, *expected_, progress);
        }
        options_.variant = variantOf(configuration);
        return std::make_unique<ValuesComputation>(backend, data(), options_, *expected_);
    }

  private:
    DistanceOptions options_;
    std::unique_ptr<pairs::PairStore> expected_;
};

}  // namespace

StudyInput::StudyInput(DataSet set, std::optional<std::size_t> checked, std::uint64_t seed)
    : set_(std::move(set)) {
    RandomSequence random(seed);
    const std::size_t n = data().instances();
    checked_ = study::drawSamples(n, checked.value_or(n), random);
}

double StudyInput::findAnswers(Progress& progress) {
    if (answers_) return 0;
    answers_ = checked_.size() < data().instances()
                   ? askReference(selectInstances(data(), checked_).view(), progress)
                   : askReference(data(), progress);
    return answers_->seconds;
}

std::unique_ptr<Computation> askEngine(std::unique_ptr<PairEngine> engine, const StudyInputs& inputs,
                                       const PairQuestion& question, Variant variant, Depth depth) {
    return std::make_unique<PairComputation>(std::move(engine), inputs, question, variant, depth);
}

std::unique_ptr<study::Problem> pairProblem(StudyInputs inputs, PairQuestion question) {
    return std::make_unique<PairProblem>(std::move(inputs), std::move(question));
}

std::unique_ptr<study::Problem> valuesProblem(std::shared_ptr<StudyInput> input) {
    const DataKind kind = input->set().kind;
    return std::make_unique<ValuesProblem>(input, kind == DataKind::Coordinates ? Measure::Euclidean
                                                  : kind == DataKind::Genotypes ? Measure::Allele
                                                                                : Measure::Proportion);
}

}  // namespace glycine::distance
