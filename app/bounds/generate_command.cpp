#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "app/bounds/commands.hpp"
#include "engine/algorithms/bounds/input/random_bounds.hpp"
#include "engine/command/command_context.hpp"
#include "engine/command/option_checks.hpp"
#include "engine/command/output_files.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine::bounds {

namespace {

struct GenerateOptions {
    RandomBoundsOptions bounds;
    std::string format = "float32";
    std::string output;
    bool json = false;
};

int generate(CommandContext& context, const GenerateOptions& options) {
    const NumberFormat format = parseNumberFormat(options.format);
    requireExtension("-o", options.output, ".npz");
    checkOutputFiles({options.output}, {});
    BoundSet set = randomBounds(options.bounds, format);
    context.progress().throwIfCancelled();
    writeBounds(options.output, set.matrices(), set.atomNames);
    if (options.json) {
        printJson(context.out(), {{"command", "generate"},
                                  {"algorithm", "bounds"},
                                  {"atoms", options.bounds.atoms},
                                  {"knownPairs", set.knownPairs},
                                  {"seed", options.bounds.seed},
                                  {"files", {options.output}}});
    } else {
        context.out() << fmt::format("Wrote {} ({}): {}\n", options.output,
                                     formatBytes(std::filesystem::file_size(options.output)),
                                     set.description);
    }
    return 0;
}

}  // namespace

CommandAction addGenerateTask(CLI::App& command) {
    auto options = std::make_shared<GenerateOptions>();
    command.add_option("--atoms", options->bounds.atoms, "Number of atoms")
        ->type_name("N")
        ->check(isPositive())
        ->required();
    command.add_option("-o,--output", options->output, "The file to write")
        ->type_name("FILE.npz")
        ->required();
    command.add_option("--known", options->bounds.known, "Share of all pairs that is known (default: 0.1)")
        ->type_name("SHARE");
    command
        .add_option("--tolerance", options->bounds.tolerance,
                    "Bounds of a known pair: distance ± this (default: 0.05)")
        ->type_name("Å");
    command.add_option("--seed", options->bounds.seed, "The same seed gives the same file (default: 1)")
        ->type_name("S");
    command
        .add_option("--format", options->format, "float32 (default), float64 or fixed (written as float64)")
        ->type_name("F");
    command.add_flag("--json", options->json, "Print the report as one JSON object");
    command.footer(
        "The atoms form a random chain as dense as a protein; pairs that are not known get the molecule's "
        "diameter\n"
        "and a hydrogen's as bounds, as in GPU Gems 2, section 43.1.\n\n"
        "Example:\n"
        "  glycine generate bounds --atoms 1024 --known 0.1 --seed 1 -o bounds.npz");
    return [options](CommandContext& context) { return generate(context, *options); };
}

}  // namespace glycine::bounds
