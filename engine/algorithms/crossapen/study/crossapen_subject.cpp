#include "engine/algorithms/crossapen/study/crossapen_subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "engine/algorithms/crossapen/crossapen_algorithm.hpp"
#include "engine/algorithms/crossapen/input/signals.hpp"
#include "engine/algorithms/crossapen/study/pair_problem.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::crossapen {

namespace {

/// Epochs of a generated input whose length was asked for.
constexpr std::size_t kGeneratedEpochs = 2;

/// The first channels of the first epochs of a file, neither resampled nor filtered; "at most" where limits
/// are given.
struct FileEpochs {
    FileEpochs() = default;
    FileEpochs(const std::string& path, std::optional<std::size_t> mostChannels,
               std::optional<std::size_t> mostEpochs, const std::vector<std::size_t>& samples,
               const std::vector<unsigned>& m, Progress& progress) {
        SignalOptions options;
        options.maximumEpochs = mostEpochs;
        if (!samples.empty()) options.epochSamples = samples.front();
        const SignalSet set = readSignals(path, options, progress);
        for (const unsigned one : m)
            if (!isLongEnough(set.epochSamples, one))
                throw UsageError(
                    fmt::format("--m: epochs of {} samples are too short for m = {}", set.epochSamples, one));
        const std::size_t channels =
            std::min(set.channels.size(), mostChannels.value_or(set.channels.size()));
        for (std::size_t e = 0; e < set.epochs.size(); ++e)
            epochs.emplace_back(set.epoch(e).block(0, 0, channels, set.epochSamples));
        settings.emplace_back("input", fmt::format("{} ({}): {} of {}, {} of {}", set.name, set.description,
                                                   channels, formatCount(set.channels.size(), "channel"),
                                                   formatCount(epochs.size(), "epoch"),
                                                   formatCount(set.epochSamples, "sample")));
        if (!set.notes.empty()) settings.emplace_back("notes", fmt::format("{}", fmt::join(set.notes, "\n")));
    }
    PairInput input(unsigned m, double r) const {
        PairInput input;
        input.name = fmt::format("m {}, r {}", m, r);
        input.options.rule.m = m;
        input.options.tolerance = r;
        input.isFuzzy = r > 0;
        for (const Matrix<double>& epoch : epochs) input.epochs.push_back(epoch.clone());
        return input;
    }

    std::vector<Matrix<double>> epochs;
    Fields settings;  ///< what is to be said about them
};

class ValidationSet final : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        options
            .value(
                "IN,--input", file_,
                "A recording, NPY matrix or table, cut into epochs and z-scored; generated signals if absent")
            .type("FILE");
        options.value("--m", plan_.m, "Template lengths")
            .type("M,…")
            .positive()
            .byDefault("1,2,3,5; of a file 1,2");
        options.value("--r", plan_.r, "Tolerances, in standard deviations")
            .type("R,…")
            .notNegative()
            .byDefault("0.2,0.6; of a file 0.2");
        options.value("--samples", samples_, "Lengths of the epochs")
            .type("N,…")
            .positive()
            .byDefault("the shortest, 65, 131, 1025; of a file 1024");
        options.value("--channels", channels_, "Channels of generated epochs, or of a file at most")
            .type("C")
            .positive()
            .byDefault("3; of a file 16");
        options.value("--epochs", epochs_, "Epochs of a file at most").type("E").positive();
        options.value("--seed", plan_.seed, "Which signals are generated").type("S");
        options.footer(
            "Every available backend, variant, dialect and number format is compared with the serial "
            "reference, the\n"
            "statistics of every ordered pair of channels with its own. Exit code 1 when one of them "
            "disagrees; "
            "what a\n"
            "variant is not made for counts as declined.\n\n"
            "Examples:\n"
            "  glycine validate crossapen\n"
            "  glycine validate crossapen S001R01.edf --backend gl,cpu --m 1,2 --r 0.15,0.2\n"
            "  glycine validate crossapen --samples 5000 --channels 2 --m 1 --backend gl --max-texture 1024");
    }
    void prepare(const Options& options, Progress& progress) override {
        if (!file_.empty()) {
            if (options.isGiven("--seed"))
                throw UsageError("--seed generates inputs; give it or IN, not both");
            if (samples_.size() > 1)
                throw UsageError("--samples: a file is cut into epochs of one length; give one number");
            if (!options.isGiven("--m")) plan_.m = {1, 2};
            if (!options.isGiven("--r")) plan_.r = {0.2};
            const FileEpochs file(file_, channels_.value_or(16), epochs_, samples_, plan_.m, progress);
            settings_ = file.settings;
            for (const unsigned m : plan_.m)
                for (const double r : plan_.r) inputs_.push_back(file.input(m, r));
            return;
        }
        if (options.isGiven("--epochs")) throw UsageError("--epochs limits a file; give IN with it");
        if (options.isGiven("--channels") && samples_.empty())
            throw UsageError("--channels needs --samples, the lengths of the generated epochs, or a file");
        for (const std::size_t samples : samples_)
            plan_.extents.push_back({channels_.value_or(3), samples, kGeneratedEpochs});
        inputs_ = makeValidationInputs(plan_);
        settings_ = {
            {"input",
             fmt::format("generated: signals like EEG, distances of exactly r (≤ and <), outliers, no "
                         "matches, r of each pair, shifted and scaled signals, copies; m {}, r {}, seed {}",
                         fmt::join(plan_.m, ", "), fmt::join(plan_.r, ", "), plan_.seed)}};
    }
    std::vector<std::string> inputFiles() const override {
        return file_.empty() ? std::vector<std::string>() : std::vector{file_};
    }
    std::size_t count() const override { return inputs_.size(); }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        return pairProblem(std::move(inputs_[index]), plan_.seed);
    }
    Fields settings() const override {
        Fields settings = settings_;
        settings.emplace_back(
            "compared",
            "all match counts, their logarithms and templates without a match of all ordered "
            "pairs, and what lies around them in memory");
        settings.emplace_back("allowed", "no difference; for memberships the rounding of their sums");
        return settings;
    }

  private:
    std::string file_;
    ValidationPlan plan_;
    std::optional<std::size_t> channels_;
    std::vector<std::size_t> samples_;
    std::size_t epochs_ = 2;
    std::vector<PairInput> inputs_;
    Fields settings_;
};

/// What an epoch is.
enum class TrialKind {
    AllPairs,  ///< all ordered pairs of the channels
    Cross,     ///< two signals, as in the paper's trials: four ordered pairs
    Self       ///< one signal with itself: the single sweep that the paper counts for a trial
};
constexpr NameTable<TrialKind, 3> kTrialKinds{
    {{TrialKind::AllPairs, "all"}, {TrialKind::Cross, "cross"}, {TrialKind::Self, "self"}}};

/// Generated epochs of some shapes, a study, or a file.
class TimingSet final : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        options.value("--channels", channels_, "Channels of an epoch")
            .type("N,…")
            .positive()
            .byDefault("32; with --study 148");
        options.value("--samples", samples_, "Samples of an epoch, also of a file")
            .type("N,…")
            .positive()
            .byDefault("1024; with --pairs 8192");
        options.value("--epochs", epochs_, "Epochs, or of a file at most")
            .type("N,…")
            .positive()
            .byDefault("4; with --pairs 50, with --study 49");
        options
            .choice(
                "--pairs", trials_, kTrialKinds,
                "all: all ordered pairs of the channels; cross: trials of two signals; self: trials of one "
                "signal with itself")
            .type("WHICH");
        options
            .named("--kind", plan_.model.kind, parseSignalKind,
                   "Signals: ar (as in EEG), white, henon, logistic, lorenz")
            .type("KIND");
        options.value("--coupling", plan_.model.coupling, "Of neighbouring channels, 0 … 1")
            .type("K")
            .within(0, 1);
        options.value("--m", plan_.options.rule.m, "Template length").type("M").positive();
        options.value("--r", plan_.options.tolerance, "Tolerance in standard deviations")
            .type("R")
            .notNegative();
        options.named("--format", plan_.options.format, parseNumberFormat, "float32 or float64").type("F");
        options.value("--seed", plan_.seed, "Which signals are generated").type("S");
        options.value("--input", file_, "Time this recording, NPY matrix or table instead").type("FILE");
        options.flag(
            "--study", isStudy_,
            "Match the recordings of many subjects one after another: 49 epochs of 148 channels and 1024 "
            "samples each, as published");
        options.value("--subjects", plan_.subjects, "Of --study, as published").type("S").positive();
        options.footer(
            "A result that fails its check gets no time and exit code 1.\n\n"
            "Examples:\n"
            "  glycine bench crossapen --channels 8,64 --samples 1024,4096\n"
            "  glycine bench crossapen --pairs cross --backend cpu,cuda\n"
            "  glycine bench crossapen --backend gl --variant scalar,packed,bitset --dialect es300\n"
            "  glycine bench crossapen --study --backend cuda -o study.json\n"
            "  glycine bench crossapen --input S001R01.edf --m 2 --r 0.15");
    }
    void prepare(const Options& options, Progress& progress) override {
        checkOptions(options);
        const unsigned m = plan_.options.rule.m;
        if (!file_.empty()) {
            fileEpochs_ =
                FileEpochs(file_, {}, epochs_.empty() ? std::optional<std::size_t>() : epochs_.front(),
                           samples_, {m}, progress);
            return;
        }
        EpochExtents usual{.channels = 32, .samples = 1024, .epochs = 4};
        if (trials_ != TrialKind::AllPairs)
            usual = {trials_ == TrialKind::Cross ? std::size_t{2} : 1, 8192, 50};
        if (isStudy_) usual = plan_.extents;
        if (channels_.empty()) channels_ = {usual.channels};
        if (samples_.empty()) samples_ = {usual.samples};
        if (epochs_.empty()) epochs_ = {usual.epochs};
        for (const std::size_t samples : samples_) {
            if (!isLongEnough(samples, m))
                throw UsageError(
                    fmt::format("--samples: epochs of {} samples are too short for m = {}", samples, m));
            for (const std::size_t channels : channels_)
                for (const std::size_t epochs : epochs_) shapes_.push_back({channels, samples, epochs});
        }
    }
    std::vector<std::string> numberFormats() const override {
        return {std::string(toString(plan_.options.format))};
    }
    std::vector<std::string> inputFiles() const override {
        return file_.empty() ? std::vector<std::string>() : std::vector{file_};
    }
    std::size_t count() const override { return file_.empty() ? shapes_.size() : 1; }
    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        if (isStudy_) {
            StudyPlan plan = plan_;
            plan.extents = shapes_.front();
            return studyProblem(plan);
        }
        PairInput input;
        input.epochs = file_.empty() ? randomEpochs(plan_.model, shapes_[index], plan_.seed)
                                     : std::move(fileEpochs_.epochs);
        input.options = plan_.options;
        input.isFuzzy = true;
        return pairProblem(std::move(input), plan_.seed);
    }
    Fields settings() const override {
        Fields settings = fileEpochs_.settings;
        if (file_.empty())
            settings.emplace_back("input",
                                  fmt::format("random signals, {}, coupling {}, seed {}; z-scored",
                                              toString(plan_.model.kind), plan_.model.coupling, plan_.seed));
        settings.emplace_back("rule", fmt::format("m = {}, r = {}, {}", plan_.options.rule.m,
                                                  plan_.options.tolerance, toString(plan_.options.format)));
        settings.emplace_back(
            "total", isStudy_ ? "on the clock, from normalised signals to match statistics in memory, summed "
                                "over the subjects as the stages are"
                              : "on the clock, from normalised signals to match statistics in memory");
        constexpr const char* kDelivered[] = {"channels² pairs an epoch",
                                              "4 pairs a trial, u and v with each other both ways and each "
                                              "with itself, where the paper counts one",
                                              "1 pair a trial, as the paper counts it"};
        settings.emplace_back(
            "rates",
            fmt::format("10⁹ comparisons of samples / s (minimum time): N² for every ordered pair that is "
                        "delivered, as brute force takes them; equivalents where a variant takes fewer; {}",
                        kDelivered[static_cast<int>(trials_)]));
        settings.emplace_back(
            "check", isStudy_ ? "pairs of each subject matched again by the reference, and checksums of all"
                              : "pairs of the first and the last result matched again by the reference, all "
                                "others as the first row found them");
        return settings;
    }

  private:
    void checkOptions(const Options& options) const {
        const std::string variants =
            options.isGivenIfKnown("--variant") ? options.settings()["variant"].dump() : std::string();
        if (variants.find("membership") != std::string::npos &&
            (isStudy_ || variants.find(',') != std::string::npos))
            throw UsageError(
                "memberships are other work than matches: time --variant membership alone, without --study");
        const bool isList = channels_.size() > 1 || samples_.size() > 1 || epochs_.size() > 1;
        const bool hasPairs = options.isGiven("--pairs");
        if (hasPairs && !channels_.empty())
            throw UsageError("--pairs cross and self have two channels and one; give --channels or --pairs");
        if (options.isGiven("--subjects") && !isStudy_) throw UsageError("--subjects goes with --study");
        if (isStudy_ && hasPairs)
            throw UsageError("--study compares all pairs of channels; --pairs does not go with it");
        if (isStudy_ && !file_.empty())
            throw UsageError("--study generates its subjects; --input does not go with it");
        if (isStudy_ && isList)
            throw UsageError(
                "--study has one shape: one number for each of --channels, --samples and --epochs");
        if (file_.empty()) return;
        for (const char* option : {"--channels", "--pairs", "--kind", "--coupling"})
            if (options.isGiven(option))
                throw UsageError(fmt::format("{} generates signals; give it or --input, not both", option));
        if (isList) throw UsageError("--epochs and --samples: a file is cut in one way; give one number");
    }

    std::vector<std::size_t> channels_;
    std::vector<std::size_t> samples_;
    std::vector<std::size_t> epochs_;
    TrialKind trials_ = TrialKind::AllPairs;
    StudyPlan plan_;
    std::string file_;
    bool isStudy_ = false;
    std::vector<EpochExtents> shapes_;
    FileEpochs fileEpochs_;
};

class CrossApEnSubject final : public study::Subject {
  public:
    const Algorithm& algorithm() const override { return crossapen::algorithm(); }
    std::string unit() const override { return "of the value"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "epochs × channels × samples"; }
    std::unique_ptr<study::ProblemSet> validationProblems() const override {
        return std::make_unique<ValidationSet>();
    }
    std::unique_ptr<study::ProblemSet> timingProblems() const override {
        return std::make_unique<TimingSet>();
    }
    std::vector<study::PublishedFigure> published() const override { return publishedFigures(); }
};

}  // namespace

std::unique_ptr<study::Subject> makeSubject() {
    return std::make_unique<CrossApEnSubject>();
}

}  // namespace glycine::crossapen
