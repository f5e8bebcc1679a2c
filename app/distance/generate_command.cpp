#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/input/genotype_files.hpp"
#include "engine/algorithms/distance/random_data.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::distance {

namespace {

struct GenerateOptions {
    RandomGenotypesOptions genotypes;
    std::string output;
    bool json = false;
};

std::string describe(const RandomGenotypesOptions& options) {
    std::string text = fmt::format(
        "{} × {}, {}, seed {}", formatCount(options.instances, "instance"),
        formatCount(options.attributes, "variant"),
        options.uniform ? "0, 1, 2 with equal probability" : "Hardy-Weinberg proportions", options.seed);
    if (options.missing > 0) text += fmt::format(", {} missing", formatShare(options.missing, 1));
    return text;
}

int generate(CommandContext& context, const GenerateOptions& options) {
    const double missing = options.genotypes.missing;
    if (!(missing >= 0 && missing <= 1))
        throw UsageError(fmt::format("--missing: a share between 0 and 1 was expected, not {}", missing));
    requireGenotypeFile(options.output);
    const std::vector<std::filesystem::path> files = genotypeFiles(options.output);
    checkOutputFiles(files, {});
    writeGenotypes(options.output, *randomGenotypes(options.genotypes), context.progress());
    context.clearProgressLine();
    if (options.json) {
        Json json{{"command", "generate"},
                  {"algorithm", "distance"},
                  {"instances", options.genotypes.instances},
                  {"attributes", options.genotypes.attributes},
                  {"missing", missing},
                  {"uniform", options.genotypes.uniform},
                  {"seed", options.genotypes.seed}};
        for (const std::filesystem::path& file : files) json["files"].push_back(file.string());
        printJson(context.out(), json);
        return 0;
    }
    for (const std::filesystem::path& file : files)
        context.out() << fmt::format("Wrote {} ({})\n", file.string(),
                                     formatBytes(std::filesystem::file_size(file)));
    context.out() << describe(options.genotypes) << '\n';
    return 0;
}

}  // namespace

CommandAction addGenerateTask(CLI::App& command) {
    auto options = std::make_shared<GenerateOptions>();
    command.add_option("--instances", options->genotypes.instances, "Number of instances (samples)")
        ->type_name("N")
        ->check(isPositive())
        ->required();
    command.add_option("--attributes", options->genotypes.attributes, "Number of attributes (variants)")
        ->type_name("M")
        ->check(isPositive())
        ->required();
    command
        .add_option("-o,--output", options->output,
                    "The file to write: .bed (with .bim and .fam), .vcf, .npy (int8, missing: -1) or .csv")
        ->type_name("FILE")
        ->required();
    command
        .add_option("--missing", options->genotypes.missing,
                    "Share of the genotypes that is missing (default: 0)")
        ->type_name("SHARE");
    command.add_flag(
        "--uniform", options->genotypes.uniform,
        "0, 1 and 2 with equal probability, as in the paper (default: Hardy-Weinberg proportions "
        "with allele frequencies between 0.05 and 0.5)");
    command.add_option("--seed", options->genotypes.seed, "The same seed gives the same file (default: 1)")
        ->type_name("S");
    command.add_flag("--json", options->json, "Print the report as one JSON object");
    command.footer(
        "Every genotype follows from the seed and its place alone. Files of any size are written block by "
        "block.\n\n"
        "Examples:\n"
        "  glycine generate genotypes --instances 2000 --attributes 100000 -o cohort.bed\n"
        "  glycine generate genotypes --instances 112 --attributes 512 --uniform --seed 7 -o paper.npy\n"
        "  glycine generate genotypes --instances 500 --attributes 20000 --missing 0.01 -o gaps.vcf");
    return [options](CommandContext& context) { return generate(context, *options); };
}

}  // namespace glycine::distance
