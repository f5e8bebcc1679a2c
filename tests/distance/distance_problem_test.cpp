// The study problems of `distance`: inputs, questions, comparison with the reference's answers, the published
// figure, the paper's loop.
#include "engine/distance/study/distance_problem.hpp"
#include "engine/distance/input/random_data_set.hpp"
#include "engine/distance/prepared_coordinates.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/distance/reference/reference_engine.hpp"
#include "engine/distance/terms.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

std::string nameOf(SumTerm term) {
    return withTerm(term, [](auto operation) { return operation.kName; });
}

using study::CheckScope;

/// Registers the reference, which some tests need through the registry.
void registerReference() {
    static const bool once = [] {
        registerHostBackends();
        return true;
    }();
    static_cast<void>(once);
}

SymbolMatrix symbols(std::size_t instances, std::size_t attributes, std::initializer_list<int> values,
                     DiscreteShape shape) {
    Matrix<std::uint8_t> matrix(instances, attributes);
    std::copy(values.begin(), values.end(), matrix.data());
    return {std::move(matrix), shape};
}
constexpr DiscreteShape kGenotypes{.planes = 2, .isGenotypes = true};

TEST(DataSize, IsParsedAndPrinted) {
    EXPECT_EQ(parseDataSize("17x65"), (DataSize{17, 65}));
    EXPECT_EQ(parseDataSize("2000×100000"), (DataSize{2000, 100000}));
    EXPECT_EQ(parseDataSize("1X1"), (DataSize{1, 1}));
    EXPECT_EQ(parseDataSize("3*7"), (DataSize{3, 7}));
    EXPECT_EQ(formatDataSize({2000, 100000}), "2,000 × 100,000");
    EXPECT_EQ(dataSizeText({2000, 100000}), "2000x100000");
    for (const char* wrong : {"", "5", "x", "5x", "x5", "0x5", "5x0", "-1x5", "5x5x5", "5 x 5", "1e3x5",
                              "99999999999999999999x1"})
        EXPECT_THROW(parseDataSize(wrong), UsageError) << wrong;
}

class SampleDataSets : public ::testing::TestWithParam<DataSize> {};

TEST_P(SampleDataSets, AreWhatTheyAreCalled) {
    const DataSize size = GetParam();
    for (const SampleKind& kind : kSampleKinds) {
        SCOPED_TRACE(kind.name);
        const DataSet data = sampleDataSet(kind, size, 1);
        EXPECT_EQ(data.description, std::string(kind.name) + ", " + formatDataSize(size));
        EXPECT_EQ(data.kind, kind.kind);
        EXPECT_EQ(data.view().instances(), size.instances);
        EXPECT_EQ(data.view().attributes(), size.attributes);
        if (kind.kind == DataKind::Coordinates) {
            EXPECT_TRUE(data.view().isCoordinates());
            continue;
        }
        const DiscreteShape& shape = data.discrete->shape();
        EXPECT_EQ(shape.isGenotypes, kind.kind == DataKind::Genotypes);
        EXPECT_EQ(shape.planes, kind.kind == DataKind::Protein ? 5U : 2U);
        EXPECT_EQ(shape.hasMissing, kind.isGapped);
        Matrix<std::uint8_t> values(size.instances, size.attributes);
        data.discrete->readSymbols({0, size.instances}, {0, size.attributes}, values.view());
        for (std::size_t k = 0; k < size.attributes; ++k)
            EXPECT_EQ(values(size.instances / 2, k) == kMissingSymbol, kind.isGapped);
    }
}
INSTANTIATE_TEST_SUITE_P(Sizes, SampleDataSets,
                         ::testing::Values(DataSize{1, 1}, DataSize{2, 1}, DataSize{17, 65}));

TEST(Questions, AreThoseThatSomeMeasureNeeds) {
    const auto names = [](const DataView& data) {
        std::vector<std::string> result;
        for (const PairQuestion& question : questionsAbout(data)) result.push_back(question.name);
        return result;
    };
    const SymbolMatrix complete = symbols(1, 2, {0, 1}, kGenotypes);
    const SymbolMatrix missing = symbols(1, 2, {0, kMissingSymbol}, kGenotypes);
    const SymbolMatrix dna = symbols(1, 2, {0, 3}, {.planes = 2});
    Matrix<float> coordinates(1, 2, 0.5F);
    EXPECT_THAT(names({&complete, {}}), ElementsAre("differing", "differing, opposite"));
    EXPECT_THAT(names({&missing, {}}), ElementsAre("differing", "differing, in common", "differing, opposite",
                                                   "differing, opposite, in common"));
    EXPECT_THAT(names({&dna, {}}), ElementsAre("differing"));
    std::vector<std::string> terms;
    for (const SumTerm term : kSumTerms) terms.push_back(nameOf(term));
    EXPECT_EQ(terms.front(), "absolute differences");
    EXPECT_EQ(names({nullptr, coordinates.view()}), terms);
    EXPECT_EQ(questionFor({&missing, {}}, Measure::Mismatch).needs, CountNeeds{});
    EXPECT_TRUE(questionFor({&missing, {}}, Measure::Allele).needs.opposite);
    EXPECT_EQ(questionFor({nullptr, coordinates.view()}, Measure::Manhattan).term,
              SumTerm::AbsoluteDifference);
    EXPECT_THROW(questionFor({&dna, {}}, Measure::Allele), UsageError);
}

/// The kinds of fault of a faulty engine.
enum class Fault { None, OnlyOnce, OneCount, Unwritten, Stray, Opposite, SmallSum, LargeSum, NoNumber };

/// Computes plainly, commits one fault, and records its tiles.
class FaultyEngine final : public DistanceEngine {
  public:
    FaultyEngine(DistanceEngine& honest, Fault fault, std::size_t side, std::vector<PairTile>& tiles)
        : honest_(honest), fault_(fault), side_(side), tiles_(tiles) {}
    Support supports(const PairRequest& request) const override { return honest_.supports(request); }
    std::size_t preferredTile(const PairRequest&) const override { return side_; }
    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant) override {
        return std::make_unique<Counting>(honest_.startCounting(source, needs, Variant::Default), *this);
    }
    std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term, Variant) override {
        return std::make_unique<Summing>(honest_.startSumming(coordinates, term, Variant::Default), *this);
    }

  private:
    struct Counting final : CountingRun {
        Counting(std::unique_ptr<CountingRun> honest, FaultyEngine& engine)
            : honest_(std::move(honest)), engine_(engine) {}
        Variant variant() const override { return Variant::Serial; }
        PairTimes times() const override { return honest_->times(); }
        void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override {
            engine_.tiles_.push_back(tile);
            if (engine_.fault_ == Fault::OnlyOnce && engine_.tiles_.size() > 1) return;
            const std::size_t last = tile.rows.size() - 1;
            const std::uint32_t before = counts.differing(last, 0);
            honest_->count(tile, counts, progress);
            if (tile.pairs() == 0) return;
            if (engine_.fault_ == Fault::OneCount) ++counts.differing(last, 0);
            if (engine_.fault_ == Fault::Unwritten) counts.differing(last, 0) = before;
            if (engine_.fault_ == Fault::Stray) *(counts.differing.row(last) + tile.columns.size()) = 0;
            if (engine_.fault_ == Fault::Opposite && !counts.opposite.empty()) ++counts.opposite(last, 0);
        }
        std::unique_ptr<CountingRun> honest_;
        FaultyEngine& engine_;
    };
    struct Summing final : SummingRun {
        Summing(std::unique_ptr<SummingRun> honest, FaultyEngine& engine)
            : honest_(std::move(honest)), engine_(engine) {}
        Variant variant() const override { return Variant::Serial; }
        PairTimes times() const override { return honest_->times(); }
        void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override {
            honest_->sum(tile, sums, progress);
            if (tile.pairs() == 0) return;
            double& value = sums(tile.rows.size() - 1, 0);
            if (engine_.fault_ == Fault::SmallSum) value *= 1 + 1e-8;
            if (engine_.fault_ == Fault::LargeSum) value *= 1.01;
            if (engine_.fault_ == Fault::NoNumber) value = std::nan("");
        }
        std::unique_ptr<SummingRun> honest_;
        FaultyEngine& engine_;
    };

    DistanceEngine& honest_;
    Fault fault_;
    std::size_t side_;
    std::vector<PairTile>& tiles_;
};

class Agreement : public ::testing::Test {
  protected:
    void SetUp() override {
        registerReference();
        backend_ = BackendRegistry::instance().create("reference", {});
        engine_ = createImplementation<DistanceEngine>(*backend_);
    }
    /// For coordinates, squared differences, which rounding changes; for symbols, the last question.
    static PairQuestion questionAbout(const DataView& data) {
        return data.isCoordinates() ? questionFor(data, Measure::Euclidean) : questionsAbout(data).back();
    }
    /// Puts the question about an input to an engine with this fault.
    std::unique_ptr<study::Computation> ask(const StudyInputs& inputs, Fault fault, CheckScope scope,
                                            std::size_t side = 1000, const DistanceOptions& asked = {}) {
        for (const auto& input : inputs) input->findAnswers(progress_);
        tiles_.clear();
        return computeWithEngine(std::make_unique<FaultyEngine>(*engine_, fault, side, tiles_), inputs,
                                 questionAbout(inputs.front()->data()), asked, scope);
    }
    Comparison compare(const char* kind, DataSize size, Fault fault, std::size_t side = 1000,
                       const DistanceOptions& asked = {}) {
        const StudyInputs inputs{inputOf(kind, size)};
        const auto computation = ask(inputs, fault, CheckScope::Full, side, asked);
        computation->run(progress_);
        return computation->check(progress_);
    }
    static std::shared_ptr<StudyInput> inputOf(std::string_view name, DataSize size,
                                               std::optional<std::size_t> checked = {}) {
        const auto kind = std::find_if(kSampleKinds.begin(), kSampleKinds.end(),
                                       [&](const SampleKind& candidate) { return candidate.name == name; });
        return std::make_shared<StudyInput>(sampleDataSet(*kind, size, 1), checked);
    }

    Progress progress_;
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<DistanceEngine> engine_;
    std::vector<PairTile> tiles_;
};

TEST_F(Agreement, OfTheReferenceWithItself) {
    for (const SampleKind& kind : kSampleKinds) {
        for (const DataSize size : {DataSize{1, 1}, DataSize{2, 1}, DataSize{7, 65}}) {
            const Comparison comparison = compare(kind.name.data(), size, Fault::None);
            EXPECT_TRUE(comparison.isEqual) << kind.name << comparison.place;
            EXPECT_EQ(comparison.largestDifference, 0);
        }
    }
}

TEST_F(Agreement, IsCheckedOnAndOffTheDiagonal) {
    compare("genotypes", {7, 65}, Fault::None);
    EXPECT_THAT(tiles_,
                ElementsAre(PairTile{{0, 7}, {0, 7}}, PairTile{{0, 3}, {0, 3}}, PairTile{{3, 6}, {0, 3}},
                            PairTile{{3, 6}, {3, 6}}, PairTile{{6, 7}, {0, 3}}, PairTile{{6, 7}, {3, 6}},
                            PairTile{{6, 7}, {6, 7}}));
    // Never larger than the engine's preferred tile.
    compare("genotypes", {3, 1}, Fault::None, 2);
    EXPECT_EQ(tiles_.size(), 6U);
    compare("genotypes", {2, 1}, Fault::None);
    EXPECT_THAT(tiles_, ElementsAre(PairTile{{0, 2}, {0, 2}}, PairTile{{0, 1}, {0, 1}},
                                    PairTile{{1, 2}, {0, 1}}, PairTile{{1, 2}, {1, 2}}));
}

TEST_F(Agreement, CountsMustBeEqual) {
    for (const Fault fault : {Fault::OneCount, Fault::Unwritten, Fault::Opposite, Fault::Stray}) {
        const Comparison comparison = compare("gapped genotypes", {7, 65}, fault);
        EXPECT_FALSE(comparison.isEqual);
        EXPECT_FALSE(comparison.agrees());
        EXPECT_EQ(comparison.allowedDifference, 0);
    }
    EXPECT_THAT(compare("genotypes", {2, 1}, Fault::OneCount).place,
                HasSubstr("differing attributes of (1, 0): "));
    EXPECT_THAT(compare("genotypes", {2, 64}, Fault::Opposite).place,
                HasSubstr("opposite homozygotes of (1, 0): "));
    EXPECT_THAT(compare("dna", {7, 65}, Fault::Stray).place, HasSubstr("overwritten"));
}

TEST_F(Agreement, SumsMayDifferByRounding) {
    const Comparison close = compare("coordinates", {5, 30}, Fault::SmallSum);
    EXPECT_FALSE(close.isEqual);
    EXPECT_TRUE(close.agrees());
    EXPECT_NEAR(close.largestDifference, 1e-8, 1e-9);
    EXPECT_FALSE(compare("coordinates", {5, 30}, Fault::LargeSum).agrees());
    EXPECT_FALSE(compare("coordinates", {5, 30}, Fault::NoNumber).agrees());
}

// The reference uses the input's own numbers, the engine their float32 roundings.
TEST_F(Agreement, RoundedCoordinatesMayDifferByWhatWasRounded) {
    const auto with = [&](Precision precision, Fault fault) {
        return compare("far coordinates", {9, 30}, fault, 1000, {.precision = precision});
    };
    const Comparison rounded = with(Precision::Float32, Fault::None);
    EXPECT_FALSE(rounded.isEqual);
    EXPECT_TRUE(rounded.agrees()) << rounded.place;
    EXPECT_TRUE(with(Precision::Float32, Fault::SmallSum).agrees());
    EXPECT_FALSE(with(Precision::Float32, Fault::LargeSum).agrees());
    EXPECT_FALSE(with(Precision::Float32, Fault::NoNumber).agrees());
    EXPECT_TRUE(with(Precision::Float64, Fault::None).isEqual);
    EXPECT_FALSE(with(Precision::Float64, Fault::SmallSum).agrees());
    // The allowance follows from the rounding: zero if the engine uses the numbers unrounded.
    const auto input = inputOf("far coordinates", {9, 30});
    input->findAnswers(progress_);
    const PreparedCoordinates single(input->data().coordinates, Precision::Float32, Preparation::None);
    EXPECT_GT(single.rounding().largest, 0);
    EXPECT_LT(single.rounding().largest, 1e-6);
    const PreparedCoordinates wide(input->data().coordinates, Precision::Float64, Preparation::None);
    EXPECT_EQ(wide.rounding().largest, 0);
    EXPECT_EQ(wide.rounding().ofSum(SumTerm::SquaredDifference, 1), 0);
}

/// Unchanged until `isFaded` is set; then every symbol of the first instance is missing.
class FadingSource final : public DiscreteSource {
  public:
    FadingSource(std::unique_ptr<DiscreteSource> source, const bool& isFaded)
        : source_(std::move(source)), isFaded_(isFaded) {}
    const DiscreteShape& shape() const override { return source_->shape(); }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        source_->readSymbols(instances, attributes, target);
        if (isFaded_ && instances.begin == 0) std::fill_n(target.row(0), attributes.size(), kMissingSymbol);
    }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        return source_->readPlanes(instances, attributes);
    }

  private:
    std::unique_ptr<DiscreteSource> source_;
    const bool& isFaded_;
};

TEST_F(Agreement, OfValues) {
    DataSet set = sampleDataSet(kSampleKinds[5], {6, 40}, 1);
    ASSERT_EQ(set.kind, DataKind::Protein);
    bool isFaded = false;
    set.discrete = std::make_unique<FadingSource>(std::move(set.discrete), isFaded);
    // An instance without any symbol has no distance, and missing values compare equal.
    const auto values = std::make_unique<pairs::PairStore>(
        pairs::PairFormat{{6, pairs::StoreLayout::Triangle}, pairs::ValueType::Float64, 0});
    computeDistances(*backend_, set.view(), {.measure = Measure::Proportion}, *values, progress_);
    EXPECT_TRUE(std::isnan(values->value(3, 0)));

    const auto problem = valuesProblem(std::make_shared<StudyInput>(std::move(set)), Measure::Proportion);
    EXPECT_EQ(problem->name(), "gapped protein, 6 × 40: proportion");
    const Configuration configuration{
        .backend = "reference", .variant = "serial", .dialect = {}, .numberFormat = "counts"};
    EXPECT_TRUE(problem->concerns(configuration));
    EXPECT_TRUE(problem->supports(*backend_, configuration));
    EXPECT_EQ(problem->referenceSeconds(), 0);
    const auto computation = problem->start(*backend_, configuration, CheckScope::Full, progress_);
    EXPECT_GT(problem->referenceSeconds(), 0);
    EXPECT_EQ(computation->run(progress_).variant, "serial");
    EXPECT_TRUE(computation->check(progress_).isEqual);
    isFaded = true;
    computation->run(progress_);
    const Comparison comparison = computation->check(progress_);
    EXPECT_FALSE(comparison.agrees());
    EXPECT_THAT(comparison.place, StartsWith("proportion of ("));
}

class PlaneSources : public ::testing::TestWithParam<SampleKind> {};

TEST_P(PlaneSources, HoldTheSame) {
    const DataSet data = sampleDataSet(GetParam(), {9, 203}, 3);
    const PlaneSource source(*data.discrete, silentProgress());
    const DiscreteShape& shape = source.shape();
    EXPECT_EQ(shape.instances, 9U);
    EXPECT_EQ(shape.hasMissing, data.discrete->shape().hasMissing);
    for (const Range instances : {Range{0, 9}, Range{2, 5}}) {
        for (const Range attributes : {Range{0, 203}, Range{64, 203}, Range{64, 100}, Range{128, 192}}) {
            Matrix<std::uint8_t> expected(instances.size(), attributes.size());
            Matrix<std::uint8_t> found(instances.size(), attributes.size());
            data.discrete->readSymbols(instances, attributes, expected.view());
            source.readSymbols(instances, attributes, found.view());
            EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), found.data()));
            const PlaneBlock expectedPlanes = data.discrete->readPlanes(instances, attributes);
            const PlaneBlock foundPlanes = source.readPlanes(instances, attributes);
            ASSERT_EQ(foundPlanes.stride(), expectedPlanes.stride());
            for (std::size_t i = 0; i < instances.size(); ++i)
                for (unsigned p = 0; p < shape.storedPlanes(); ++p)
                    EXPECT_TRUE(std::equal(expectedPlanes.plane(i, p),
                                           expectedPlanes.plane(i, p) + expectedPlanes.stride(),
                                           foundPlanes.plane(i, p)))
                        << i << ", " << p;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Kinds, PlaneSources,
                         ::testing::ValuesIn(kSampleKinds.begin(), kSampleKinds.end() - 2));

TEST_F(Agreement, SamplesFindWhatIsWrong) {
    const auto check = [&](const char* kind, Fault fault, std::size_t side) {
        const StudyInputs inputs{inputOf(kind, {9, 130}, 100)};
        const auto computation = ask(inputs, fault, CheckScope::Sampled, side);
        computation->run(progress_);
        const Comparison comparison = computation->check(progress_);
        return (comparison.agrees() ? "right: " : "WRONG: ") + comparison.verdict;
    };
    const std::string wrongSum = "WRONG: " + nameOf(SumTerm::SquaredDifference) + " of (";
    for (const std::size_t side : {1000, 4}) {
        EXPECT_EQ(check("gapped genotypes", Fault::None, side), "right: 36 pairs exact");
        EXPECT_EQ(check("protein", Fault::None, side), "right: 36 pairs exact");
        EXPECT_THAT(check("coordinates", Fault::None, side), StartsWith("right: "));
        EXPECT_EQ(check("coordinates", Fault::SmallSum, side), "right: 36 pairs within 1e-08");
        EXPECT_THAT(check("coordinates", Fault::LargeSum, side), StartsWith(wrongSum));
        EXPECT_THAT(check("coordinates", Fault::NoNumber, side), StartsWith(wrongSum));
        EXPECT_THAT(check("dna", Fault::OneCount, side), StartsWith("WRONG: differing attributes of ("));
        EXPECT_THAT(check("gapped genotypes", Fault::Opposite, side),
                    StartsWith("WRONG: opposite homozygotes of ("));
    }
    EXPECT_THAT(check("dna", Fault::OneCount, 1000), HasSubstr("of (8, 0): "));
}

TEST_F(Agreement, SamplesMissNoTile) {
    const StudyInputs inputs{inputOf("dna", {40, 10}, 5)};
    const auto computation = ask(inputs, Fault::None, CheckScope::Sampled);
    const Comparison before = computation->check(progress_);
    EXPECT_FALSE(before.agrees());
    EXPECT_EQ(before.verdict, "0 of 10 pairs were computed");
    computation->run(progress_);
    EXPECT_EQ(computation->check(progress_).verdict, "10 pairs exact");
    EXPECT_FALSE(computation->check(progress_).agrees()) << "one result, checked twice";
    const StudyInputs few{inputOf("dna", {1, 10}, 5)};
    EXPECT_TRUE(ask(few, Fault::None, CheckScope::Sampled)->check(progress_).agrees());
}

TEST_F(Agreement, NoResultServesTwice) {
    const StudyInputs inputs{inputOf("gapped genotypes", {9, 130})};
    const auto computation = ask(inputs, Fault::OnlyOnce, CheckScope::Sampled);
    computation->run(progress_);
    EXPECT_TRUE(computation->check(progress_).agrees());
    computation->run(progress_);
    EXPECT_FALSE(computation->check(progress_).agrees());
}

TEST_F(Agreement, TimesAreMeansOverTheInputs) {
    const StudyInputs inputs{inputOf("dna", {20, 100}), inputOf("dna", {20, 100})};
    const auto computation = ask(inputs, Fault::None, CheckScope::Sampled);
    const study::Outcome outcome = computation->run(progress_);
    EXPECT_EQ(computation->check(progress_).verdict, "380 pairs exact");
    EXPECT_EQ(outcome.variant, "serial");
    EXPECT_DOUBLE_EQ(outcome.work, 20 * 20 * 100 / 1e9);
    std::vector<std::string> names;
    for (const study::StageTime& stage : outcome.stages) names.push_back(stage.name);
    EXPECT_THAT(names, ElementsAre("pack", "upload", "compute", "download"));
    EXPECT_EQ(outcome.stages[2].work, outcome.work);
    EXPECT_GE(outcome.seconds, outcome.stages[0].seconds + outcome.stages[2].seconds);
}

TEST_F(Agreement, TheReferenceRunsOnce) {
    const auto input = inputOf("gapped genotypes", {30, 400});
    const auto first = pairProblem({input}, questionsAbout(input->data()).front());
    const auto second = pairProblem({input}, questionsAbout(input->data()).back());
    EXPECT_EQ(second->name(), "gapped genotypes, 30 × 400: differing, opposite, in common");
    EXPECT_EQ(second->dimensions(), (Dimensions{{"instances", 30}, {"attributes", 400}}));
    const Configuration configuration{
        .backend = "reference", .variant = "serial", .dialect = {}, .numberFormat = "counts"};
    for (study::Problem* problem : {first.get(), second.get()}) {
        const auto computation = problem->start(*backend_, configuration, CheckScope::Full, progress_);
        computation->run(progress_);
        EXPECT_TRUE(computation->check(progress_).isEqual);
    }
    EXPECT_GT(first->referenceSeconds(), 0);
    EXPECT_EQ(second->referenceSeconds(), 0);
}

TEST_F(Agreement, OfThePublishedFigure) {
    const study::PublishedFigure figure = publishedFigure();
    EXPECT_EQ(figure.id, "allpairs-figure-4");
    const auto problems = figure.problems(study::Scale::Quick, 1, progress_);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0]->dimensions(), (Dimensions{{"instances", 112}, {"attributes", 512}}));
    const std::vector<study::PublishedRow> rows = figure.rows(study::Scale::Published);
    std::vector<std::string> methods;
    for (const study::PublishedRow& row : rows) methods.push_back(row.method);
    EXPECT_THAT(methods,
                ElementsAre("CPU loop", "naive", "coalesced", "char4", "register", "shared", "cpu bitplane",
                            "gl scalar", "gl packed", "gl bits", "cuda reduction", "cuda texture",
                            "cuda constant", "cuda bitplane", "cuda bittensor", "cuda tensor"));
    EXPECT_EQ(rows[0].paperSeconds, 44.865);
    EXPECT_NEAR(rows[0].paperSeconds / rows[5].paperSeconds, 1725.6, 0.1);
    const auto seconds = [&rows](const std::string& key) {
        for (const study::PublishedRow& row : rows)
            if (row.key == key) return row.paperSeconds;
        ADD_FAILURE() << "a claim about " << key;
        return 0.0;
    };
    // Every claim holds for the paper's own times.
    for (const study::Claim& claim : figure.claims(study::Scale::Published)) {
        const auto* ratio = std::get_if<study::Ratio>(&claim.quantity);
        if (ratio == nullptr || claim.column == "gl" || claim.place == "Discussion") continue;
        EXPECT_GE(seconds(ratio->slow) / seconds(ratio->fast), claim.low.value()) << claim.text;
    }
    EXPECT_THAT(figure.claims(study::Scale::Published).front().otherwise,
                AllOf(HasSubstr("44,865 ms"), HasSubstr("6.99 µs"), HasSubstr("18,600 cycles")));

    // The loop, which no backend lists, returns the same results as the reference.
    ASSERT_TRUE(problems[0]->supports(*backend_, rows[0].configuration));
    const auto loop = problems[0]->start(*backend_, rows[0].configuration, CheckScope::Sampled, progress_);
    const study::Outcome outcome = loop->run(progress_);
    EXPECT_EQ(outcome.variant, "paper-loop");
    EXPECT_EQ(outcome.stages[2].name, rows[0].stage);
    EXPECT_GT(outcome.stages[2].seconds, 0);
    EXPECT_EQ(loop->check(progress_).verdict, "31,080 pairs exact");
}

/// Engines scale coordinates if squares would leave the range of the numbers.
TEST(DistanceProblems, OfExtremeCoordinatesAgree) {
    registerReference();
    HostBackend backend("cpu", 2);
    for (const double scale : {1e-200, 1e-30, 1.0, 1e30, 1e150, 1e200}) {
        Matrix<double> numbers(5, 3);
        for (std::size_t k = 0; k < numbers.size(); ++k)
            numbers.data()[k] = scale * std::sin(static_cast<double>(k * k));
        DataSet set;
        set.kind = DataKind::Coordinates;
        set.coordinates = std::move(numbers);
        const auto input = std::make_shared<StudyInput>(std::move(set));
        for (const PairQuestion& question : questionsAbout(input->data())) {
            const auto problem = pairProblem({input}, question);
            for (const char* format : {"float64", "float32"}) {
                const Configuration configuration{"cpu", "direct", {}, format};
                const auto computation =
                    problem->start(backend, configuration, CheckScope::Full, silentProgress());
                computation->run(silentProgress());
                const Comparison comparison = computation->check(silentProgress());
                EXPECT_TRUE(comparison.agrees())
                    << scale << ", " << format << ", " << question.name << ": " << comparison.place;
            }
        }
    }
}

TEST(PaperLoop, TakesWhatItCanCount) {
    registerReference();
    const auto backend = BackendRegistry::instance().create("reference", {});
    const auto refusal = [&](const RandomDataOptions& options) {
        const DataSet set = randomDataSet(options);
        const DataView data = set.view();
        const auto question = questionsAbout(data).front();
        return supportsRequest(*backend, requestFor(data, question.needs, Variant::PaperLoop)).reason();
    };
    EXPECT_EQ(refusal({.size = {112, 512}}), "");
    EXPECT_THAT(refusal({.size = {100000, 512}}), HasSubstr("32-bit"));
    EXPECT_THAT(refusal({.size = {112, 4294967296}}), HasSubstr("32-bit"));
    EXPECT_THAT(refusal({.size = {112, 512}, .missing = 0.1}), HasSubstr("complete data"));
    EXPECT_THAT(refusal({.kind = DataKind::Coordinates, .size = {2, 2}}), HasSubstr("complete data"));
}

TEST(PaperLoop, CountsBothWaysAndAdds) {
    const int data[] = {0, 1, 2, 0, 1, 1, 2, 1, 2};
    int distance[9] = {};
    reference::countAsInPaper(3, 3, data, distance);
    EXPECT_THAT(distance, ElementsAre(0, 1, 1, 1, 0, 2, 1, 2, 0));
    reference::countAsInPaper(3, 3, data, distance);
    EXPECT_EQ(distance[1], 2);
}

}  // namespace
}  // namespace glycine::distance
