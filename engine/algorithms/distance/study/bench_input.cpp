#include "engine/algorithms/distance/study/bench_input.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/algorithms/distance/random_data.hpp"
#include "engine/algorithms/distance/study/plane_source.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/comparison_options.hpp"

namespace glycine::distance {

namespace {

constexpr unsigned kNucleotides = 4;
constexpr unsigned kAminoAcids = 20;

void checkOptions(const CLI::App& command, const BenchInputOptions& options) {
    if (!options.file.empty()) {
        if (command.count("--sizes") + command.count("--data") + command.count("--missing") > 0)
            throw UsageError("--sizes, --data and --missing generate inputs; give them or --input, not both");
        requireInputKind(options.file);
    }
    const DataKind kind = parseDataKind(options.kind);
    if (kind == DataKind::Automatic)
        throw UsageError("--data: expected genotypes, dna, protein or coordinates");
    if (!(options.missing >= 0 && options.missing < 1))
        throw UsageError(fmt::format("--missing: a share of at least 0 and below 1 was expected, not {}",
                                     options.missing));
    if (kind == DataKind::Coordinates && options.missing > 0)
        throw UsageError("--missing is for genotypes and sequences; coordinates have no missing entries");
}

}  // namespace

void addBenchInputOptions(CLI::App& command, BenchInputOptions& options) {
    command
        .add_option_function<std::vector<std::string>>(
            "--sizes",
            [&options](const std::vector<std::string>& texts) {
                options.sizes.clear();
                for (const std::string& text : texts) options.sizes.push_back(parseDataSize(text));
            },
            "Instances x attributes (default: 112x512,2000x100000)")
        ->type_name("NxM,…")
        ->delimiter(',');
    command
        .add_option("--data", options.kind,
                    "What is generated: genotypes (default), dna, protein or coordinates")
        ->type_name("KIND");
    command.add_option("--missing", options.missing, "Share of the entries that is missing (default: 0)")
        ->type_name("SHARE");
    addSeedOption(command, options.seed, "data");
    command.add_option("--input", options.file, "Time this file instead (.bed, .vcf, .fa, .npy, .csv, …)")
        ->type_name("FILE");
}

BenchInput::BenchInput(const CLI::App& command, const BenchInputOptions& options)
    : options_(options), kind_(parseDataKind(options.kind)) {
    checkOptions(command, options);
    if (options.file.empty()) return;
    set_ = readDataSet(options.file, {});
    kind_ = set_.kind;
}

std::size_t BenchInput::sizeCount() const {
    return options_.file.empty() ? options_.sizes.size() : 1;
}

void BenchInput::prepare(std::size_t size, Progress& progress) {
    if (!options_.file.empty()) return;
    set_ = {};  // before the next one is made: two may not fit
    set_.kind = kind_;
    const auto [instances, attributes] = options_.sizes[size];
    if (isCoordinates()) {
        set_.coordinates = randomCoordinates(instances, attributes, options_.seed);
        return;
    }
    const auto source =
        kind_ == DataKind::Genotypes
            ? randomGenotypes({.instances = instances,
                               .attributes = attributes,
                               .seed = options_.seed,
                               .missing = options_.missing})
            : randomSymbols(instances, attributes, kind_ == DataKind::Dna ? kNucleotides : kAminoAcids,
                            options_.missing, options_.seed);
    set_.discrete = std::make_unique<PlaneSource>(*source, progress);
}

std::string BenchInput::description() const {
    if (!options_.file.empty()) return set_.description;
    std::string text = fmt::format("random {}", toString(kind_));
    if (isCoordinates()) return fmt::format("{}, standard normal, seed {}", text, options_.seed);
    if (options_.missing > 0) text += fmt::format(", {} missing", formatShare(options_.missing, 1));
    return fmt::format("{}, seed {}, in memory as bit planes", text, options_.seed);
}

}  // namespace glycine::distance
