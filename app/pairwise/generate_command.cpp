#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/pairwise/pairwise_commands.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/sequences/fasta.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::pairwise {

namespace {

struct GenerateOptions {
    RandomSequencesOptions sequences{.count = 0, .length = 0};
    bool isFamily = false;
    std::optional<double> divergence, gaps, shortest;

    Sequences make() const {
        if (isFamily) {
            RandomFamilyOptions family{.count = sequences.count,
                                       .length = sequences.length,
                                       .alphabet = sequences.alphabet,
                                       .seed = sequences.seed};
            return randomFamily(withShares(family));
        }
        return randomSequences(withShares(sequences));
    }
    std::string describe() const {
        return isFamily ? fmt::format("a family that descends from one of {} letters", sequences.length)
                        : fmt::format("each from an ancestor of {} letters, {} replaced", sequences.length,
                                      formatShare(withShares(sequences).divergence, 1));
    }
    std::string output;
    bool json = false;

  private:
    template <class Shares>
    Shares withShares(Shares all) const {
        all.divergence = divergence.value_or(all.divergence);
        all.gaps = gaps.value_or(all.gaps);
        all.shortest = shortest.value_or(all.shortest);
        return all;
    }
};

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    const std::vector<std::filesystem::path> files{options.output};
    checkOutputFiles(files, {});
    requireHostMemory(fmt::format("{} of {} letters", formatCount(options.sequences.count, "sequence"),
                                  options.sequences.length),
                      (options.isFamily ? 4.0 : 2.0) * static_cast<double>(options.sequences.count) *
                          static_cast<double>(options.sequences.length));
    const Sequences sequences = options.make();
    io::writeFasta(options.output, sequences.names, sequences.letters);
    context.clearProgressLine();
    printGenerated(context, options.json, "pairwise", declared, files,
                   fmt::format("{} ({}), {}; seed {}", formatCount(sequences.size(), "sequence"),
                               toString(sequences.alphabet), options.describe(), options.sequences.seed));
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
    options.flag(
        "--family", generated->isFamily,
        "A family with a tree: each sequence descends from an earlier one, letters are replaced as "
        "BLOSUM62 has them side by side, faster at some places than at others, and gaps stand at loops");
    options
        .value(
            "--divergence SHARE", generated->divergence,
            "Share of the ancestor's letters that each sequence replaces by others; with --family of those "
            "of the one it descends from")
        .byDefault("0.6; 0.05 with --family")
        .within(0, 1);
    options
        .value("--gaps SHARE", generated->gaps,
               "Share of the places at which 1 to 10 letters are left out, and at which as many are put in; "
               "with --family of the loops, where it is up to 40, mostly few")
        .byDefault("0.02")
        .within(0, 1);
    options
        .value("--shortest SHARE", generated->shortest,
               "Each sequence keeps a part of the ancestor, of this share at least")
        .byDefault("0.8; 1 with --family")
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
        "  glycine generate sequences --sequences 100000 --length 200 --family -o thousands.fa\n"
        "  glycine generate sequences --sequences 50 --length 2000 --alphabet dna --divergence 0.2 -o "
        "loci.fa");
    return [generated, &options](CommandContext& context) {
        if (generated->isFamily && options.isGiven("--ambiguous"))
            throw UsageError("--ambiguous is not for --family");
        return generate(context, options, *generated);
    };
}

}  // namespace glycine::pairwise
