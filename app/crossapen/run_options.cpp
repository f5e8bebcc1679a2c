#include "app/crossapen/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/entropy_request.hpp"
#include "engine/crossapen/pair_entropies.hpp"

namespace glycine::crossapen {

namespace {

/// "0.5-40".
FrequencyBand parseBand(const std::string& text) {
    FrequencyBand band;
    const char* end = text.data() + text.size();
    const auto low = std::from_chars(text.data(), end, band.low);
    const bool hasLow = low.ec == std::errc() && low.ptr != end && *low.ptr == '-';
    const auto high = hasLow ? std::from_chars(low.ptr + 1, end, band.high) : low;
    if (!hasLow || high.ec != std::errc() || high.ptr != end ||
        !(band.low >= 0 && band.low < band.high && band.high <= kHighestSamplingRate))
        throw UsageError(
            fmt::format("--band {}: expected two frequencies in Hz, the lower one first: 0.5-40", text));
    return band;
}

void declareEntropyOptions(Options& options, RunOptions& run) {
    Heading heading(options, "Entropy");
    heading.decidesResults();
    EntropyOptions& entropy = run.subjects.entropy;
    options
        .choice(
            "--measure M", entropy.measure,
            "crossapen, crosssampen, crossfuzzyen or crosspermen of channel pairs; apen, sampen, permen or "
            "dispen of single channels")
        .basic();
    options.value("--m M", entropy.rule.m, "Length of the templates in samples")
        .byDefault("1, as in the study; 2 for crossfuzzyen and dispen, 3 for permen and crosspermen")
        .positive()
        .basic();
    options.value("--tau T", entropy.rule.delay, "Time delay between elements of a template, in samples")
        .positive();
    options
        .value("--r R", entropy.tolerance,
               "Tolerance as a fraction of the standard deviation of each channel and epoch")
        .positive()
        .basic();
    options.flag("--absolute", entropy.isAbsolute,
                 "Take --r in the unit of the signals, which are not normalised");
    options.choice("--bias B", entropy.bias,
                   "Templates without a match, in approximate entropies: max, 0, max-short (as max, with "
                   "1 / (N - m)), none (the entropy is undefined). 0 and max are always written too");
    options.choice("--sd D", entropy.deviation, "Divisor in the standard deviation: n-1, n");
    options.flag("--strict", entropy.rule.isStrict,
                 "Do not match at a distance of exactly r (< instead of <=)");
    options.value("--n N", entropy.fuzzyPower, "Exponent n of crossfuzzyen's membership exp(-d^n / r)")
        .above(0, 1000);
    options.value("--classes C", entropy.classes, "Number of amplitude classes in dispen").within(2, 1e6);
    options
        .value(
            "--scales S", entropy.scales,
            "Multiscale: the measure at scales 1 to S (means of that many consecutive samples), and its sum")
        .positive();
    options.choice("--convention C", entropy.convention,
                   "paper, or entropyhub: as XApEn, XSampEn and XFuzzEn of that package");
    options
        .choice("--precision P", run.format,
                "Precision in which samples are compared: float32 (default, as in the study), float64 "
                "(default for entropyhub)")
        .formerly("--format");
}

void declareSignalOptions(Options& options, SignalOptions& signals) {
    Heading heading(options, "Signals");
    heading.decidesResults();
    options
        .value("--channels NAME,...", signals.channels,
               "Channels to use, in this order; * and ? are wildcards")
        .basic();
    options
        .value("--types NAME,...", signals.types,
               "Use only channels of these types, as in the file or labels: EEG, MEG, EOG, ...")
        .basic();
    options.value("--exclude NAME,...", signals.excluded, "Channels to leave out; * and ? as above").basic();
    options.value("--reference NAME,...", signals.reference,
                  "Subtract from each channel the mean of these: average (all of its type that are not bad "
                  "or excluded), or names");
    options.value("--montage A-B,...", signals.montage,
                  "Differences of two channels instead of channels: Fp1-F3,F3-C3");
    options.value("--epoch N", signals.epochSamples, "Samples per epoch, after resampling")
        .positive()
        .basic();
    options.value("--epochs N", signals.maximumEpochs, "Maximum number of epochs per file")
        .byDefault("all")
        .positive()
        .basic();
    options
        .value("--events NAME,...", signals.events,
               "Epochs around annotations, markers and rises of trigger channels with these texts\n(instead "
               "of consecutive ones; * and ? as above; a part before a slash may be left out)")
        .basic();
    options
        .value("--event-start SECONDS", signals.eventStart,
               "Time from an event to the first sample of its epoch")
        .within(-1e6, 1e6)
        .onlyWith("--events");
    options.value("--resample HZ", signals.resampleRate, "Resample all channels to this rate")
        .above(0, kHighestSamplingRate)
        .basic();
    options
        .parsed(
            "--band LOW-HIGH", [&signals](const std::string& text) { signals.band = parseBand(text); },
            [&signals] {
                return signals.band ? fmt::format("{}-{}", signals.band->low, signals.band->high) : "";
            },
            "Zero-phase band pass before epochs are cut: 0.5-40\nas in the study; 0-40: low pass")
        .basic();
    options.value("--artefacts FILE", signals.artefacts,
                  "Table of artefacts to leave out: columns epoch, or onset and duration in seconds; with a "
                  "column file, each line is for one file, else for all");
    options.value("--artefact-annotations NAME,...", signals.artefactAnnotations,
                  "Leave out epochs that overlap annotations with these texts; * and ? as above");
    options
        .value(
            "--max-flat SHARE", signals.usability.flat,
            "Maximum share of samples in stretches of equal ones; above it, a channel is unused in the epoch")
        .within(0, 1);
    options
        .value("--max-clipped SHARE", signals.usability.clipped,
               "Maximum share of samples piled up at the ends of the range; above it, a channel is unused in "
               "the epoch")
        .within(0, 1);
    options
        .value("--rate HZ", signals.samplingRate,
               "Arrays and tables: sampling rate of the signals, if the file has none")
        .above(0, kHighestSamplingRate);
    addTableOptions(options, {signals.header, signals.transpose},
                    "Tables: whether the first line holds channel names: auto, yes, no",
                    "Arrays: samples are rows, channels columns; tables: channels are lines");
    options.value("--array NAME", signals.array, ".npz: name of the array that holds the signals")
        .byDefault("the only one that can");
    options.flag(
        "--keep-time", signals.keepTime,
        "Tables, .npz: also use a column called time or the like, or one that rises evenly, as a channel");
}

void declareResultOptions(Options& options, RunOptions& run) {
    const Heading heading(options, "Results");
    options.flag("--per-epoch", run.subjects.keepEpochs, "Also write the entropies of every epoch").basic();
    options.flag("--square", run.square, ".csv: the matrix with channel names instead of one line per pair");
    addDrawOption(options, run.drawn, {{kScalp, "a head for each of the first six inputs, as in a folder"}});
    addRangeOption(options, run.range, "the colours of pictures");
    options
        .value("--groups FILE", run.groups,
               "Table with the columns file and group: also compare the groups, channel pair by channel pair")
        .basic();
    options
        .value(
            "--regions TABLE", run.regions,
            "Pictures and comparisons of groups by regions of the head: auto (by names of the 10-20 system), "
            "or a table of channels and regions")
        .notASetting();
    options.value("--alpha P", run.alpha, "Significance level of the comparisons of groups").within(0, 1);
    options
        .value("--permutations N", run.clusterTest.permutations,
               "Number of permutations to compare groups by clusters of neighbouring pairs; with a column "
               "subject in the table of groups, groups are conditions of the same subjects")
        .byDefault("no clusters")
        .positive()
        .onlyWith("--groups");
    options
        .value("--cluster-alpha P", run.clusterTest.elementAlpha,
               "Significance level of the t of pairs that form clusters")
        .within(0, 1)
        .onlyWith("--permutations");
    options.value("--seed S", run.clusterTest.seed, "Random seed of the permutations")
        .onlyWith("--permutations");
}

}  // namespace

void declareRunOptions(Options& options, RunOptions& run) {
    options
        .value("FILE", run.inputs,
               "Recordings: EDF, EDF+, BDF, BrainVision (.vhdr), FIF, EEGLAB (.set), .npy, .npz, tables "
               "(.csv, .tsv)\n(arrays are channels x samples, or epochs x channels x samples; tables, also "
               ".gz, have one column per channel; - is standard input)")
        .required();
    options
        .value("-o,--output OUT", run.outputs,
               "Folder for all results, or files by ending: .npz, .npy, .csv, .png, .json\n(.npy, with "
               ".npy.names, for one input; - is .csv to standard output; can be given several times)")
        .repeated()
        .required()
        .notASetting();
    addJsonOption(options, run.json);
    declareEntropyOptions(options, run);
    declareSignalOptions(options, run.subjects.signals);
    declareResultOptions(options, run);
    addBackendChoice(options, run.backend, {algorithm()}, true);
    addPartOption(options, run.part);
    addRestartOption(options, run.restart);
    addBackendOptions(options, run.backend.device);
    {
        const Heading heading(options, "Device");
        addDevicesOption(options, run.backend);
    }
    options.footer(
        "Rows of a matrix are channels of the templates (u), columns are partners (v); an element is\n"
        "the entropy of (v||u). Long runs keep finished epochs; after a stop, the same command\n"
        "resumes.\n\n"
        "Examples:\n"
        "  glycine crossapen S001R01.edf -o S001R01.npz -o S001R01.png\n"
        "  glycine crossapen rest/*.edf -o results --band 0.5-40 --types EEG --groups groups.csv\n"
        "  glycine crossapen meg.vhdr -o out --resample 169.549 --m 2 --bias 0 --per-epoch\n"
        "  glycine crossapen x.csv -o x.csv.npz --convention entropyhub --m 2");
}

void completeRunOptions(const Options& options, RunOptions& run) {
    EntropyOptions& entropy = run.subjects.entropy;
    applyDefaults(entropy,
                  {.m = options.isGiven("--m"),
                   .bias = options.isGiven("--bias"),
                   .fuzzyPower = options.isGiven("--n"),
                   .deviation = options.isGiven("--sd"),
                   .isAbsolute = options.isGiven("--absolute"),
                   .tolerance = options.isGiven("--r"),
                   .classes = options.isGiven("--classes")},
                  run.format);
    run.format = entropy.format;
    if (options.isGiven("--alpha") && run.groups.empty())
        throw UsageError("--alpha is the level of comparisons of groups: it needs --groups");
    if (options.isGiven("--permutations") && !run.regions.empty())
        throw UsageError("--permutations compares clusters of channels; --regions is for runs without it");
    if (options.isGiven("--permutations")) run.clusters = run.clusterTest;
    entropy.variant = fromString<Variant>(run.backend.variant);
}

std::string describeTolerance(const EntropyOptions& options) {
    return fmt::format("{}{}", options.tolerance,
                       options.isAbsolute ? " (in the unit of the signals)" : " SD");
}

Parameters describeParameters(const Options& options, const EntropyOptions& entropy) {
    const bool isPaper = entropy.convention == Convention::Paper;
    const bool isFuzzy = entropy.measure == Measure::CrossFuzzyEn;
    const bool isApproximate = entropy.measure == Measure::CrossApEn || entropy.measure == Measure::ApEn;
    const bool isPattern = isOfPatterns(entropy.measure), isDispersion = entropy.measure == Measure::DispEn;
    struct ReportedOption {
        const char* option;
        const char* name;
        const char* unit = "";
        bool matters = true;
        std::string text{};       ///< shown instead of the option's value
        const char* silent = "";  ///< a value that is not shown
    };
    const ReportedOption order[] = {
        {"--measure", "measure"},
        {"--convention", "convention"},
        {"--m", "m"},
        {"--tau", "time delay", " samples", true, "", "1"},
        {"--r", "r", "", !isPattern, describeTolerance(entropy)},
        {"--absolute", "", "", false},  // shown with r
        {"--bias", "bias", "", isPaper && isApproximate},
        {"--sd", "SD divisor", "", isPaper && !entropy.isAbsolute && (!isPattern || isDispersion)},
        {"--classes", "classes", "", isDispersion},
        {"--scales", "scales 1 to", "", true, "", "1"},
        {"--n", "n", "", isFuzzy},
        {"--strict", "match", "", !isFuzzy && !isPattern,
         entropy.rule.isStrict ? "distance < r" : "distance <= r"},
        {"--precision", "format"},
        {"--epoch", "epoch", " samples"},
        {"--channels", "channels"},
        {"--types", "types"},
        {"--exclude", "excluded"},
        {"--reference", "reference"},
        {"--montage", "montage"},
        {"--events", "events"},
        {"--event-start", "epochs start at the event +", " s", true, "", "0"},
        {"--epochs", "epochs at most"},
        {"--rate", "sampling rate", " Hz"},
        {"--header", "header", "", true, "", "auto"},
        {"--transpose", "transposed", "", true, "yes", "false"},
        {"--resample", "resampled to", " Hz"},
        {"--band", "band", " Hz"},
        {"--max-flat", "flat at most", "", true, "", "0.2"},
        {"--max-clipped", "clipped at most", "", true, "", "0.05"},
        {"--array", "array"},
        {"--keep-time", "times are channels", "", true, "yes", "false"},
        {"--artefacts", "artefacts"},
        {"--artefact-annotations", "artefact annotations"}};
    Parameters parameters;
    auto values = options.decidingValues();
    for (const ReportedOption& reported : order) {
        const auto found = std::find_if(values.begin(), values.end(),
                                        [&](const auto& value) { return value.first == reported.option; });
        if (found == values.end()) continue;
        const std::string value = std::move(found->second);
        values.erase(found);
        if (reported.matters && value != reported.silent)
            parameters.emplace_back(reported.name,
                                    (reported.text.empty() ? value : reported.text) + reported.unit);
    }
    // Options that affect values are shown even if they are not listed above.
    parameters.insert(parameters.end(), values.begin(), values.end());
    return parameters;
}

}  // namespace glycine::crossapen
