#include "engine/algorithms/crossapen/study/bench_input.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/command/option_checks.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::crossapen {

namespace {

constexpr NameTable<TrialKind, 3> kTrialKinds{
    {{TrialKind::AllPairs, "all"}, {TrialKind::Cross, "cross"}, {TrialKind::Self, "self"}}};

using Extents = std::vector<std::size_t>;

/// The default shapes: some of a recording, trials as in the paper's Fig. 5, its study.
SignalShape defaultShape(TrialKind trials, bool isStudy) {
    if (isStudy) return {.channels = 148, .samples = 1024, .epochs = 49};
    if (trials == TrialKind::AllPairs) return {.channels = 32, .samples = 1024, .epochs = 4};
    return {.channels = trials == TrialKind::Cross ? std::size_t{2} : 1, .samples = 8192, .epochs = 50};
}

void checkOptions(const CLI::App& command, const BenchInputOptions& options, bool isStudy) {
    const auto isGiven = [&command](const char* option) { return command.count(option) > 0; };
    if (isGiven("--pairs") && isGiven("--channels"))
        throw UsageError("--pairs cross and self have two channels and one; give --channels or --pairs");
    if (isStudy && isGiven("--pairs"))
        throw UsageError("--study compares all pairs of channels; --pairs does not go with it");
    if (!options.file.empty()) {
        if (isStudy) throw UsageError("--study generates its subjects; --input does not go with it");
        for (const char* option : {"--channels", "--pairs", "--kind", "--coupling"})
            if (isGiven(option))
                throw UsageError(fmt::format("{} generates signals; give it or --input, not both", option));
    }
    const bool isList =
        options.channels.size() > 1 || options.samples.size() > 1 || options.epochs.size() > 1;
    if (isStudy && isList)
        throw UsageError("--study has one shape: one number for each of --channels, --samples and --epochs");
    if (!options.file.empty() && isList)
        throw UsageError("--epochs and --samples: a file is cut in one way; give one number");
}

void addExtents(CLI::App& command, const char* option, Extents& extents, const char* help) {
    command.add_option(option, extents, help)->type_name("N,…")->delimiter(',')->check(isPositive());
}

}  // namespace

TrialKind parseTrialKind(std::string_view name) {
    return valueOf("kind of pairs", name, kTrialKinds);
}

void addBenchInputOptions(CLI::App& command, BenchInputOptions& options) {
    addExtents(command, "--channels", options.channels, "Channels of an epoch (default: 32)");
    addExtents(command, "--samples", options.samples,
               "Samples of an epoch (default: 1024; with --pairs 8192), also of a file");
    addExtents(command, "--epochs", options.epochs,
               "Epochs (default: 4; with --pairs 50), or of a file at most");
    command
        .add_option("--pairs", options.pairs,
                    "all (default): all ordered pairs of the channels; cross: trials of two signals; self: "
                    "trials of one signal with itself")
        ->type_name("WHICH");
    command
        .add_option("--kind", options.kind,
                    "Signals: ar (default, as in EEG), white, henon, logistic, lorenz")
        ->type_name("KIND");
    command.add_option("--coupling", options.coupling, "Of neighbouring channels, 0 … 1 (default: 0.3)")
        ->type_name("K");
    command.add_option("--m", options.m, "Template length (default: 1)")->type_name("M")->check(isPositive());
    command.add_option("--r", options.r, "Tolerance in standard deviations (default: 0.2)")
        ->type_name("R")
        ->check(isNotNegative());
    command.add_option("--format", options.format, "float32 (default) or float64")->type_name("F");
    addSeedOption(command, options.seed, "signals");
    command.add_option("--input", options.file, "Time this recording, NPY matrix or table instead")
        ->type_name("FILE");
}

BenchInput::BenchInput(const CLI::App& command, const BenchInputOptions& options, bool isStudy)
    : options_(options),
      trials_(parseTrialKind(options.pairs)),
      format_(parseNumberFormat(options.format)),
      model_{parseSignalKind(options.kind), options.coupling} {
    checkOptions(command, options, isStudy);
    if (!(options.coupling >= 0 && options.coupling <= 1))
        throw UsageError(fmt::format("--coupling: expected 0 … 1, not {}", options.coupling));
    if (!options.file.empty()) return;
    const SignalShape usual = defaultShape(trials_, isStudy);
    const auto orUsual = [](const Extents& extents, std::size_t value) {
        return extents.empty() ? Extents{value} : extents;
    };
    for (const std::size_t samples : orUsual(options.samples, usual.samples)) {
        if (!isLongEnough(samples, options.m))
            throw UsageError(
                fmt::format("--samples: epochs of {} samples are too short for m = {}", samples, options.m));
        for (const std::size_t channels : orUsual(options.channels, usual.channels))
            for (const std::size_t epochs : orUsual(options.epochs, usual.epochs))
                shapes_.push_back({channels, samples, epochs});
    }
}

void BenchInput::read(Progress& progress) {
    if (options_.file.empty()) return;
    SignalLimits limits;
    if (!options_.epochs.empty()) limits.epochs = options_.epochs.front();
    if (!options_.samples.empty()) limits.samples = options_.samples.front();
    file_.emplace(options_.file, limits, progress);
    if (!isLongEnough(file_->samples(), options_.m))
        throw UsageError(
            fmt::format("--m: epochs of {} samples are too short for m = {}", file_->samples(), options_.m));
    shapes_ = {{file_->channels(), file_->samples(), file_->epochs()}};
}

EpochBatch BenchInput::make(std::size_t shape) const {
    const SignalShape& wanted = shapes_[shape];
    if (!file_) return generateBatch(format_, wanted, model_, options_.r, options_.seed);
    EpochBatch batch(format_, wanted.channels, wanted.samples);
    batch.resize(wanted.epochs, {&options_.r, 1});
    for (std::size_t e = 0; e < wanted.epochs; ++e) batch.setNormalised(e, file_->epoch(e));
    return batch;
}

std::string BenchInput::description() const {
    if (file_) return file_->description();
    return fmt::format("random signals, {}, coupling {}, seed {}; z-scored", toString(model_.kind),
                       model_.coupling, options_.seed);
}

std::string BenchInput::counting() const {
    const std::string what =
        "10⁹ comparisons of samples / s (minimum time): N² for every ordered pair that is delivered, as "
        "brute "
        "force takes them; equivalents where a variant takes fewer";
    switch (trials_) {
        case TrialKind::AllPairs:
            return what + "; channels² pairs an epoch";
        case TrialKind::Cross:
            return what +
                   "; 4 pairs a trial, u and v with each other both ways and each with itself, where "
                   "the paper counts one";
        case TrialKind::Self:
            return what + "; 1 pair a trial, as the paper counts it";
    }
    return what;
}

}  // namespace glycine::crossapen
