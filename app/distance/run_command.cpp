#include <fmt/format.h>

#include <memory>

#include "app/distance/distance_commands.hpp"
#include "app/distance/distance_report.hpp"
#include "app/distance/run_options.hpp"
#include "engine/algorithms/distance/distance_algorithm.hpp"
#include "engine/algorithms/distance/pair_values.hpp"
#include "engine/command/default_backend.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_identity.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/files/pair_files.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// Whether all values are whole numbers that int32 holds.
bool isCount(const RunOptions& run, const DataSet& data) {
    return !data.view().isCoordinates() &&
           (run.distance.measure == Measure::Mismatch || run.distance.measure == Measure::Allele) &&
           (run.distance.missing == MissingRule::Ignore || !data.discrete->shape().hasMissing) &&
           data.view().attributes() < (std::size_t{1} << 30);
}

RunIdentity identify(const Options& declared, const RunOptions& run, const DataSet& data,
                     const Backend& backend) {
    RunIdentity identity(declared);
    identity.add("instances", fmt::format("{}", data.view().instances()));
    identity.add("attributes", fmt::format("{}", data.view().attributes()));
    identity.addContents("contents of the input", inputFiles(run.input));
    identity.add("tile", fmt::format("{}", run.distance.tile));
    // Counts are the same everywhere; sums of coordinates depend on their order.
    if (data.view().isCoordinates()) {
        identity.add("backend", backend.name());
        identity.add("variant", run.backend.variant);
    }
    return identity;
}

/// The values while tiles come in: in memory when there is one tile, else where a stop leaves them.
struct Keeping {
    std::unique_ptr<pairs::PairStore> store;
    bool survivesStop = false;
    bool becomesOutput = false;  ///< the kept file becomes the first output
};

Keeping openStore(const Options& declared, const RunOptions& run, const std::vector<Output>& outputs,
                  const DataSet& data, const Backend& backend) {
    const Output& first = outputs.front();
    const std::size_t instances = data.view().instances();
    // As the first file has its elements; where that is a .npy file, the kept file becomes it.
    const pairs::PairFormat format{
        {instances, suitableLayout(first.format, run.files)},
        run.valueType.value_or(isCount(run, data) ? pairs::ValueType::Int32 : pairs::ValueType::Float64),
        diagonalValue(run.distance.measure)};
    Keeping keeping;
    keeping.survivesStop = pairs::tilesBelowDiagonal(instances, run.distance.tile).size() > 1;
    keeping.becomesOutput = keeping.survivesStop && first.format == ResultFormat::Npy;
    if (keeping.survivesStop)
        keeping.store = std::make_unique<pairs::PairStore>(
            first.path, identify(declared, run, data, backend).text(), format,
            keeping.becomesOutput ? pairs::npyHeader(format.layout, format.type) : "", run.restart);
    else
        keeping.store = std::make_unique<pairs::PairStore>(format);
    return keeping;
}

DistanceReport computeInto(const Keeping& keeping, CommandContext& context, Backend& backend,
                           const DataSet& data, const RunOptions& run) {
    try {
        return computeDistances(backend, data.view(), run.distance, *keeping.store, context.progress());
    } catch (const CancelledError&) {
        if (!keeping.survivesStop) throw;
        throw CancelledError(fmt::format(
            "stopped; finished tiles are kept in {}.unfinished: the same command goes on from there",
            run.outputs.front()));
    }
}

void writeOutputs(Keeping& keeping, const RunOptions& run, const std::vector<Output>& outputs,
                  const DataSet& data, const RunReport& report, Progress& progress) {
    const ResultLabels labels{data.names, data.familyIds, run.distance.measure};
    if (!run.png.empty())
        drawResult(run.png, *keeping.store, labels, run.isClustered, data.description,
                   fmt::format("{} {} on {}, {}", describeBuild(), report.distances.backend,
                               report.device.device, report.distances.variant),
                   progress);
    for (const Output& output : outputs)
        if (!(keeping.becomesOutput && &output == &outputs.front()))
            writeResult(output.path, output.format, *keeping.store, labels, run.files, progress);
    if (keeping.becomesOutput)
        keeping.store->becomeOutput();
    else
        keeping.store->discard();
}

int runDistance(CommandContext& context, const Options& declared, RunOptions& run) {
    completeRunOptions(declared, run);
    requireInputKind(run.input);
    checkBackendUse(declared, algorithm(), run.backend);
    // The measure may still depend on the data; contradictions between names and options do not.
    RunReport report;
    report.files = filesToWrite(run, planOutputs(run));
    checkOutputFiles(report.files, inputFiles(run.input));

    Stopwatch watch;
    const DataSet data = readDataSet(run.input, run.reading);
    report.readSeconds = watch.restart();
    context.progress().throwIfCancelled();
    completeForData(run, data);
    const std::vector<Output> outputs = planOutputs(run);

    const BackendChoice choice = selectBackend(declared, run.backend, [&](Backend& backend) {
        return supportsDistances(backend, data.view(), run.distance);
    });
    run.distance.tile = tileSide(*choice.backend, data.view(), run.distance);
    Keeping keeping = openStore(declared, run, outputs, data, *choice.backend);

    watch.restart();
    report.distances = computeInto(keeping, context, *choice.backend, data, run);
    report.computeSeconds = watch.restart();
    context.clearProgressLine();

    report.options = &declared;
    report.device = describeDevice(*choice.backend, run.backend.device);
    report.backendReason = choice.reason;
    report.input = data.description;
    report.notes = data.notes;
    report.names = data.names;
    report.measure = run.distance.measure;
    report.missing = run.distance.missing;
    report.hasMissing = !data.view().isCoordinates() && data.discrete->shape().hasMissing;
    report.summary = summarizeValues(*keeping.store, diagonalValue(run.distance.measure));

    watch.restart();
    writeOutputs(keeping, run, outputs, data, report, context.progress());
    context.clearProgressLine();
    report.writeSeconds = watch.seconds();
    printRunReport(context, report, run.json);
    return 0;
}

}  // namespace

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareRunOptions(options, *run);
    return [run, &options](CommandContext& context) { return runDistance(context, options, *run); };
}

}  // namespace glycine::distance
