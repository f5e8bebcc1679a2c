#include <fmt/format.h>

#include <memory>

#include "app/bounds/bounds_commands.hpp"
#include "engine/bounds/input/random_bounds.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"

namespace glycine::bounds {

namespace {

struct GenerateOptions {
    RandomBoundsOptions bounds;
    NumberFormat format = NumberFormat::Float32;
    std::string output;
    bool json = false;
};

int generate(CommandContext& context, const Options& declared, const GenerateOptions& options) {
    requireExtension("-o", options.output, ".npz");
    checkOutputFiles({options.output}, {});
    BoundSet set = randomBounds(options.bounds, options.format, context.progress());
    context.progress().throwIfCancelled();
    writeBounds(options.output, set.matrices(), set.atomNames);
    context.clearProgressLine();
    printGenerated(context, options.json, "bounds", declared, {options.output}, set.description);
    return 0;
}

}  // namespace

CommandAction declareGenerate(Options& options) {
    auto generated = std::make_shared<GenerateOptions>();
    RandomBoundsOptions& bounds = generated->bounds;
    options.value("--atoms N", bounds.atoms, "Number of atoms").positive().required();
    options.value("-o,--output FILE.npz", generated->output, "The file to write").required().notASetting();
    options.value("--known SHARE", bounds.known, "Share of all pairs that is known").within(0, 1);
    options.value("--tolerance Å", bounds.tolerance, "Bounds of a known pair: distance ± this")
        .within(0, kLargestOptionAngstrom);
    options.value("--seed S", bounds.seed, "The same seed gives the same file");
    options.choice("--format F", generated->format, "float32, float64 or fixed (written as float64)");
    addJsonOption(options, generated->json);
    options.footer(
        "The atoms form a random chain as dense as a protein; pairs that are not known get the molecule's "
        "diameter\n"
        "and a hydrogen's as bounds, as in GPU Gems 2, section 43.1.\n\n"
        "Example:\n"
        "  glycine generate bounds --atoms 1024 --known 0.1 --seed 1 -o bounds.npz");
    return [generated, &options](CommandContext& context) { return generate(context, options, *generated); };
}

}  // namespace glycine::bounds
