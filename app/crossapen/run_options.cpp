#include "app/crossapen/run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

#include "engine/command/command_context.hpp"
#include "engine/command/legacy_options.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"

namespace glycine::crossapen {

namespace {

enum class Header { Automatic, Yes, No };
constexpr NameTable<Header, 3> kHeaders{
    {{Header::Automatic, "auto"}, {Header::Yes, "yes"}, {Header::No, "no"}}};

void addEntropyOptions(CLI::App& command, RunOptions& options) {
    const char* group = "Entropy";
    command
        .add_option("--measure", options.measure,
                    "crossapen (default), crosssampen or crossfuzzyen of channel pairs; apen or sampen of "
                    "single channels")
        ->type_name("M")
        ->group(group);
    command.add_option("--m", options.m, "Length of the templates in samples (default: 1, as in the study)")
        ->type_name("M")
        ->check(isPositive())
        ->group(group);
    command
        .add_option(
            "--r", options.r,
            "Tolerance as a fraction of the standard deviation of each channel and epoch (default: 0.2)")
        ->type_name("R")
        ->check(isPositive())
        ->group(group);
    command
        .add_flag("--absolute", options.absolute,
                  "--r is in the unit of the signals, which are not normalised")
        ->group(group);
    command
        .add_option(
            "--bias", options.bias,
            "Templates without a match, in approximate entropies: max (default), 0, max-short (as max, "
            "with 1 / (N - m)), none (the entropy is undefined). 0 and max are always written too")
        ->type_name("B")
        ->group(group);
    command.add_option("--sd", options.deviation, "Divisor in the standard deviation: n-1 (default), n")
        ->type_name("D")
        ->group(group);
    command.add_flag("--strict", options.strict, "A distance of exactly r is no match (< in place of <=)")
        ->group(group);
    command
        .add_option("--n", options.power,
                    "Power of the membership exp(-d^n / r) of crossfuzzyen (default: 2)")
        ->type_name("N")
        ->check(isPositive())
        ->group(group);
    command
        .add_option("--convention", options.convention,
                    "paper (default), or entropyhub: the numbers of that package's XApEn, XSampEn, XFuzzEn")
        ->type_name("C")
        ->group(group);
    command
        .add_option(
            "--format", options.format,
            "Format in which samples are compared: float32 (default, as in the study), float64 (default "
            "for entropyhub)")
        ->type_name("F")
        ->group(group);
}

void addSignalOptions(CLI::App& command, RunOptions& options) {
    const char* group = "Signals";
    const auto addList = [&](const char* name, std::vector<std::string>& list, const char* text) {
        command.add_option(name, list, text)
            ->type_name("NAME,...")
            ->delimiter(',')
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->group(group);
    };
    addList("--channels", options.channels, "Channels, in this order; * and ? stand for other characters");
    addList("--types", options.types,
            "Only channels of these types, as their labels give them: EEG, EOG, ...");
    addList("--exclude", options.excluded, "Channels to leave out; * and ? as above");
    command.add_option("--epoch", options.epoch, "Samples of an epoch, after resampling (default: 1024)")
        ->type_name("N")
        ->check(isPositive())
        ->group(group);
    command.add_option("--epochs", options.epochs, "At most so many epochs of each file (default: all)")
        ->type_name("N")
        ->check(isPositive())
        ->group(group);
    command.add_option("--resample", options.resample, "Bring all channels to this sampling rate")
        ->type_name("HZ")
        ->check(isPositive())
        ->group(group);
    command
        .add_option("--band", options.band,
                    "Zero-phase band pass before epochs are cut: 0.5-40 as in the study; 0-40: low pass")
        ->type_name("LOW-HIGH")
        ->group(group);
    command
        .add_option(
            "--artefacts", options.artefacts,
            "Table of what to leave out: columns epoch, or onset and duration in seconds; with a column "
            "file each line is for one file, else for all")
        ->type_name("FILE")
        ->group(group);
    addList("--artefact-annotations", options.artefactAnnotations,
            "Leave out epochs that touch annotations with these texts; * and ? as above");
    command.add_option("--rate", options.rate, ".npy and tables: sampling rate of the signals")
        ->type_name("HZ")
        ->check(isPositive())
        ->group(group);
    command
        .add_option("--header", options.header,
                    "Tables: whether the first line holds channel names: auto (default), yes, no")
        ->type_name("H")
        ->group(group);
    command
        .add_flag("--transpose", options.transpose,
                  ".npy: samples are rows, channels columns; tables: channels are lines")
        ->group(group);
}

void addResultOptions(CLI::App& command, RunOptions& options) {
    const char* group = "Results";
    command.add_flag("--per-epoch", options.perEpoch, "Also write the entropies of every epoch")
        ->group(group);
    command
        .add_flag("--square", options.square,
                  ".csv: the matrix with channel names in place of one line for each pair")
        ->group(group);
    command
        .add_option(
            "--groups", options.groups,
            "Table with the columns file and group: also compare the groups, channel pair by channel pair")
        ->type_name("FILE")
        ->group(group);
    command.add_option("--alpha", options.alpha, "Level of the comparisons of groups (default: 0.01)")
        ->type_name("P")
        ->check(CLI::Range(0.0, 1.0))
        ->group(group);
}

/// "0.5-40".
Band parseBand(const std::string& text) {
    Band band;
    const char* end = text.data() + text.size();
    const auto low = std::from_chars(text.data(), end, band.low);
    const bool hasLow = low.ec == std::errc() && low.ptr != end && *low.ptr == '-';
    const auto high = hasLow ? std::from_chars(low.ptr + 1, end, band.high) : low;
    if (!hasLow || high.ec != std::errc() || high.ptr != end || !(band.low >= 0 && band.low < band.high))
        throw UsageError(
            fmt::format("--band {}: expected two frequencies in Hz, the lower one first: 0.5-40", text));
    return band;
}

}  // namespace

void addRunOptions(CLI::App& command, RunOptions& options) {
    command
        .add_option(
            "FILE", options.inputs,
            "Recordings: EDF, EDF+, BDF, BrainVision (.vhdr), .npy (channels x samples), tables (.csv, "
            ".tsv, also .gz: a column for each channel)")
        ->required();
    command
        .add_option("-o,--output", options.outputs,
                    "A folder for everything, or files by their ending: .npz, .npy (one input), .csv, .json, "
                    ".png, .svg, .pdf; can be given several times")
        ->type_name("OUT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->required();
    command.add_flag("--json", options.json, "Print the report as one JSON object");
    addEntropyOptions(command, options);
    addSignalOptions(command, options);
    addResultOptions(command, options);
    const char* how = "Computation";
    addBackendChoice(command, options.backend, options.variant);
    command
        .add_flag("--restart", options.restart,
                  "Forget what a stopped run has left (default: go on from there)")
        ->group(how);
    addBackendOptions(command, options.device);
    command.footer(
        "Row of a matrix: channel of the templates (u); column: partner (v); the element is the entropy of "
        "(v||u). Long runs keep finished epochs; after a stop the same command goes on from there.\n\n"
        "Examples:\n"
        "  glycine crossapen S001R01.edf -o S001R01.npz -o S001R01.png\n"
        "  glycine crossapen rest/*.edf -o results --band 0.5-40 --types EEG --groups groups.csv\n"
        "  glycine crossapen meg.vhdr -o out --resample 169.549 --m 2 --bias 0 --per-epoch\n"
        "  glycine crossapen x.csv -o x.csv.npz --convention entropyhub --m 2");
}

void checkRunOptions(const CLI::App& command, const RunOptions& options) {
    const auto isGiven = [&](const char* name) { return command.count(name) > 0; };
    const bool isApproximate = options.measure == "crossapen" || options.measure == "apen";
    if (isGiven("--bias") && (!isApproximate || options.convention != "paper"))
        throw UsageError("--bias is for crossapen and apen in the paper's convention");
    if (isGiven("--n") && options.measure != "crossfuzzyen")
        throw UsageError("--n is the power in the memberships of crossfuzzyen");
    if (isGiven("--sd") && (options.absolute || options.convention != "paper"))
        throw UsageError("--sd is about normalisation, and the signals stay as they are");
    if (isGiven("--alpha") && options.groups.empty())
        throw UsageError("--alpha is the level of comparisons of groups: it needs --groups");
}

SubjectOptions subjectOptions(const RunOptions& options) {
    SubjectOptions result;
    EntropyOptions& entropy = result.entropy;
    entropy.measure = parseMeasure(options.measure);
    entropy.rule = {options.m, options.strict};
    entropy.tolerance = options.r;
    entropy.isAbsolute = options.absolute;
    entropy.fuzzyPower = options.power;
    entropy.bias = parseBias(options.bias);
    entropy.deviation = parseDeviation(options.deviation);
    entropy.convention = parseConvention(options.convention);
    entropy.format = !options.format.empty()                        ? parseNumberFormat(options.format)
                     : entropy.convention == Convention::EntropyHub ? NumberFormat::Float64
                                                                    : NumberFormat::Float32;
    entropy.variant = parseVariant(options.variant);
    SignalOptions& signals = result.signals;
    signals.channels = options.channels;
    signals.types = options.types;
    signals.excluded = options.excluded;
    signals.samplingRate = options.rate;
    const Header header = valueOf("--header", options.header, kHeaders);
    if (header != Header::Automatic) signals.header = header == Header::Yes;
    signals.transpose = options.transpose;
    signals.resampleRate = options.resample;
    if (!options.band.empty()) signals.band = parseBand(options.band);
    signals.epochSamples = options.epoch;
    signals.maximumEpochs = options.epochs;
    signals.artefacts = options.artefacts;
    signals.artefactAnnotations = options.artefactAnnotations;
    result.keepEpochs = options.perEpoch;
    return result;
}

std::string describeTolerance(const RunOptions& options) {
    return fmt::format("{}{}", options.r, options.absolute ? " (in the unit of the signals)" : " SD");
}

Parameters describeParameters(const RunOptions& options, const SubjectOptions& subjects) {
    const EntropyOptions& entropy = subjects.entropy;
    Parameters parameters;
    const auto add = [&](const char* name, const auto& value) {
        parameters.emplace_back(name, fmt::format("{}", value));
    };
    add("measure", toString(entropy.measure));
    add("convention", toString(entropy.convention));
    add("m", entropy.rule.m);
    add("r", describeTolerance(options));
    const bool isPaper = entropy.convention == Convention::Paper;
    if (isPaper && (entropy.measure == Measure::CrossApEn || entropy.measure == Measure::ApEn))
        add("bias", toString(entropy.bias));
    if (isPaper && !entropy.isAbsolute) add("SD divisor", toString(entropy.deviation));
    if (entropy.measure == Measure::CrossFuzzyEn)
        add("n", entropy.fuzzyPower);
    else
        add("match", entropy.rule.isStrict ? "distance < r" : "distance <= r");
    add("format", toString(entropy.format));
    add("epoch", fmt::format("{} samples", options.epoch));
    const auto addList = [&](const char* name, const std::vector<std::string>& list) {
        if (!list.empty()) add(name, fmt::format("{}", fmt::join(list, ",")));
    };
    addList("channels", options.channels);
    addList("types", options.types);
    addList("excluded", options.excluded);
    if (options.epochs) add("at most epochs", *options.epochs);
    if (options.rate) add("sampling rate", fmt::format("{} Hz", *options.rate));
    if (options.header != "auto") add("header", options.header);
    if (options.transpose) add("transposed", "yes");
    if (options.resample) add("resampled to", fmt::format("{} Hz", *options.resample));
    if (subjects.signals.band)
        add("band", fmt::format("{}-{} Hz", subjects.signals.band->low, subjects.signals.band->high));
    if (!options.artefacts.empty()) add("artefacts", options.artefacts);
    addList("artefact annotations", options.artefactAnnotations);
    return parameters;
}

}  // namespace glycine::crossapen
