#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/commands.hpp"
#include "app/measured_run.hpp"
#include "app/planned_run.hpp"
#include "app/study_rates.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/command/time_report.hpp"
#include "engine/core/data_size.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

/// `glycine plan`: estimates the resources of a run on several machines by arithmetic.
namespace glycine {

namespace {

using planning::Costs;
using planning::RunSize;

struct PlanOptions {
    std::string algorithm;
    std::string size;
    std::string report;
    std::string backend;
    std::size_t machines = 1;
    std::size_t devices = 1;
    std::size_t tile = 0;
    std::size_t channels = 0;
    std::size_t samples = 0;
    double slow = 0;
    double rate = 0;
    double storage = 2;
    std::uint64_t memory = 0;
    std::uint64_t disk = 0;
    bool json = false;
};

struct Plan {
    planning::RunRequest request{};
    planning::RunDivision division{};
    planning::MachineMemory memory{};
    double rate = 0;         ///< operations per second and device
    double ceiling = 0;      ///< the rate at the device's ceiling; 0: unknown
    std::string measured{};  ///< origin of the rate
    std::vector<TimedStage> stages{};
    double movedBytes = 0;  ///< to devices; of bounds between workers
    bool isOfRun = false;   ///< whether a measured run has the stages

    double seconds() const {
        double all = 0;
        for (const TimedStage& stage : stages) all += stage.seconds;
        return all;
    }
    double computeSeconds() const { return request.costs->operations(request.size) / rate * division.span; }
    double readBytes() const { return request.inputBytes() * division.timesRead; }
    std::string longest() const {
        const auto stage = std::ranges::max_element(stages, {}, &TimedStage::seconds);
        return stage == stages.end() ? "" : std::string(wordsOf(stage->stage));
    }
};

/// The size by --size. `sample`: of the measured run, which has what the option leaves out; null without one.
RunSize sizeOf(const PlanOptions& options, const Costs& costs, const RunSize* sample) {
    const bool isOneNumber = options.size.find_first_not_of("0123456789") == std::string::npos;
    std::string text = options.size;
    if (isOneNumber && costs.isOfBounds())
        text += "x" + options.size;
    else if (isOneNumber && sample != nullptr)
        text += fmt::format("x{}", sample->attributes);
    const DataSize parsed = parseDataSize(text);
    if (costs.isOfBounds() && parsed.instances != parsed.attributes)
        throw UsageError(fmt::format("--size {}: bounds are square; expected N or NxN", options.size));
    RunSize size{parsed.instances, parsed.attributes};
    if (!costs.isOfFiles()) {
        if (options.channels > 0 || options.samples > 0)
            throw UsageError("--channels and --epoch are those of crossapen");
        if (size.instances < 2 && !costs.isOfBounds())
            throw UsageError(
                fmt::format("--size {}: there is no pair; expected at least two instances", options.size));
        return size;
    }
    // The rate of a run is that of its own epochs.
    if (sample != nullptr && (options.channels > 0 || options.samples > 0))
        throw UsageError("--channels and --epoch are those of the report's run; leave them out");
    if (sample == nullptr && (options.channels == 0 || options.samples == 0))
        throw UsageError(
            "an epoch's size is not known; give --channels and --epoch, or the --report of a run");
    size.channels = sample != nullptr ? sample->channels : options.channels;
    size.samples = sample != nullptr ? sample->samples : options.samples;
    return size;
}

/// The stages of a run at these rates, one after another.
void stageByRates(Plan& plan, const PlanOptions& options, double upload) {
    const auto workers = static_cast<double>(plan.request.workers());
    const double storage = options.storage * 1e9;
    plan.stages = {{.stage = "read", .seconds = plan.readBytes() / storage},
                   {.stage = "compute", .seconds = plan.computeSeconds()}};
    if (upload > 0) plan.stages.push_back({.stage = "upload", .seconds = plan.movedBytes / workers / upload});
    plan.stages.push_back({.stage = "write", .seconds = plan.request.valueBytes() / storage});
}

Plan planRun(const PlanOptions& options, const Costs& costs) {
    Plan plan;
    planning::RunRequest& request = plan.request;
    request = {.costs = &costs,
               .backend = options.backend.empty() ? "cuda" : options.backend,
               .machines = options.machines,
               .devices = options.devices,
               .tile = options.tile,
               .slow = options.slow,
               .isInPlace = costs.readAtOnce > 0};
    std::optional<planning::MeasuredRun> run;
    std::optional<study::StudyReport> study;
    if (!options.report.empty()) {
        const Json report = study::readStudyJson(options.report);
        if (planning::isRunReport(report))
            run = planning::readMeasuredRun(report, options.report, costs);
        else if (report.is_object() && report.contains("schema"))
            study = study::parseStudyReport(report, options.report);
        else
            throw InputError(fmt::format(
                "{}: neither the report of a study (report.json) nor of a run (--json)", options.report));
    }
    if (run) {
        if (options.rate > 0) throw UsageError("the report of a run has its own rate; leave --rate out");
        if (!options.backend.empty() && options.backend != run->request.backend)
            throw UsageError(fmt::format("--backend {}: the run of {} was on {}", options.backend,
                                         options.report, run->request.backend));
        request.backend = run->request.backend;
        request.precision = run->request.precision;
        request.isInPlace = run->request.isInPlace;
        request.bytesPerValue = run->request.bytesPerValue;
    }
    request.size = sizeOf(options, costs, run ? &run->request.size : nullptr);
    planning::StudyRate ofStudy;
    if (study) ofStudy = planning::rateOfStudy(*study, request);
    // Processes of a machine share its processors, whose rate reports have.
    const auto sharing = static_cast<double>(request.isOfProcessors() ? request.devices : 1);
    plan.rate = (run ? run->rate() : ofStudy.rate) / sharing;
    plan.ceiling = ofStudy.ceiling / sharing;
    plan.measured = run ? run->label : ofStudy.from;
    if (options.rate > 0) {
        plan.rate = options.rate * 1e9;
        plan.measured = "--rate";
    }
    if (plan.rate == 0) throw UsageError("the speed of a device is not known; give --report or --rate");
    plan.division = planning::divide(request);
    plan.memory = planning::memoryOf(request, plan.division);
    const bool isMoved = costs.isOfBounds() || ofStudy.upload > 0 || (run && !request.isOfProcessors());
    if (isMoved) plan.movedBytes = plan.division.movedNumbers * costs.bytesPerNumber;
    plan.isOfRun = run.has_value();
    if (run)
        plan.stages = planning::scaleStages(*run, request, plan.division);
    else
        stageByRates(plan, options, ofStudy.upload);
    return plan;
}

/// The resource that is insufficient; empty if everything fits.
std::string lacking(const Plan& plan, const PlanOptions& options) {
    const auto larger = [](double bytes, std::uint64_t limit) {
        return limit > 0 && bytes > static_cast<double>(limit);
    };
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    if (larger(plan.memory.all, options.memory))
        return fmt::format("memory: {} of {} a machine", bytes(plan.memory.all), formatBytes(options.memory));
    if (larger(plan.request.valueBytes(), options.disk))
        return fmt::format("disk: {} of {}", bytes(plan.request.valueBytes()), formatBytes(options.disk));
    return "";
}

Json toJson(const Plan& plan, const std::string& lack) {
    const planning::RunRequest& request = plan.request;
    Json json{{"command", "plan"},
              {"algorithm", request.costs->name},
              {"backend", request.backend},
              {"instances", request.size.instances},
              {"attributes", request.size.attributes},
              {"machines", request.machines},
              {"devices", request.devices},
              {"rate", plan.rate},
              {"rateFrom", plan.measured},
              {"tile", plan.division.side},
              {"tiles", plan.division.shares},
              {"efficiency", plan.division.efficiency},
              {"seconds", plan.seconds()},
              {"inputBytes", request.inputBytes()},
              {"readBytes", plan.readBytes()},
              {"movedBytes", plan.movedBytes},
              {"hostBytes", plan.memory.all},
              {"diskBytes", request.valueBytes()},
              {"blockBytes", plan.memory.blocks},
              {"longest", plan.longest()},
              {"lacks", lack}};
    for (const TimedStage& stage : plan.stages) json["stages"][stage.stage] = stage.seconds;
    if (request.costs->isOfFiles()) {
        json["channels"] = request.size.channels;
        json["samples"] = request.size.samples;
    }
    if (plan.memory.stages)
        json["stageBytes"] = {{"reading", plan.memory.stages->reading},
                              {"smoothing", plan.memory.stages->smoothing},
                              {"checking", plan.memory.stages->checking},
                              {"writing", plan.memory.stages->writing}};
    return json;
}

void addMemory(Fields& fields, const Plan& plan) {
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    const planning::MachineMemory& memory = plan.memory;
    if (!plan.request.costs->isOfBounds()) {
        fields.emplace_back("Memory",
                            fmt::format("{} a machine, {}", bytes(memory.all),
                                        memory.input > 0 ? bytes(memory.input) + " of it the input"
                                                         : "without the input, which is read where it lies"));
        return;
    }
    fields.emplace_back("Memory", fmt::format("{} on the first machine, {} of it the input; {} of blocks per "
                                              "device, which may lie in its host's memory",
                                              bytes(memory.all), bytes(memory.input), bytes(memory.blocks)));
    if (!memory.stages) return;
    const auto perPair = [&](double stage) {
        return formatNumber(stage / std::pow(static_cast<double>(plan.request.size.instances), 2));
    };
    fields.emplace_back("", fmt::format("bytes per ordered pair of atoms: reading {}, smoothing {}, checking "
                                        "{}, writing {}",
                                        perPair(memory.stages->reading), perPair(memory.stages->smoothing),
                                        perPair(memory.stages->checking), perPair(memory.stages->writing)));
}

void print(std::ostream& out, const Plan& plan, const std::string& lack) {
    const planning::RunRequest& request = plan.request;
    const Costs& costs = *request.costs;
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    const std::string epochs =
        costs.isOfFiles() ? fmt::format(" epochs of {} × {}", formatCount(request.size.channels, "channel"),
                                        formatCount(request.size.samples, "sample"))
                          : "";
    Fields fields{
        {"Run", fmt::format("{} of {}{} on {} with {} of {} each", costs.name,
                            formatDataSize({request.size.instances, request.size.attributes}), epochs,
                            formatCount(request.machines, "machine"), formatCount(request.devices, "device"),
                            request.backend)},
        {"Rate", fmt::format("{} G/s a device ({}), {}", formatNumber(plan.rate * 1e-9), plan.measured,
                             costs.counted)},
        {costs.isOfBounds()  ? "Blocks"
         : costs.isOfFiles() ? "Shares"
                             : "Tiles",
         fmt::format(
             "{}{}: {} of what the devices can do", formatCount(plan.division.shares),
             costs.isOfFiles() ? " of epochs" : fmt::format(" of side {}", formatCount(plan.division.side)),
             formatShare(plan.division.efficiency, 1))},
        {"Time", describeTimes(plan.seconds(), plan.stages, true)}};
    if (!plan.isOfRun)
        fields.emplace_back("",
                            "without start-up, preparing, checking and storing: --report of a run has them");
    if (plan.ceiling > 0)
        fields.emplace_back("", fmt::format("computing would take {} if kernels reached the device's ceiling",
                                            formatSeconds(plan.computeSeconds() * plan.rate / plan.ceiling)));
    if (!costs.isOfBounds())
        fields.emplace_back("Read",
                            fmt::format("{} by all machines, {} times the input", bytes(plan.readBytes()),
                                        formatNumber(plan.division.timesRead)));
    addMemory(fields, plan);
    fields.emplace_back("Disk", fmt::format("{} for {}", bytes(request.valueBytes()),
                                            costs.isOfBounds()  ? "the result"
                                            : costs.isOfFiles() ? "the values of all epochs"
                                                                : "the values of all pairs, each once; a "
                                                                  "square .npy takes twice as much"));
    if (plan.movedBytes > 0)
        fields.emplace_back("Moved",
                            fmt::format("{} {}", bytes(plan.movedBytes),
                                        costs.isOfBounds() ? "of panels between devices" : "to devices"));
    fields.emplace_back("Limit",
                        lack.empty() ? plan.longest() + " takes most of the time" : "no room: " + lack);
    printFields(out, fields, terminalWidth());
}

int plan(CommandContext& context, const PlanOptions& options) {
    const std::span<const Costs> known = planning::plannedAlgorithms();
    const auto costs = std::ranges::find(known, options.algorithm, &Costs::name);
    if (costs == known.end()) {
        std::string names;
        for (const Costs& one : known) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
        throw UsageError(fmt::format("{} has no plan; known: {}", options.algorithm, names));
    }
    const Plan planned = planRun(options, *costs);
    const std::string lack = lacking(planned, options);
    if (options.json)
        context.out() << toJson(planned, lack).dump(2) << '\n';
    else
        print(context.out(), planned, lack);
    return 0;
}

}  // namespace

CommandAction declarePlan(Options& options) {
    auto planned = std::make_shared<PlanOptions>();
    options
        .value("ALGORITHM", planned->algorithm,
               "Algorithm: bounds, crossapen, distance, mutualinfo or pairwise")
        .required();
    options
        .value("--size NxM", planned->size,
               "Instances x attributes, genes x samples, sequences x letters, files x epochs; atoms of "
               "bounds\n(N alone with the report of a run: as many attributes as there)")
        .required();
    options.value("--machines N", planned->machines, "Number of machines that share the tiles")
        .within(1, 1 << 16);
    options
        .value("--devices N", planned->devices,
               "Number of devices per machine; of cpu, processes that share its processors")
        .within(1, 1 << 10);
    options.value("--slow SHARE", planned->slow, "Share of devices with half the speed, 0 to 1").within(0, 1);
    options.value(
        "--report FILE", planned->report,
        "Report of a run on such a machine, on a sample of the data (its --json; recommended), or of a "
        "study (report.json); also .gz");
    options.value("--backend NAME", planned->backend, "Backend of the rate in a study's report")
        .byDefault("cuda, or that of the report's run");
    options.value("--rate G", planned->rate, "Rate of a device in 10^9 per second, instead of a study's")
        .byDefault("")
        .above(0, 1e12);
    options.value("--tile N", planned->tile, "Side of the tiles")
        .byDefault("that of a real run; up to 16384 if this machine lacks the backend")
        .positive();
    options.value("--channels N", planned->channels, "Channels of crossapen's files, without a run's report")
        .byDefault("")
        .positive();
    options
        .value("--epoch SAMPLES", planned->samples, "Samples of crossapen's epochs, without a run's report")
        .byDefault("")
        .positive();
    options
        .value("--storage GB/S", planned->storage,
               "Throughput of the shared folder, in 10^9 bytes per second\n, without a run's report")
        .above(0, 1e6);
    const auto size = [&](const char* names, std::uint64_t& target, const char* help) {
        options.parsed(
            names, [&target](const std::string& text) { target = parseByteSize(text); },
            [&target] { return target > 0 ? fmt::format("{}", target) : ""; }, help);
    };
    size("--memory SIZE", planned->memory, "Memory of a machine, to report what does not fit");
    size("--disk SIZE", planned->disk, "Free disk space, to report what does not fit");
    addJsonOption(options, planned->json);
    options.footer(
        "Nothing is computed: simulated devices get the tiles of the result from the same code as in\n"
        "real runs. Measure a sample, plan the whole: with the report of a run, each of its stages is\n"
        "scaled by its own law. With a study's report or --rate, reading, computing, copying and writing\n"
        "follow one another. Machines read the genotypes (.bed) or genes (.npy) of their tiles; sequences\n"
        "and text are read by each process.\n\n"
        "Examples:\n"
        "  glycine distance sample.bed -o sample.npy --backend cuda --json > run.json\n"
        "  glycine plan distance --size 500000x1000000 --machines 8 --devices 8 --report run.json\n"
        "  glycine plan bounds --size 400000 --machines 4 --devices 8 --rate 23000\n"
        "  glycine plan crossapen --size 100x200 --channels 64 --epoch 1024 --rate 70 --backend cpu");
    return [planned](CommandContext& context) { return plan(context, *planned); };
}

}  // namespace glycine
