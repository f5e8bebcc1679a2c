#include <fmt/format.h>

#include <memory>

#include "app/distance/distance_commands.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/quantity.hpp"
#include "engine/distance/input/genotype_files.hpp"
#include "engine/distance/random_data.hpp"

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

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    requireGenotypeFile(options.output);
    const std::vector<std::filesystem::path> files = genotypeFiles(options.output);
    checkOutputFiles(files, {});
    writeGenotypes(options.output, *randomGenotypes(options.genotypes), context.progress());
    context.clearProgressLine();
    printGenerated(context, options.json, "distance", declared, files, describe(options.genotypes));
    return 0;
}

}  // namespace

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomGenotypesOptions& genotypes = generated->genotypes;
    options.value("--instances N", genotypes.instances, "Number of instances (samples)")
        .positive()
        .required();
    options.value("--attributes M", genotypes.attributes, "Number of attributes (variants)")
        .positive()
        .required();
    options
        .value("-o,--output FILE", generated->output,
               "The file to write: .bed (with .bim and .fam), .vcf, .npy (int8, missing: -1) or .csv; - is "
               ".vcf to "
               "standard output")
        .required()
        .notASetting();
    options.value("--missing SHARE", genotypes.missing, "Share of the genotypes that is missing")
        .within(0, 1);
    options.flag("--uniform", genotypes.uniform,
                 "0, 1 and 2 with equal probability, as in the paper (default: Hardy-Weinberg proportions "
                 "with allele frequencies between 0.05 and 0.5)");
    options.value("--seed S", genotypes.seed, "The same seed gives the same file");
    addJsonOption(options, generated->json);
    options.footer(
        "Every genotype follows from the seed and its place alone. Files of any size are written block by "
        "block.\n\n"
        "Examples:\n"
        "  glycine generate genotypes --instances 2000 --attributes 100000 -o cohort.bed\n"
        "  glycine generate genotypes --instances 112 --attributes 512 --uniform --seed 7 -o paper.npy\n"
        "  glycine generate genotypes --instances 500 --attributes 20000 --missing 0.01 -o gaps.vcf");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::distance
