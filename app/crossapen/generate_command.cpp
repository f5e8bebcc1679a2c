#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/crossapen/crossapen_commands.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "engine/crossapen/random_signals.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/recordings/edf.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::crossapen {

namespace {

struct GenerateOptions {
    std::size_t channels = 0;
    std::size_t samples = 1024;  ///< an epoch
    std::size_t epochs = 1;
    double rate = 160;
    std::uint64_t seed = 1;
    SignalModel model;
    std::string output;
    bool json = false;
};

std::vector<std::string> channelNames(std::size_t channels) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < channels; ++k) names.push_back(fmt::format("c{}", k + 1));
    return names;
}

void writeNpySignals(const GenerateOptions& options, const Matrix<double>& signals) {
    io::writeNpy<double>(options.output, signals.view());
}

/// One line a sample, one column a channel; numbers with as many digits as it takes to read them back.
void writeCsvSignals(const GenerateOptions& options, const Matrix<double>& signals) {
    constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    storage::AtomicFile file(options.output);
    std::string text = fmt::format("{}\n", fmt::join(channelNames(signals.rows()), ","));
    for (std::size_t i = 0; i < signals.columns(); ++i) {
        for (std::size_t k = 0; k < signals.rows(); ++k)
            fmt::format_to(std::back_inserter(text), "{}{}", k == 0 ? "" : ",", signals(k, i));
        text += '\n';
        if (text.size() < kBufferBytes) continue;
        file.write(text);
        text.clear();
    }
    file.write(text);
    file.commit();
}

void writeEdfSignals(const GenerateOptions& options, const Matrix<double>& signals) {
    io::EdfDescription description;
    description.recording = fmt::format("generated: {}, coupling {}, seed {}", toString(options.model.kind),
                                        options.model.coupling, options.seed);
    description.samplingRate = options.rate;
    description.labels = channelNames(signals.rows());
    description.units.assign(signals.rows(), "");
    io::writeEdf(options.output, description, signals.view());
}

struct SignalFormat {
    std::string_view extension;
    void (*write)(const GenerateOptions&, const Matrix<double>&);
};
constexpr SignalFormat kFormats[] = {
    {".edf", writeEdfSignals}, {".npy", writeNpySignals}, {".csv", writeCsvSignals}};

const SignalFormat& formatOf(const std::filesystem::path& path) {
    const std::string extension =
        storage::isStandardOutput(path) ? ".csv" : lowerCase(path.extension().string());
    for (const SignalFormat& format : kFormats)
        if (extension == format.extension) return format;
    throw UsageError(
        fmt::format("{}: the name of generated signals ends in .edf, .npy or .csv", path.string()));
}

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    const SignalFormat& format = formatOf(options.output);
    declared.requireReaders(
        {"output", {std::string(format.extension)}, fmt::format("{} is none", options.output)});
    declared.requireReaders({"channels", {options.channels > 1 ? "several" : "one"}, "there is one"});
    checkOutputFiles({options.output}, {});
    constexpr std::size_t kMostSamples = std::size_t{1} << 34;
    if (options.epochs > kMostSamples / options.samples ||
        options.channels > kMostSamples / (options.samples * options.epochs))
        throw UsageError(fmt::format("{} channels of {} × {} samples; expected at most {} samples in all",
                                     options.channels, options.epochs, options.samples, kMostSamples));
    const std::size_t samples = options.samples * options.epochs;
    // Chaotic maps keep a channel and its driver beside the signals.
    requireHostMemory(
        fmt::format("generating {} channels of {} samples", options.channels, samples),
        static_cast<double>(options.channels + 2) * static_cast<double>(samples) * sizeof(double));
    const Matrix<double> signals = randomSignals(options.model, options.channels, samples, options.seed);
    context.progress().throwIfCancelled();
    format.write(options, signals);
    context.clearProgressLine();
    const std::string description = fmt::format(
        "{} × {} ({} of {}), {} Hz, {}, coupling {}, seed {}", formatCount(options.channels, "channel"),
        formatCount(samples, "sample"), formatCount(options.epochs, "epoch"), options.samples, options.rate,
        toString(options.model.kind), options.model.coupling, options.seed);
    printGenerated(context, options.json, "crossapen", declared, {options.output}, description);
    return 0;
}

}  // namespace

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    options.value("--channels B", generated->channels, "Number of channels").positive().required();
    options.value("--samples N", generated->samples, "Samples of a channel in one epoch").positive();
    options.value("--epochs E", generated->epochs, "Epochs one behind another").positive();
    options
        .value("-o,--output FILE", generated->output,
               "The file to write: .edf (16 bits a sample), .npy (float64, channels × samples) or .csv "
               "(one line a sample); - is .csv to standard output")
        .required()
        .notASetting();
    options.choice("--kind KIND", generated->model.kind,
                   "white: normal noise; ar: autoregressive noise with a 1/f spectrum, as EEG has it; henon, "
                   "logistic: chaotic maps; lorenz: chaotic differential equations");
    options
        .value("--coupling K", generated->model.coupling,
               "What a channel takes from the one before it, 0 to 1; of noise, the correlation of neighbours")
        .within(0, 1)
        .readBy("channels", {"several"}, "several channels");
    options.value("--rate HZ", generated->rate, "Sampling rate in Hz that an .edf file tells")
        .above(0, kHighestSamplingRate)
        .readBy("output", {".edf"}, ".edf files");
    options.value("--seed S", generated->seed, "The same seed gives the same signals");
    addJsonOption(options, generated->json);
    options.footer(
        "Channels form a chain: each after the first is driven by the one before it and by no other.\n\n"
        "Examples:\n"
        "  glycine generate signals --channels 64 --epochs 9 -o noise.edf\n"
        "  glycine generate signals --channels 2 --samples 4096 --kind henon --coupling 0.4 -o maps.csv\n"
        "  glycine generate signals --channels 148 --epochs 49 --rate 169.549 --seed 7 -o study.edf");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::crossapen
