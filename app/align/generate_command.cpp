#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/align/align_commands.hpp"
#include "engine/algorithms/align/random_sequences.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/sequences/fasta_output.hpp"

namespace glycine::align {

namespace {

struct GenerateOptions {
    RandomSequencesOptions sequences{.count = 0, .length = 0};
    std::string output;
    bool json = false;
};

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    const std::vector<std::filesystem::path> files{options.output};
    checkOutputFiles(files, {});
    requireHostMemory(
        fmt::format("{} of {} letters", formatCount(options.sequences.count, "sequence"),
                    options.sequences.length),
        2.0 * static_cast<double>(options.sequences.count) * static_cast<double>(options.sequences.length));
    const Sequences sequences = randomSequences(options.sequences);
    io::writeFasta(options.output, sequences.names, sequences.letters);
    context.clearProgressLine();
    printGenerated(context, options.json, "pairwise", declared, files,
                   fmt::format("{} ({}) that descend from one of {} letters, {} replaced; seed {}",
                               formatCount(sequences.size(), "sequence"), toString(sequences.alphabet),
                               options.sequences.length, formatShare(options.sequences.divergence, 1),
                               options.sequences.seed));
    return 0;
}

}  // namespace

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomSequencesOptions& sequences = generated->sequences;
    options.value("--sequences N", sequences.count, "Number of sequences").positive().required();
    options.value("--length L", sequences.length, "Letters of their common ancestor").positive().required();
    options.value("-o,--output FILE", generated->output, "The FASTA file to write; - is standard output")
        .required()
        .notASetting();
    options.choice("--alphabet A", sequences.alphabet, "protein, dna or rna");
    options
        .value("--divergence SHARE", sequences.divergence,
               "Share of the ancestor's letters that each sequence replaces by others")
        .within(0, 1);
    options
        .value("--gaps SHARE", sequences.gaps,
               "Share of the places at which 1 to 10 letters are left out, and at which as many are put in")
        .within(0, 1);
    options
        .value("--shortest SHARE", sequences.shortest,
               "Each sequence keeps a part of the ancestor, of this share at least")
        .within(0, 1);
    options
        .value("--ambiguous SHARE", sequences.ambiguous,
               "Share of the letters that stand for several residues")
        .within(0, 1);
    options.value("--seed S", sequences.seed, "The same seed gives the same file");
    addJsonOption(options, generated->json);
    options.footer(
        "Every sequence follows from the seed and its number alone.\n\n"
        "Examples:\n"
        "  glycine generate sequences --sequences 1000 --length 400 -o family.fa\n"
        "  glycine generate sequences --sequences 50 --length 2000 --alphabet dna --divergence 0.2 -o "
        "loci.fa");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::align
