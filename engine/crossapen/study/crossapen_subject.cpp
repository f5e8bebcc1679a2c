#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/study/pair_problem.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/published.hpp"

namespace glycine::crossapen {

namespace {

/// Declares options for positive whole numbers: name with type, target, help, default.
auto counts(Options& options) {
    return [&options](const char* names, auto& target, const char* help, const char* usual) -> Option& {
        return options.value(names, target, help).positive().byDefault(usual);
    };
}

void refuseIf(bool isWrong, const std::string& why) {
    if (isWrong) throw UsageError(why);
}

std::vector<study::InputBytes> inputBytes(std::vector<EpochExtents> all, const std::vector<EpochInput>& made,
                                          const std::vector<std::string>& formats) {
    for (const EpochInput& input : made) all.push_back(input.extents());
    std::vector<study::InputBytes> inputs;
    for (const auto& [signals, answers, results] : bytesOfPairs(all, formats))
        inputs.push_back({signals, answers, results});
    return inputs;
}

class ValidationSet final : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        const auto add = counts(options);
        options.value(
            "IN,--input FILE", file_,
            "A recording, NPY matrix or table, cut into epochs and z-scored; generated signals if absent");
        add("--m M,…", plan_.m, "Template lengths", "1,2,3,5; of a file 1,2");
        options.value("--r R,…", plan_.r, "Tolerances, in standard deviations")
            .notNegative()
            .byDefault("0.2,0.6; of a file 0.2");
        add("--samples N,…", samples_, "Lengths of the epochs",
            "the shortest, 65, 131, 1025; of a file 1024");
        add("--channels C", channels_, "Channels of generated epochs; maximum for a file", "3; of a file 16")
            .readBy("input", {"file", "lengths"}, "files and epochs of lengths that --samples gives");
        add("--epochs E", epochs_, "Maximum number of epochs of a file", "2")
            .readBy("input", {"file"}, "files");
        isForGenerated(options.value("--seed S", plan_.seed, "Random seed of the generated signals"));
        options.footer(
            "Compares every available backend, variant, dialect and number format with the serial\n"
            "reference, in the statistics of every ordered pair of channels. Exit code 1 if any disagree;\n"
            "work that a variant does not support counts as declined.\n\n"
            "Examples:\n"
            "  glycine validate crossapen\n"
            "  glycine validate crossapen S001R01.edf --backend gl,cpu --m 1,2 --r 0.15,0.2");
    }
    void prepare(const Options& options, Progress& progress) override {
        file_.empty() ? generate(options) : readFile(options, progress);
        settings_.emplace_back(
            "compared",
            "counts, logarithms and templates without a match of all pairs, entropies of generated signals' "
            "patterns, and memory around");
        settings_.emplace_back("allowed",
                               "no difference; for memberships the rounding of their sums, for entropies of "
                               "patterns 1e-12");
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>& formats) const override {
        return inputBytes(file_.empty() ? validationExtents(plan_) : std::vector<EpochExtents>(), inputs_,
                          formats);
    }
    void makeInputs(Progress&) override {
        if (file_.empty()) inputs_ = makeValidationInputs(plan_);
    }
    std::size_t count() const override { return inputs_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        return pairProblem(std::move(inputs_[index]), plan_.seed);
    }
    Fields settings() const override { return settings_; }

  private:
    void readFile(const Options& options, Progress& progress) {
        requireFromFile(options);
        refuseIf(samples_.size() > 1, "--samples: a file is cut into epochs of one length; give one number");
        if (!options.isGiven("--m")) plan_.m = {1, 2};
        if (!options.isGiven("--r")) plan_.r = {0.2};
        inputs_ = readEpochInputs(file_, {channels_.value_or(16), {epochs_}, samples_}, plan_.m, plan_.r,
                                  settings_, progress);
    }
    void generate(const Options& options) {
        const char* const shapes = samples_.empty() ? "generated" : "lengths";
        options.requireReaders({"input", {"generated", shapes}, "signals are generated"});
        for (const std::size_t samples : samples_)
            plan_.extents.push_back({.channels = channels_.value_or(3), .samples = samples, .epochs = 2});
        settings_ = {
            {"input",
             fmt::format(
                 "generated: signals like EEG, distances of exactly r (≤ and <), outliers, no "
                 "matches, time delays, r of each pair, shifted and scaled signals, copies, patterns; m {}, "
                 "r {}, seed {}",
                 fmt::join(plan_.m, ", "), fmt::join(plan_.r, ", "), plan_.seed)}};
    }

    std::string file_;
    ValidationPlan plan_;
    std::optional<std::size_t> channels_;
    std::vector<std::size_t> samples_;
    std::size_t epochs_ = 2;
    std::vector<EpochInput> inputs_;
    Fields settings_;
};

/// Generated epochs of some shapes, a study, or a file.
class TimingSet final : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        const auto add = counts(options);
        SignalModel& model = plan_.model;
        EntropyOptions& entropy = plan_.options;
        const auto isForSignals = [](Option& option) -> Option& {
            return option.readBy("input", {"generated", "study"}, "generated inputs");
        };
        isForSignals(add("--channels N,…", channels_, "Channels per epoch", "32; with --study 148"))
            .readBy("pairs", {"all"}, "--pairs all");
        add("--samples N,…", samples_, "Samples per epoch, also of a file", "1024; with --pairs 8192");
        add("--epochs N,…", epochs_, "Number of epochs; maximum for a file",
            "4; with --pairs 50, with --study 49");
        isForGenerated(options.choice(
            "--pairs WHICH", trials_, kTrialNames,
            "all: all ordered pairs of the channels; cross: trials of two signals; self: trials of one "
            "signal with itself"));
        isForSignals(options.choice("--kind KIND", model.kind,
                                    "Signals: ar (as in EEG), white, henon, logistic, lorenz"));
        isForSignals(
            options.value("--coupling K", model.coupling, "Coupling of neighbouring channels, 0 to 1"))
            .within(0, 1)
            .readBy("channels", {"several"}, "several channels");
        options.value("--m M", entropy.rule.m, "Template length").positive();
        options.value("--r R", entropy.tolerance, "Tolerance in standard deviations").notNegative();
        options.choice("--precision P", entropy.format, "float32 or float64").formerly("--format");
        isForSignals(options.value("--seed S", plan_.seed, "Random seed of the generated signals"));
        options.value("--input FILE", file_, "Time this recording, NPY matrix or table instead")
            .readBy("input", {"file"}, "runs without --study");
        options.flag("--study", isStudy_,
                     "Match the recordings of many subjects in turn: 49 epochs of 148 channels and 1024 "
                     "samples each, as published");
        options.value("--subjects S", plan_.subjects, "Number of subjects of --study, as published")
            .positive()
            .onlyWith("--study");
        options.footer(
            "A result that fails its check gets no time, and exit code 1.\n\n"
            "Examples:\n"
            "  glycine bench crossapen --channels 8,64 --samples 1024,4096\n"
            "  glycine bench crossapen --backend gl --variant scalar,packed,bitset --dialect es300\n"
            "  glycine bench crossapen --study --backend cuda -o study.json\n"
            "  glycine bench crossapen --input S001R01.edf --m 2 --r 0.15");
    }
    void prepare(const Options& options, Progress& progress) override {
        checkOptions(options);
        const unsigned m = plan_.options.rule.m;
        if (!file_.empty()) {
            inputs_ = readEpochInputs(file_, {.epochs = epochs_, .samples = samples_}, {m},
                                      {plan_.options.tolerance}, about_, progress);
            return;
        }
        const EpochExtents& usual = isStudy_ ? plan_.extents : kTrialShapes[trials_].usual;
        if (channels_.empty()) channels_ = {usual.channels};
        if (samples_.empty()) samples_ = {usual.samples};
        if (epochs_.empty()) epochs_ = {usual.epochs};
        for (const std::size_t samples : samples_) {
            refuseIf(!isLongEnough(samples, m),
                     fmt::format("--samples: epochs of {} samples are too short for m = {}", samples, m));
            for (const std::size_t channels : channels_)
                for (const std::size_t epochs : epochs_) shapes_.push_back({channels, samples, epochs});
        }
        options.requireReaders(
            {"channels", {std::ranges::max(channels_) > 1 ? "several" : "one"}, "there is one"});
        plan_.extents = shapes_.front();
    }
    std::vector<study::InputBytes> bytes(const std::vector<std::string>& formats) const override {
        return inputBytes(shapes_, inputs_, formats);
    }
    std::vector<std::string> numberFormats() const override {
        return {std::string(toString(plan_.options.format))};
    }
    std::vector<std::string> inputFiles() const override {
        return file_.empty() ? std::vector<std::string>() : std::vector{file_};
    }
    std::size_t count() const override { return file_.empty() ? shapes_.size() : 1; }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        if (isStudy_) return studyProblem(plan_);
        EpochInput input{.options = plan_.options, .isFuzzy = areMemberships_};
        input.epochs = file_.empty() ? randomEpochs(plan_.model, shapes_[index], plan_.seed)
                                     : std::move(inputs_.front().epochs);
        return pairProblem(std::move(input), plan_.seed);
    }
    Fields settings() const override {
        Fields settings = about_;
        if (file_.empty())
            settings.emplace_back("input",
                                  fmt::format("random signals, {}, coupling {}, seed {}; z-scored",
                                              toString(plan_.model.kind), plan_.model.coupling, plan_.seed));
        settings.emplace_back("rule", fmt::format("m = {}, r = {}, {}", plan_.options.rule.m,
                                                  plan_.options.tolerance, toString(plan_.options.format)));
        settings.emplace_back(
            "total", std::string("on the clock, from normalised signals to match statistics in memory") +
                         (isStudy_ ? ", summed over the subjects as the stages are" : ""));
        settings.emplace_back("rates", fmt::format("brute-force comparisons in 10⁹ / s (minimum time): N² "
                                                   "for every ordered pair, of patterns N; {}",
                                                   kTrialShapes[trials_].delivered));
        settings.emplace_back("check",
                              isStudy_ ? "pairs of each subject by the reference, and checksums of all"
                                       : "pairs by the reference, all others as the first row found them");
        return settings;
    }

  private:
    void checkOptions(const Options& options) {
        const std::string variants =
            options.isGivenIfKnown("--variant") ? options.settings()["variant"].dump() : std::string();
        areMemberships_ = variants.find("membership") != std::string::npos;
        const bool arePatterns = variants.find("patterns") != std::string::npos;
        refuseIf((areMemberships_ || arePatterns) && (isStudy_ || variants.find(',') != std::string::npos),
                 "memberships and patterns are other work than matches: time --variant membership or "
                 "patterns alone, without --study");
        if (arePatterns) {
            plan_.options.measure = Measure::CrossPermEn;
            if (!options.isGiven("--m")) plan_.options.rule.m = PatternRule{}.m;
            if (!options.isGiven("--precision")) plan_.options.format = NumberFormat::Float64;
        }
        const bool isList = channels_.size() > 1 || samples_.size() > 1 || epochs_.size() > 1;
        options.requireReaders(
            {"pairs", {std::string(nameOf(trials_, kTrialNames))}, "trials have their own"});
        if (isStudy_)
            options.requireReaders({"input", {"study"}, "--study generates all pairs of its subjects"});
        refuseIf(isStudy_ && isList,
                 "--study has one shape: one number for each of --channels, --samples and --epochs");
        if (file_.empty()) return;
        requireFromFile(options);
        refuseIf(isList, "--epochs and --samples: a file is cut in one way; give one number");
    }

    std::vector<std::size_t> channels_, samples_, epochs_;
    std::size_t trials_ = 0;
    StudyPlan plan_;
    std::string file_;
    bool isStudy_ = false;
    bool areMemberships_ = false;
    std::vector<EpochExtents> shapes_;
    std::vector<EpochInput> inputs_;  ///< from the file
    Fields about_;
};

class CrossApEnSubject final : public study::SubjectOf<ValidationSet, TimingSet> {
  public:
    const Algorithm& algorithm() const override { return crossapen::algorithm(); }
    std::string unit() const override { return "of the value"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "epochs × channels × samples"; }
    std::vector<study::SweepStep> sweep() const override {
        const std::vector<std::string> few{"--channels", "8", "--epochs", "2"};
        std::vector<std::string> memberships = few;
        memberships.insert(memberships.end(), {"--variant", "membership"});
        return study::sweepOver("--samples", {"128,256,512", "1024,2048", "4096,8192"},
                                {{"matches", few}, {"memberships", memberships}});
    }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        return study::endToEndRunsOf(
            extent, {"--channels 8 --epochs 2", "--channels 64 --epochs 9", "--channels 148 --epochs 49"},
            {{"entropies", "signals -o in.edf {}", "crossapen in.edf -o out.npz"}});
    }
    std::vector<study::PublishedFigure> published() const override { return publishedFigures(); }
};

using study::Scale;
using Problems = std::vector<std::unique_ptr<study::Problem>>;

/// Trials of two signals of white noise.
Problems trialProblems(const std::vector<Json>& inputs, std::uint64_t seed) {
    Problems problems;
    for (const Json& one : inputs) {
        const EpochExtents extents{2, one.at("samples"), one.at("epochs")};
        EpochInput input{.name = fmt::format("{} × {}", extents.epochs, formatCount(extents.samples))};
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

/// Device facts about the paper's kernels.
std::map<std::string, double> factsOfKernels(Backend& backend, const Configuration& row) {
    const Implementation<MatchEngine>* const entry = findImplementation<MatchEngine>(backend);
    const auto use = entry->create(backend)->kernelOf(fromString<Variant>(row.variant));
    return use ? use->facts(row.variant) : std::map<std::string, double>{};
}

}  // namespace

std::unique_ptr<study::Subject> makeSubject() {
    return std::make_unique<CrossApEnSubject>();
}

std::vector<study::PublishedFigure> publishedFigures() {
    const study::PublishedData data("martinez-zarzuela");
    std::vector<study::PublishedFigure> figures = data.figures();
    for (study::PublishedFigure& figure : figures) {
        if (figure.id == "crossapen-figure-5") figure.deviceFacts = factsOfKernels;
        figure.problems = [data, id = figure.id](Scale scale, std::uint64_t seed, Progress&) {
            const std::vector<Json> inputs = data.inputs(id, scale);
            return inputs.empty() ? studyProblems(scale, seed) : trialProblems(inputs, seed);
        };
    }
    return figures;
}

}  // namespace glycine::crossapen
