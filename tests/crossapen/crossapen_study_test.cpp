// `crossapen` in the study harness, on the processor: generated inputs, agreement with the reference, sampled
// checks, the paper's loops, published figures, and `glycine validate|bench crossapen`.
#include "engine/crossapen/delayed_matches.hpp"
#include "engine/crossapen/study/pair_problem.hpp"
#include "engine/crossapen/verify_pairs.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/study/study_commands.hpp"
#include "tests/app/task_test.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

const study::Subject& subject() {
    static const std::unique_ptr<study::Subject> subject = makeSubject();
    return *subject;
}
CommandAction declareValidation(Options& options) {
    return study::declareValidate(subject(), options);
}
CommandAction declareBench(Options& options) {
    return study::declareBench(subject(), options);
}

/// How a test double of an engine goes wrong, in the last pair of the last epoch.
enum class Fault { None, OneMatch, LastBit, Unwritten, Stray };

/// The reference with one injected fault.
class FaultyMatchEngine final : public MatchEngine {
  public:
    explicit FaultyMatchEngine(Fault fault) : fault_(fault) {}
    Support supports(const MatchRequest& request) const override { return supportsShape(request); }
    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override {
        const MatrixView<MatchStatistics> last = statistics.back();
        const std::size_t channel = last.rows() - 1;
        MatchStatistics& pair = last(channel, channel);
        const MatchStatistics before = pair;
        HostBackend backend("reference", 1);
        const MatchOutcome outcome =
            reference::matchEngine().create(backend)->match(epochs, rule, variant, statistics, progress);
        if (fault_ == Fault::OneMatch) ++pair.matchesLong;
        if (fault_ == Fault::LastBit) ++pair.logShort;
        if (fault_ == Fault::Unwritten) pair = before;
        if (fault_ == Fault::Stray) *(&pair + 1) = pair;
        return outcome;
    }

  private:
    Fault fault_;
};

/// The reference's memberships, all scaled by one factor.
class InflatedMembershipEngine final : public MembershipEngine {
  public:
    explicit InflatedMembershipEngine(double factor) : factor_(factor) {}
    Support supports(const MembershipRequest& request) const override { return supportsMemberships(request); }
    MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                     std::span<const MatrixView<MembershipSums>> sums, Progress& progress) override {
        HostBackend backend("reference", 1);
        const MatchOutcome outcome =
            reference::membershipEngine().create(backend)->sum(epochs, rule, sums, progress);
        sums.back()(0, 0).longSum *= factor_;
        return outcome;
    }

  private:
    double factor_;
};

/// The processor's pattern entropies; the first is larger by some nats.
class ShiftedCounter final : public PatternEngine {
  public:
    explicit ShiftedCounter(double nats) : nats_(nats) {}
    Support supports(const PatternRequest& request) const override { return supportsPatterns(request); }
    MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                       std::span<const MatrixView<PatternEntropy>> results, Progress& progress) override {
        HostBackend backend("cpu", 1);
        const MatchOutcome outcome =
            cpu::patternEngine().create(backend)->count(items, rule, results, progress);
        results.front()(0, 0).nats += nats_;
        return outcome;
    }

  private:
    double nats_;
};

/// Registers the backends.
class CrossApEnTasks : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        runTask([](Options&) { return [](CommandContext&) { return 0; }; }, {});
    }

    /// The results of an engine for an input, computed inside guard zones.
    std::unique_ptr<PairWorkspace> resultsOf(AnyEngine engine, PairVerifier& input,
                                             const EntropyOptions& options) {
        auto workspace = makeWorkspace(std::move(engine), true);
        workspace->compute(input.batch(options).views(), options, progress_);
        return workspace;
    }
    std::vector<Matrix<MatchStatistics>> ask(const EpochInput& input, NumberFormat format) {
        EntropyOptions options = input.options;
        options.format = format;
        std::vector<Signals> epochs;
        for (const Matrix<double>& epoch : input.epochs) epochs.push_back(epoch.view());
        HostBackend backend("reference", 1);
        return fixtures::matchWith(reference::matchEngine(), backend, EpochBatch(epochs, options, 1).views(),
                                   options.rule, options.variant);
    }
    Comparison compareWhole(AnyEngine engine, const EpochInput& input, EntropyOptions options) {
        PairVerifier verifier(copyOf(input.epochs), 1);
        const auto results = resultsOf(std::move(engine), verifier, options);
        return verifier.compare(options, true, "engine", *results, progress_);
    }
    static std::vector<Matrix<double>> copyOf(const std::vector<Matrix<double>>& epochs) {
        std::vector<Matrix<double>> copies;
        for (const Matrix<double>& epoch : epochs) copies.push_back(epoch.clone());
        return copies;
    }

    Progress progress_;
};

EpochInput someInput(const EpochExtents& extents = {3, 40, 2}, unsigned m = 1) {
    EpochInput input;
    input.options.rule.m = m;
    input.epochs = randomEpochs({}, extents, 1);
    return input;
}

using Agreement = CrossApEnTasks;

TEST_F(Agreement, FindsAWrongStatistic) {
    const EpochInput input = someInput();
    const auto compare = [&](Fault fault) {
        return compareWhole(std::make_unique<FaultyMatchEngine>(fault), input, input.options);
    };
    EXPECT_TRUE(compare(Fault::None).isEqual);
    for (const Fault fault : {Fault::OneMatch, Fault::LastBit, Fault::Unwritten, Fault::Stray}) {
        const Comparison comparison = compare(fault);
        EXPECT_FALSE(comparison.isEqual) << static_cast<int>(fault);
        EXPECT_FALSE(comparison.agrees()) << static_cast<int>(fault);
        EXPECT_GT(comparison.largestDifference, 0) << static_cast<int>(fault);
    }
    EXPECT_THAT(compare(Fault::OneMatch).place, StartsWith("long matches of (2, 2) in epoch 1: "));
    EXPECT_THAT(compare(Fault::LastBit).place, StartsWith("logarithms of short matches of (2, 2)"));
    EXPECT_THAT(compare(Fault::Stray).place, HasSubstr("epoch 1, which were overwritten"));
}

TEST_F(Agreement, SeesTheLastBitOfLargeNumbers) {
    EpochInput input = someInput({1, 4500, 1});
    input.options.tolerance = 100;  // everything matches
    const LogSum sum = ask(input, NumberFormat::Float32)[0](0, 0).logShort;
    ASSERT_GT(sum, LogSum{1} << 55);
    ASSERT_EQ(static_cast<double>(sum), static_cast<double>(sum + 1));
    const Comparison comparison =
        compareWhole(std::make_unique<FaultyMatchEngine>(Fault::LastBit), input, input.options);
    EXPECT_FALSE(comparison.agrees());
    EXPECT_THAT(comparison.place, StartsWith("a last bit of (0, 0)"));
}

TEST_F(Agreement, MembershipsMayDifferByRounding) {
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
        EpochInput input = someInput({3, 40, 2}, 2);
        input.options.measure = Measure::CrossFuzzyEn;
        input.options.format = format;
        const auto compare = [&](double factor) {
            return compareWhole(std::make_unique<InflatedMembershipEngine>(factor), input, input.options);
        };
        const double allowed = membershipTolerance(fuzzyRule(input.options), format);
        EXPECT_TRUE(compare(1).isEqual);
        const Comparison close = compare(1 + allowed / 2);
        EXPECT_FALSE(close.isEqual);
        EXPECT_TRUE(close.agrees());
        EXPECT_NEAR(close.largestDifference, allowed / 2, allowed / 10);
        EXPECT_FALSE(compare(1 + 2 * allowed).agrees());
        EXPECT_FALSE(compare(std::numeric_limits<double>::quiet_NaN()).agrees());
    }
}

TEST_F(Agreement, EntropiesOfPatternsMayDifferByRounding) {
    std::size_t compared = 0;
    for (EpochInput& input : makeValidationInputs({})) {
        if (!isOfPatterns(input.options.measure)) continue;
        ++compared;
        input.options.format = NumberFormat::Float64;
        const auto compare = [&](double nats) {
            return compareWhole(std::make_unique<ShiftedCounter>(nats), input, input.options);
        };
        EXPECT_TRUE(compare(0).agrees()) << input.name << ": " << compare(0).place;
        const Comparison wrong = compare(1e-6);
        EXPECT_FALSE(wrong.agrees()) << input.name;
        EXPECT_THAT(wrong.place, StartsWith("entropy of (0, 0) in epoch 0: ")) << input.name;
    }
    EXPECT_GT(compared, 30U);
}

/// Returns the stored statistics.
class StoredMatches final : public MatchEngine {
  public:
    explicit StoredMatches(const std::vector<Matrix<MatchStatistics>>& stored) : stored_(stored) {}
    Support supports(const MatchRequest& request) const override { return supportsShape(request); }
    MatchOutcome match(std::span<const AnyEpoch>, const MatchRule&, Variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress&) override {
        for (std::size_t e = 0; e < stored_.size(); ++e)
            for (std::size_t a = 0; a < stored_[e].rows(); ++a)
                std::copy_n(stored_[e].row(a), stored_[e].columns(), statistics[e].row(a));
        return {};
    }
    std::optional<KernelUse> kernelOf(Variant) const override { return KernelUse{.threads = 256}; }

  private:
    const std::vector<Matrix<MatchStatistics>>& stored_;
};

TEST(DelayedKernel, IsThatOfTheEngineBelow) {
    static const std::vector<Matrix<MatchStatistics>> nothing;
    Implementation<MatchEngine> entry = reference::matchEngine();
    entry.create = [](Backend&) { return std::make_unique<StoredMatches>(nothing); };
    HostBackend backend("reference", 1);
    const auto use = withDelay(entry).create(backend)->kernelOf(Variant::Default);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->threads, 256U);
}

TEST_F(Agreement, OfLargeResultsIsSampledAndCompared) {
    const EpochInput input = someInput({9, 100, 6});
    auto results = ask(input, NumberFormat::Float32);
    const auto compare = [&](PairVerifier& verifier, const char* label) {
        const auto found = resultsOf(std::make_unique<StoredMatches>(results), verifier, input.options);
        return verifier.compare(input.options, false, label, *found, progress_);
    };
    PairVerifier verifier(copyOf(input.epochs), 1, 600);
    // Faults outside the sample show up only when a second result is compared with the first.
    EXPECT_THAT(compare(verifier, "first").verdict, "100 pairs exact");
    EXPECT_THAT(compare(verifier, "second").verdict, "100 pairs exact, all 486 as first");
    for (std::size_t e = 0; e < 6; ++e)
        for (std::size_t a = 0; a < 9; ++a)
            for (std::size_t b = 0; b < 9; ++b) {
                MatchStatistics& one = results[e](a, b);
                ++one.noLong;
                EXPECT_FALSE(compare(verifier, "second").agrees()) << e << ", " << a << ", " << b;
                --one.noLong;
            }
    PairVerifier whole(copyOf(input.epochs), 1);
    EXPECT_EQ(compare(whole, "first").verdict, "all 486 pairs exact");
    ++results[3](4, 5).noShort;
    const Comparison wrong = compare(whole, "first");
    EXPECT_FALSE(wrong.agrees());
    EXPECT_THAT(wrong.place, StartsWith("templates without a short match of (4, 5) in epoch 3"));
}

TEST_F(Agreement, IsThatOfEachMeasure) {
    const EpochInput input = someInput({3, 40, 2}, 3);
    PairVerifier verifier(copyOf(input.epochs), 1);
    HostBackend backend("reference", 1);
    for (const Measure measure : {Measure::CrossApEn, Measure::CrossPermEn, Measure::CrossSampEn}) {
        EntropyOptions options = input.options;
        options.measure = measure;
        const auto found = resultsOf(makeEngine(backend, measure), verifier, options);
        EXPECT_TRUE(verifier.compare(options, true, "reference", *found, progress_).agrees())
            << toString(measure);
    }
}

TEST(SecondsForRecount, AreThoseOfAllScales) {
    EntropyOptions one, three;
    three.scales = 3;
    EXPECT_DOUBLE_EQ(secondsForRecount(three, 300),
                     secondsForRecount(one, 300) + secondsForRecount(one, 150) + secondsForRecount(one, 100));
    one.measure = three.measure = Measure::PermEn;
    EXPECT_DOUBLE_EQ(secondsForRecount(three, 301),
                     secondsForRecount(one, 301) + secondsForRecount(one, 150) + secondsForRecount(one, 100));
}

class Inputs : public CrossApEnTasks {
  protected:
    static const EpochInput& find(const std::vector<EpochInput>& inputs, const std::string& name) {
        for (const EpochInput& input : inputs)
            if (input.name.rfind(name, 0) == 0) return input;
        throw std::logic_error("no input " + name);
    }
};

TEST_F(Inputs, AreWhatTheyAreCalled) {
    ValidationPlan plan;
    plan.extents = {{3, 50, 2}};
    const auto inputs = makeValidationInputs(plan);
    const EpochInput& ties = find(inputs, "ties at r, m 2");
    const EpochInput& strict = find(inputs, "ties at r, <, m 2");
    const EpochInput& separate = find(inputs, "no matches between channels, m 1");
    const EpochInput& pairs = find(inputs, "r of each pair, m 3");
    EXPECT_TRUE(strict.options.rule.isStrict);
    std::vector<Signals> epochs;
    for (const Matrix<double>& epoch : pairs.epochs) epochs.push_back(epoch.view());
    EntropyOptions options = pairs.options;
    options.format = NumberFormat::Float64;
    const EpochBatch batch(epochs, options, 1);
    const auto tolerance = std::get<Epoch<double>>(batch.views().front()).tolerance;
    EXPECT_EQ(tolerance.size(), 9U);
    EXPECT_NE(tolerance[1], tolerance[2]);
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
        const auto tied = ask(ties, format);
        // Distances of exactly r count in the tied input but not in the strict one.
        EXPECT_GT(tied[0](0, 1).matchesShort, ask(strict, format)[0](0, 1).matchesShort);
        const auto apart = ask(separate, format);
        EXPECT_EQ(apart[1](0, 1).matchesShort, 0U);
        EXPECT_EQ(apart[1](0, 1).noShort, 50U);
        EXPECT_GE(apart[1](1, 1).matchesLong, 49U);
    }
}

TEST_F(Inputs, HoldTheInvariances) {
    const auto inputs = makeValidationInputs({});
    ValidationPlan ofSteps;
    ofSteps.extents = {{3, 64, 1}};
    const auto steps = makeValidationInputs(ofSteps);
    for (const unsigned m : {1U, 2U, 3U, 5U}) {
        const EpochInput& moved = find(inputs, fmt::format("signals shifted and scaled, m {}", m));
        EpochInput plain = someInput({3, 64, 1}, m);
        plain.epochs = copyOf(find(steps, fmt::format("ties at r, m {}", m)).epochs);
        EXPECT_NE(moved.epochs[0](0, 0), plain.epochs[0](0, 0));
        const EpochInput& twins = find(inputs, fmt::format("a signal and its copy, m {}", m));
        EpochInput alone = someInput({1, 64, 1}, m);
        alone.epochs.clear();
        alone.epochs.emplace_back(twins.epochs[0].view().block(0, 0, 1, 64));
        for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64}) {
            const auto expected = ask(plain, format);
            const auto found = ask(moved, format);
            // Pairs of a signal with itself, as in ApEn.
            const auto self = ask(alone, format);
            const auto copies = ask(twins, format);
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b) {
                    EXPECT_EQ(found[0](a, b), expected[0](a, b)) << m << a << b;
                    if (a < 2 && b < 2) {
                        EXPECT_EQ(copies[0](a, b), self[0](0, 0)) << m << a << b;
                    }
                }
        }
    }
}

TEST_F(Inputs, CoverTheEdges) {
    std::size_t shortest = 0;
    std::size_t single = 0;
    std::size_t fuzzy = 0;
    for (const EpochInput& input : makeValidationInputs({})) {
        const EpochExtents extents = input.extents();
        EXPECT_TRUE(isLongEnough(extents.samples, input.options.rule.m)) << input.name;
        shortest += extents.samples == input.options.rule.m + 2;
        single += extents.channels == 1;
        fuzzy += input.isFuzzy;
    }
    EXPECT_GE(shortest, 4U * 4);
    EXPECT_GE(single, 4U * 4);
    EXPECT_GT(fuzzy, 20U);
    ValidationPlan tooShort;
    tooShort.m = {5};
    tooShort.extents = {{2, 6, 1}};
    for (const EpochInput& input : makeValidationInputs(tooShort))
        EXPECT_GE(input.extents().samples, 7U) << input.name;
}

TEST_F(CrossApEnTasks, ThePapersLoopsCountAsTheReferenceDoes) {
    for (const unsigned m : {1U, 2U, 3U})
        for (const std::size_t samples : {std::size_t{m} + 2, std::size_t{67}}) {
            EpochInput input = someInput({2, samples, 1}, m);
            const auto expected = ask(input, NumberFormat::Float32);
            for (const Variant variant : {Variant::PaperTwoSweeps, Variant::PaperOneSweep}) {
                input.options.variant = variant;
                const auto found = ask(input, NumberFormat::Float32);
                for (std::size_t pair = 0; pair < 4; ++pair)
                    EXPECT_EQ(found[0](pair / 2, pair % 2), expected[0](pair / 2, pair % 2))
                        << toString(variant) << ", m " << m << ", " << samples;
            }
        }
    for (const VariantInfo& info : reference::matchEngine().variants)
        EXPECT_THAT(info.name, Not(StartsWith("paper")));
}

TEST_F(CrossApEnTasks, ValidateComparesTheProcessor) {
    const TaskOutcome outcome =
        succeedTask(declareValidation, "--backend cpu --samples 9,40 --m 1,3 --json"_args);
    const Json json = outcome.json();
    EXPECT_EQ(json["algorithm"], "crossapen");
    EXPECT_EQ(json["agrees"], true);
    ASSERT_EQ(json["rows"].size(), 7U);
    for (const Json& row : json["rows"]) {
        EXPECT_EQ(row["backend"], "cpu");
        EXPECT_GE(row["inputs"], 10);
        EXPECT_TRUE(row["variant"] == "membership" || row["variant"] == "patterns" ||
                    row["equalToTheBit"] == row["inputs"]);
        EXPECT_EQ(row["disagreements"].size(), 0U);
    }
}

TEST_F(CrossApEnTasks, ValidateListsWhatDidNotRun) {
    const TaskOutcome outcome = runTask(declareValidation, "--backend cuda --samples 9"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, HasSubstr("nothing was compared"));
    EXPECT_THAT(outcome.out, HasSubstr("skipped: none here"));
    // The cpu declines templates longer than it supports. That is no failure.
    const TaskOutcome declined =
        succeedTask(declareValidation, "--backend cpu --variant merged --m 1,65 --samples 80"_args);
    EXPECT_THAT(declined.out, HasSubstr("declined)"));
}

TEST_F(CrossApEnTasks, ValidateTakesAFile) {
    const TemporaryFolder folder;
    const std::string file = (folder / "signals.npy").string();
    const Matrix<double> signals = randomSignals({}, 3, 2 * 1024, 5);
    io::writeNpy<double>(file, signals.view());
    const TaskOutcome outcome = succeedTask(
        declareValidation, {file, "--backend", "cpu", "--variant", "merged", "--channels", "2", "--json"});
    const Json json = outcome.json();
    EXPECT_THAT(json["settings"]["input"].get<std::string>(),
                HasSubstr("2 of 3 channels, 2 epochs of 1,024 samples"));
    ASSERT_EQ(json["rows"].size(), 2U);
    for (const Json& row : json["rows"]) EXPECT_EQ(row["equalToTheBit"], 2);  // m = 1 and 2
}

TEST_F(CrossApEnTasks, ValidateRefusals) {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        expectTaskRefused(declareValidation, arguments, message);
    };
    refused("in.npy --samples 9,10"_args, "one number");
    refused("in.npy --seed 9"_args, "not both");
    refused({"missing.npy"}, "missing.npy");
    refused("--epochs 3"_args, "--epochs is for files; signals are generated");
    refused("--channels 3"_args,
            "--channels is for files and epochs of lengths that --samples gives; signals are generated");
    refused("--m 0"_args, "--m");
    refused("--r -1"_args, "--r");
    refused("--backend metal"_args, "unknown backend");
    refused("--variant quick"_args, "unknown variant");
    refused("--precision half"_args, "unknown number format");
    refused("--dialects hlsl"_args, "unknown dialect");
    refused("--backend cpu --max-texture 8"_args, "--max-texture concerns gl");
}

TEST_F(CrossApEnTasks, BenchVerifiesAndReports) {
    const TemporaryFolder folder;
    const std::string file = (folder / "report.json").string();
    const TaskOutcome outcome =
        succeedTask(declareBench, {"--channels", "2,5", "--samples", "60", "--epochs", "2", "--backend",
                                   "reference,cpu,cuda", "--m", "2", "--repeats", "2", "-o", file, "--json"});
    const Json json = outcome.json();
    EXPECT_EQ(json, Json::parse(readFile(file)));
    EXPECT_EQ(json["rateUnit"], "G/s");
    ASSERT_EQ(json["rows"].size(), 6U);
    for (const Json& row : json["rows"]) {
        EXPECT_EQ(row["samples"], 60);
        EXPECT_EQ(row["epochs"], 2);
        if (row["backend"] == "cuda") {
            EXPECT_EQ(row["skipped"], "none here");
            EXPECT_FALSE(row.contains("seconds"));
            continue;
        }
        EXPECT_EQ(row["verified"], true);
        EXPECT_EQ(row["check"], row["channels"] == 2 ? "all 8 pairs exact" : "all 50 pairs exact");
        EXPECT_EQ(row["seconds"]["total"]["count"], 2);
        for (const char* stage : {"prepare", "upload", "compute", "download"})
            EXPECT_TRUE(row["seconds"].contains(stage)) << stage;
        EXPECT_GT(row["rates"]["total"]["best"], 0);
        EXPECT_NE(row["variant"], "default");
    }
    EXPECT_EQ(json["rows"][3]["channels"], 5);
    EXPECT_EQ(json["rows"][3]["ratioToFirst"], 1.0);
}

TEST_F(CrossApEnTasks, BenchCountsThePairsThatAreDelivered) {
    for (const auto& [pairs, count] : {std::pair("cross", 4.0), std::pair("self", 1.0)}) {
        const TaskOutcome outcome =
            succeedTask(declareBench, {"--pairs", pairs, "--samples", "50", "--epochs", "3", "--backend",
                                       "cpu", "--variant", "merged", "--repeats", "1", "--json"});
        const Json row = outcome.json()["rows"][0];
        const double work =
            row["rates"]["total"]["best"].get<double>() * row["seconds"]["total"]["min"].get<double>() * 1e9;
        EXPECT_NEAR(work, count * 3 * 50 * 50, 1) << pairs;
        EXPECT_THAT(outcome.json()["settings"]["rates"].get<std::string>(), HasSubstr("the paper counts"));
    }
}

TEST_F(CrossApEnTasks, BenchTimesMembershipsAndStudies) {
    const TaskOutcome fuzzy =
        succeedTask(declareBench, "--variant membership --backend cpu --samples 50 --channels 2 --json"_args);
    EXPECT_EQ(fuzzy.json()["rows"][0]["variant"], "membership");
    const TaskOutcome study =
        succeedTask(declareBench,
                    "--study --subjects 3 --epochs 2 --channels 4 --samples 64 --backend reference,cpu "
                    "--repeats 1 --json"_args);
    const Json json = study.json();
    ASSERT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["rows"][1]["subjects"], 3);
    EXPECT_THAT(json["rows"][1]["check"].get<std::string>(),
                AllOf(HasSubstr("each subject: "), HasSubstr("checksums as reference")));
    EXPECT_GT(json["rows"][1]["rates"]["total"]["best"], 0);
}

TEST_F(CrossApEnTasks, BenchRefusals) {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        expectTaskRefused(declareBench, arguments, message);
    };
    refused("--pairs some"_args, "cross");
    refused("--pairs cross --channels 4"_args, "--channels is for --pairs all; trials have their own");
    refused("--pairs self --coupling 0.5"_args, "--coupling is for several channels; there is one");
    refused("--channels 1 --coupling 0.5"_args, "--coupling is for several channels; there is one");
    refused("--kind square"_args, "logistic");
    refused("--coupling 2"_args, "0 to 1");
    refused("--precision half"_args, "float64");
    refused("--m 7 --samples 8"_args, "too short");
    for (const char* option : {"--channels", "--pairs", "--kind", "--coupling", "--seed"})
        refused({"--input", "x.npy", option,
                 option == std::string("--pairs")  ? "self"
                 : option == std::string("--kind") ? "white"
                                                   : "1"},
                "give it or a file, not both");
    refused("--input x.npy --study"_args, "--input is for runs without --study; --study generates");
    refused("--study --samples 64,128"_args, "one shape");
    refused("--study --pairs self"_args, "--pairs is for generated inputs; --study generates all pairs");
    refused("--subjects 3"_args, "--subjects needs --study");
    refused("--study --variant membership"_args, "memberships and patterns are other work");
    refused("--variant membership,merged --backend cpu"_args, "memberships and patterns are other work");
    refused("-o /nowhere/report.json"_args, "/nowhere");
    refused("--backend cpu --dialect es300"_args, "--dialect concerns gl");
}

TEST_F(CrossApEnTasks, FiguresGiveThePapersTimes) {
    std::vector<std::string> ids;
    for (const study::PublishedFigure& figure : publishedFigures()) {
        ids.push_back(figure.id);
        for (const study::Scale scale : {study::Scale::Published, study::Scale::Quick}) {
            const auto rows = figure.rows(scale);
            const auto find = [&](const std::string& key) -> const study::PublishedRow& {
                const auto found =
                    std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.key == key; });
                if (found == rows.end()) throw std::logic_error("no row " + key);
                return *found;
            };
            // Every claim refers to existing rows. Only table 1 compares the loops (`reference`) with others.
            for (const study::Claim& claim : figure.claims(scale))
                if (const auto* ratio = std::get_if<study::Ratio>(&claim.quantity)) {
                    EXPECT_TRUE(figure.id == "crossapen-table-1" ||
                                (find(ratio->slow).configuration.backend == "reference") ==
                                    (find(ratio->fast).configuration.backend == "reference"));
                } else if (const auto* exponent = std::get_if<study::Exponent>(&claim.quantity)) {
                    for (const std::string& key : exponent->rows) find(key);
                }
            if (figure.id == "crossapen-table-1") {
                EXPECT_EQ(find("6 cores").threads, 6);
                EXPECT_NEAR(find("6 cores").paperSeconds, 20.78724, 1e-9);
            }
            if (figure.id == "crossapen-study") {
                EXPECT_EQ(rows[0].paperSeconds, 5 * 24 * 3600);
                EXPECT_EQ(find("cuda default 0").paperSeconds, 30 * 60);
                EXPECT_NEAR(rows[0].paperWork, 3.38e4, 0.01e4);
            }
        }
    }
    EXPECT_THAT(ids, ElementsAre("crossapen-figure-4", "crossapen-figure-5", "crossapen-figure-6",
                                 "crossapen-table-1", "crossapen-study"));
}

TEST_F(CrossApEnTasks, ReproduceMeasuresATable) {
    const TemporaryFolder folder;
    const std::string png = (folder / "table.png").string();
    const TaskOutcome outcome = succeedTask(
        study::declareReproduce,
        {"crossapen-table-1", "--quick", "--backend", "cpu,cuda", "--repeats", "1", "-o", png, "--json"});
    const Json report = outcome.json();
    for (const Json& row : report.at("rows")) {
        const bool isMeasured = row.contains("seconds");
        EXPECT_TRUE(!isMeasured || row["verified"] == true) << row;
        EXPECT_TRUE(isMeasured || row.contains("skipped")) << row;
    }
    EXPECT_THAT(readFile(png), StartsWith("\x89PNG"));
    expectTaskRefused(study::declareReproduce, "crossapen-table-1 --backend metal"_args, "metal");
    expectTaskRefused(study::declareReproduce, "crossapen-table-1 -o figure.jpg"_args, ".png");
}

TEST_F(CrossApEnTasks, AStudyCountsAllSubjects) {
    StudyPlan plan;
    plan.subjects = 2;
    plan.extents = {.channels = 3, .samples = 70, .epochs = 2};
    const auto problem = studyProblem(plan);
    Configuration configuration;
    configuration.backend = "cpu";
    configuration.variant = "default";
    configuration.numberFormat = "float32";
    HostBackend backend("cpu", 2);
    ASSERT_TRUE(problem->supports(backend, configuration));
    const auto computation = problem->start(backend, configuration, study::CheckScope::Sampled, progress_);
    for (const char* run : {"first", "second"}) {
        const study::Outcome outcome = computation->run(progress_);
        EXPECT_DOUBLE_EQ(outcome.work, 2.0 * 2 * 3 * 3 * 70 * 70 / 1e9) << run;
        EXPECT_GT(outcome.seconds, 0);
        EXPECT_NE(outcome.variant, "default");
        EXPECT_THAT(outcome.note, HasSubstr("the signals"));
        EXPECT_TRUE(computation->check(progress_).isEqual) << run;
    }
}

}  // namespace
}  // namespace glycine::crossapen
