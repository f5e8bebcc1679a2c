#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/crossapen/commands.hpp"
#include "engine/algorithms/crossapen/random_signals.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/recordings/edf.hpp"
#include "engine/io/text/json.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::crossapen {

namespace {

struct GenerateOptions {
    std::size_t channels = 0;
    std::size_t samples = 1024;  ///< an epoch
    std::size_t epochs = 1;
    double rate = 160;
    std::uint64_t seed = 1;
    std::string kind = "ar";
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
    for (const SignalFormat& format : kFormats)
        if (lowerCase(path.extension().string()) == format.extension) return format;
    throw UsageError(
        fmt::format("{}: the name of generated signals ends in .edf, .npy or .csv", path.string()));
}

int generate(CommandContext& context, GenerateOptions options) {
    options.model.kind = parseSignalKind(options.kind);
    const SignalFormat& format = formatOf(options.output);
    checkOutputFiles({options.output}, {});
    constexpr std::size_t kMostSamples = std::size_t{1} << 34;
    if (options.epochs > kMostSamples / options.samples ||
        options.channels > kMostSamples / (options.samples * options.epochs))
        throw UsageError(fmt::format("{} channels of {} × {} samples; expected at most {} samples in all",
                                     options.channels, options.epochs, options.samples, kMostSamples));
    const std::size_t samples = options.samples * options.epochs;
    const Matrix<double> signals = randomSignals(options.model, options.channels, samples, options.seed);
    context.progress().throwIfCancelled();
    format.write(options, signals);
    const std::uint64_t bytes = std::filesystem::file_size(options.output);
    if (options.json) {
        printJson(context.out(), {{"command", "generate"},
                                  {"algorithm", "crossapen"},
                                  {"channels", options.channels},
                                  {"samples", samples},
                                  {"epoch_samples", options.samples},
                                  {"epochs", options.epochs},
                                  {"sampling_rate", options.rate},
                                  {"kind", options.kind},
                                  {"coupling", options.model.coupling},
                                  {"seed", options.seed},
                                  {"file", options.output}});
        return 0;
    }
    context.out() << fmt::format("Wrote {} ({})\n", options.output, formatBytes(bytes))
                  << fmt::format("{} × {} ({} of {}), {} Hz, {}, coupling {}, seed {}\n",
                                 formatCount(options.channels, "channel"), formatCount(samples, "sample"),
                                 formatCount(options.epochs, "epoch"), options.samples, options.rate,
                                 options.kind, options.model.coupling, options.seed);
    return 0;
}

}  // namespace

CommandAction addGenerateTask(CLI::App& command) {
    auto options = std::make_shared<GenerateOptions>();
    command.add_option("--channels", options->channels, "Number of channels")
        ->type_name("B")
        ->check(isPositive())
        ->required();
    command.add_option("--samples", options->samples, "Samples of a channel in one epoch (default: 1024)")
        ->type_name("N")
        ->check(isPositive());
    command.add_option("--epochs", options->epochs, "Epochs one behind another (default: 1)")
        ->type_name("E")
        ->check(isPositive());
    command
        .add_option("-o,--output", options->output,
                    "The file to write: .edf (16 bits a sample), .npy (float64, channels × samples) or .csv "
                    "(one line a sample)")
        ->type_name("FILE")
        ->required();
    command
        .add_option("--kind", options->kind,
                    "white: normal noise; ar: autoregressive noise with a 1/f spectrum, as EEG has it "
                    "(default); henon, logistic: chaotic maps; lorenz: chaotic differential equations")
        ->type_name("KIND");
    command
        .add_option("--coupling", options->model.coupling,
                    "What a channel takes from the one before it, 0 to 1; of noise, the correlation of "
                    "neighbours (default: 0.3)")
        ->type_name("K");
    command.add_option("--rate", options->rate, "Sampling rate in Hz that an .edf file tells (default: 160)")
        ->type_name("HZ")
        ->check(isPositive());
    command.add_option("--seed", options->seed, "The same seed gives the same signals (default: 1)")
        ->type_name("S");
    command.add_flag("--json", options->json, "Print the report as one JSON object");
    command.footer(
        "Channels form a chain: each after the first is driven by the one before it and by no other.\n\n"
        "Examples:\n"
        "  glycine generate signals --channels 64 --epochs 9 -o noise.edf\n"
        "  glycine generate signals --channels 2 --samples 4096 --kind henon --coupling 0.4 -o maps.csv\n"
        "  glycine generate signals --channels 148 --epochs 49 --rate 169.549 --seed 7 -o study.npy");
    return [options](CommandContext& context) { return generate(context, *options); };
}

}  // namespace glycine::crossapen
