#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"

namespace glycine::mutualinfo {

namespace {

namespace fs = std::filesystem;

struct GenerateOptions {
    SimulatedNetworkOptions network;
    SimulatedExpressionOptions expression;
    std::string output;
    std::string truth;
    bool json = false;
};

void writeExpression(const fs::path& path, const SimulatedNetwork& network,
                     const Matrix<double>& expression) {
    io::BufferedText file(path);
    file.text() += "gene";
    for (std::size_t s = 0; s < expression.columns(); ++s)
        fmt::format_to(std::back_inserter(file.text()), "\tS{}", s + 1);
    file.endLine();
    for (std::size_t g = 0; g < expression.rows(); ++g) {
        file.text() += network.genes[g];
        for (std::size_t s = 0; s < expression.columns(); ++s) {
            file.text() += '\t';
            if (std::isnan(expression(g, s)))
                file.text() += "NA";
            else
                io::appendShortest(file.text(), expression(g, s));
        }
        file.endLine();
    }
    file.commit();
}

void writeTruth(const fs::path& path, const SimulatedNetwork& network) {
    io::BufferedText file(path);
    file.text() += "regulator\ttarget\tsign";
    file.endLine();
    for (const RegulatoryEdge& edge : network.edges) {
        fmt::format_to(std::back_inserter(file.text()), "{}\t{}\t{}", network.genes[edge.regulator],
                       network.genes[edge.target], edge.isActivating ? 1 : -1);
        file.endLine();
    }
    file.commit();
}

/// Description of the measurement model between expression levels and values.
std::string describeMeasurement(const SimulatedExpressionOptions& options, const Matrix<double>& expression) {
    if (options.depth > 0) {
        const auto zeros = std::count(expression.data(), expression.data() + expression.size(), 0.0);
        const double share = static_cast<double>(zeros) / static_cast<double>(expression.size());
        return fmt::format("libraries of {} molecules (ln ± {}){}, {} of the counts are 0", options.depth,
                           options.depthVariation,
                           options.dropoutMidpoint > 0
                               ? fmt::format(", half of the genes with {} lost", options.dropoutMidpoint)
                               : "",
                           formatShare(share, 1));
    }
    return fmt::format(
        "noise {}{}", options.noise,
        options.missing > 0 ? fmt::format(", {} missing", formatShare(options.missing, 1)) : "");
}

int generate(CommandContext& context, const Options& declared, GenerateOptions& options) {
    if (lowerCase(fs::path(options.output).extension().string()) != ".tsv" && options.output != "-")
        throw UsageError(fmt::format("{}: the name of generated expression ends in .tsv", options.output));
    std::vector<fs::path> files{options.output};
    if (!options.truth.empty()) files.emplace_back(options.truth);
    checkOutputFiles(files, {});
    const bool areCells = options.expression.depth > 0;
    declared.requireReaders({"values",
                             {areCells ? "molecules" : "intensities"},
                             areCells ? "--molecules makes counts of cells" : "there is no --molecules"});
    options.expression.seed = options.network.seed;
    const SimulatedNetwork network = simulateNetwork(options.network);
    requireHostMemory(
        fmt::format("simulating {} genes in {} samples", options.network.genes, options.expression.samples),
        static_cast<double>(options.network.genes) * static_cast<double>(options.expression.samples) *
            sizeof(double));
    const Matrix<double> expression = simulateExpression(network, options.expression, context.progress());
    writeExpression(options.output, network, expression);
    if (!options.truth.empty()) writeTruth(options.truth, network);
    context.clearProgressLine();
    printGenerated(context, options.json, "mutualinfo", declared, files,
                   fmt::format("{} × {}, {} network: {} of {}, Hill kinetics, {}, seed {}",
                               formatCount(options.network.genes, "gene"),
                               formatCount(options.expression.samples, areCells ? "cell" : "sample"),
                               toString(options.network.topology), formatCount(network.edges.size(), "edge"),
                               formatCount(network.factors, "transcription factor"),
                               describeMeasurement(options.expression, expression), options.network.seed));
    return 0;
}

}  // namespace

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    SimulatedNetworkOptions& network = generated->network;
    SimulatedExpressionOptions& expression = generated->expression;
    options.value("--genes N", network.genes, "Number of genes").positive().required();
    options.value("--samples M", expression.samples, "Number of samples").positive().required();
    options
        .value("-o,--output FILE.tsv", generated->output,
               "The expression matrix: log2 of the levels, or counts, one row per gene; - is standard output")
        .required()
        .notASetting();
    options
        .value("--truth FILE", generated->truth,
               "Also write the edges of the network: regulator, target, 1 (activates) or -1 (inhibits)")
        .notASetting();
    options.choice("--topology T", network.topology,
                   "scale-free, or modular: nine of ten regulators are in the gene's own module");
    options.value("--factors F", network.factors, "Number of transcription factors among the genes")
        .positive()
        .byDefault("a tenth of the genes");
    options.value("--regulators K", network.regulators, "Mean number of regulators per gene").within(1, 100);
    options
        .value("--variation SD", expression.variation,
               "Standard deviation of a regulated gene's rate between samples, in ln of the rate")
        .within(0, 10);
    options
        .value("--noise SD", expression.noise,
               "Standard deviation of the measurement noise, in log2 of the level")
        .within(0, 100)
        .readBy("values", {"intensities"});
    options.value("--missing SHARE", expression.missing, "Share of values that are missing (NA), 0 to 1")
        .within(0, 1)
        .readBy("values", {"intensities"});
    options
        .value("--molecules L", expression.depth,
               "Single cells instead of arrays: counts, with a median library size of L molecules")
        .byDefault("arrays")
        .within(1, 1e9);
    options
        .value("--library-variation SD", expression.depthVariation,
               "Standard deviation of ln L between cells")
        .within(0, 10)
        .onlyWith("--molecules");
    options
        .value("--dropouts MEAN", expression.dropoutMidpoint,
               "Expected count at which half of the genes drop out: 1 / (1 + count / MEAN)")
        .byDefault("none")
        .within(0, 1e9)
        .onlyWith("--molecules");
    options.value("--seed S", network.seed, "Random seed; the same seed gives the same files");
    addJsonOption(options, generated->json);
    options.footer(
        "Transcription factors (TF1, TF2, …) regulate genes (G1, …) and each other, without cycles.\n"
        "Levels are the steady state of Hill kinetics, with rates that vary between samples.\n\n"
        "Examples:\n"
        "  glycine generate expression --genes 250 --samples 500 -o arrays.tsv --truth edges.tsv\n"
        "  glycine generate expression --genes 1000 --samples 300 --topology modular --missing 0.02 -o "
        "g.tsv\n"
        "  glycine generate expression --genes 200 --samples 2000 --molecules 4000 --dropouts 1 -o "
        "cells.tsv");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::mutualinfo
