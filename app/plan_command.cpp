#include "app/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "engine/bounds/block_layout.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/data_size.hpp"
#include "engine/core/error.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"
#include "engine/pairs/tile_sharing.hpp"
#include "engine/study/reports/study_report.hpp"

/// `glycine plan`: estimates the resources of a run on several machines by arithmetic.
namespace glycine {

namespace {

/// Costs per pair and per instance, for M attributes.
struct PlannedAlgorithm {
    std::string_view name;
    std::string_view series;      ///< series of a study whose rate counts the same operations
    std::string_view counted;     ///< what the rate counts
    double (*perPair)(double m);  ///< operations per unordered pair; null: planBounds
    double bytesPerAttribute;     ///< in device memory
    double bytesPerValue;
    /// Machines read the instances of their tiles, this many consecutive ones at a time; 0: each reads all.
    std::size_t readAtOnce;
};
/// Genotypes of a variant in a page of 4 KiB of a .bed file, whose variants hold all samples.
constexpr std::size_t kSamplesOfPage = 16384;
constexpr PlannedAlgorithm kPlanned[] = {
    {"distance", "genotypes", "N² · M comparisons", [](double m) { return 2 * m; }, 0.25, 4, kSamplesOfPage},
    {"mutualinfo", "splines", "N² · M comparisons", [](double m) { return 2 * m; }, 4, 4, 1},
    {"bounds", "float32", "N³ relaxations of the upper bounds, as many of the lower ones", nullptr, 0, 0, 0},
    {"pairwise", "global", "cells of N (N − 1) / 2 tables of M²", [](double m) { return m * m; }, 1, 4, 0},
};

struct PlanOptions {
    std::string algorithm;
    std::string size;
    std::string report;
    std::string backend = "cuda";
    std::size_t machines = 1;
    std::size_t devices = 1;
    std::size_t tile = 0;
    double slow = 0;
    double rate = 0;
    double storage = 2;
    std::uint64_t memory = 0;
    std::uint64_t disk = 0;
    bool json = false;
};

struct Plan {
    DataSize size;
    double rate = 0;         ///< operations per second and device
    double ceiling = 0;      ///< the rate at the device's ceiling; 0: unknown
    std::string measured{};  ///< origin of the rate
    double upload = 0;       ///< bytes per second into a device; 0: nothing is copied
    std::size_t tile = 0;
    std::size_t tiles = 0;
    double efficiency = 0;
    double readSeconds = 0, computeSeconds = 0, uploadSeconds = 0, writeSeconds = 0;
    double inputBytes = 0, movedBytes = 0, hostBytes = 0, diskBytes = 0;
    double readBytes = 0;                                 ///< of the input, by all machines together
    double blockBytes = 0;                                ///< of bounds: what one device holds
    std::optional<bounds::SharedHostBytes> stageBytes{};  ///< of bounds on several devices

    double seconds() const { return readSeconds + computeSeconds + uploadSeconds + writeSeconds; }
    /// The longest phase.
    std::string longest() const {
        return std::max({std::pair(readSeconds, "reading the input"), std::pair(computeSeconds, "computing"),
                         std::pair(uploadSeconds, "copying to devices"),
                         std::pair(writeSeconds, "writing the result")})
            .second;
    }
};

struct NothingStored final : pairs::PairSink {
    void store(const pairs::PairTile&, MatrixView<const double>) override {}
};

/// Takes the rate of the fastest verified row of the study, over all variants.
void takeRate(Plan& plan, const PlannedAlgorithm& algorithm, const PlanOptions& options) {
    const study::StudyReport report = study::readStudyReport(options.report);
    std::optional<study::TimedRow> best;
    for (const study::TimedRow& row : report.times())
        if (row.algorithm == algorithm.name && row.series == algorithm.series &&
            row.contender.backend == options.backend && row.hasTime() &&
            (!best || row.bestRate > best->bestRate))
            best = row;
    if (!best)
        throw InputError(fmt::format("{}: has no time of {} ({}) on {}; give a rate with --rate",
                                     options.report, algorithm.name, algorithm.series, options.backend));
    plan.rate = best->bestRate * 1e9;
    if (best->ceilingShare > 0) plan.ceiling = plan.rate / best->ceilingShare;
    plan.measured = fmt::format("{} of {}, {}", best->contender.label(), best->size(), report.label);
    for (const study::StudyStepReport& step : report.steps) {
        if (step.kind != "ceilings" || !step.isDone) continue;
        for (const Json& device : step.result.value("measured", Json::array()))
            for (const Json& ceiling : device.value("ceilings", Json::array()))
                if (device.at("device").value("backend", "") == options.backend &&
                    ceiling.value("name", "") == "upload")
                    plan.upload = ceiling.value("best", 0.0) * 1e9;
    }
}

/// Bounds of N atoms in float32, by the blocks that workers share. The first machine reads, hands out and
/// writes.
void planBounds(Plan& plan, const PlanOptions& options) {
    constexpr auto format = bounds::NumberFormat::Float32;
    const bool isCpu = options.backend == "cpu";
    const std::size_t workers = options.machines * options.devices, atoms = plan.size.instances;
    // Of cpu from 1,024 atoms on, of cuda above 12,288.
    const bounds::BlockLayout layout(atoms, options.tile > 0 ? options.tile : isCpu ? 128 : 512, workers);
    if (layout.count() > 20000)
        throw UsageError(fmt::format(
            "there are too many blocks of {} atoms to list them; expected a larger --tile", layout.side()));
    std::vector<double> own(workers);
    for (std::size_t row = 0; row < layout.count(); ++row)
        for (std::size_t column = row; column < layout.count(); ++column) ++own[layout.ownerOf(row, column)];
    const double blocks = std::accumulate(own.begin(), own.end(), 0.0);
    const auto devices = static_cast<double>(workers);
    plan.tile = layout.side();
    plan.tiles = static_cast<std::size_t>(blocks);
    plan.efficiency = blocks / (devices * std::ranges::max(own));
    plan.computeSeconds =
        2 * std::pow(static_cast<double>(atoms), 3) / (plan.rate * devices * plan.efficiency);
    const double matrix = std::pow(static_cast<double>(layout.count() * layout.side()), 2) * sizeof(float);
    plan.movedBytes = 5 * matrix * static_cast<double>(layout.receivers());
    if (plan.upload > 0) plan.uploadSeconds = plan.movedBytes / devices / plan.upload;
    plan.blockBytes = (isCpu ? 2 : 3) * matrix / devices;
    plan.inputBytes = plan.diskBytes = bounds::bytesForBounds(format, atoms);
    plan.hostBytes = bounds::hostBytesForSmoothing(format, atoms);
    if (workers > 1) {
        // Blocks of cuda are in the host's memory only if a device has no room for them.
        plan.stageBytes = bounds::hostBytesForSharing(
            format, atoms, isCpu ? plan.blockBytes * static_cast<double>(options.devices) : 0);
        plan.hostBytes = plan.stageBytes->most();
    }
    plan.readBytes = plan.inputBytes;
    plan.readSeconds = plan.readBytes / (options.storage * 1e9);
    plan.writeSeconds = plan.diskBytes / (options.storage * 1e9);
}

/// How often the machines together read the input. `tiles` are those of the machine `machineOf` each;
/// machines read instances from multiples of `atOnce` on. Besides, each checks its share of the attributes of
/// all instances. A machine reads no part twice.
double timesRead(const std::vector<pairs::PairTile>& tiles, const std::vector<std::size_t>& machineOf,
                 std::size_t machines, std::size_t instances, std::size_t atOnce) {
    const auto count = static_cast<double>(machines);
    if (atOnce == 0) return count;
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> needed(machines);
    for (std::size_t t = 0; t < tiles.size(); ++t)
        for (const Range& range : {tiles[t].rows, tiles[t].columns})
            needed[machineOf[t]].emplace_back(range.begin / atOnce * atOnce,
                                              std::min(roundUp(range.end, atOnce), instances));
    double times = 0;
    for (auto& ranges : needed) {
        std::ranges::sort(ranges);
        std::size_t read = 0, end = 0;
        for (const auto& [first, last] : ranges) {
            if (last > end) read += last - std::max(first, end);
            end = std::max(end, last);
        }
        const double share = static_cast<double>(read) / static_cast<double>(instances);
        times += share + (1 - share) / count;
    }
    return times;
}

Plan planRun(const PlanOptions& options, const PlannedAlgorithm& algorithm) {
    const bool isOfBounds = algorithm.perPair == nullptr;
    const bool isSquare = isOfBounds && options.size.find_first_not_of("0123456789") == std::string::npos;
    Plan plan{.size = parseDataSize(isSquare ? options.size + "x" + options.size : options.size)};
    if (isOfBounds && plan.size.instances != plan.size.attributes)
        throw UsageError(fmt::format("--size {}: bounds are square; expected N or NxN", options.size));
    if (!options.report.empty()) takeRate(plan, algorithm, options);
    if (options.rate > 0) {
        plan.rate = options.rate * 1e9;
        plan.measured = "--rate";
    }
    if (plan.rate == 0) throw UsageError("the speed of a device is not known; give --report or --rate");
    if (isOfBounds) {
        planBounds(plan, options);
        return plan;
    }
    const auto n = static_cast<double>(plan.size.instances);
    const auto m = static_cast<double>(plan.size.attributes);
    const std::size_t devices = options.machines * options.devices;
    // Tiles as in sharedSide, at most as large as devices prefer.
    constexpr std::size_t kPreferred = 16384;
    const double perSide = std::ceil(std::sqrt(18.0 * static_cast<double>(devices)));
    plan.tile = options.tile > 0 ? options.tile
                                 : std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(n / perSide)),
                                                           1, kPreferred);
    if (n / static_cast<double>(plan.tile) > 20000)
        throw UsageError(fmt::format(
            "there are too many tiles of {} instances to list them; expected a larger --tile", plan.tile));
    std::vector<double> work;
    const std::vector<pairs::PairTile> tiles = pairs::tilesToShare(
        pairs::tilesOf(plan.size.instances, plan.tile, 0), plan.tile, devices, NothingStored());
    for (const pairs::PairTile& tile : tiles) {
        work.push_back(static_cast<double>(tile.pairs()) * algorithm.perPair(m));
        const std::size_t operands =
            tile.isDiagonal() ? tile.rows.size() : tile.rows.size() + tile.columns.size();
        if (plan.upload > 0)
            plan.movedBytes += static_cast<double>(operands) * m * algorithm.bytesPerAttribute;
    }
    plan.tiles = work.size();
    std::vector<double> speeds(devices, plan.rate);
    const auto slow = static_cast<std::size_t>(std::round(options.slow * static_cast<double>(devices)));
    std::fill_n(speeds.begin(), slow, plan.rate / 2);
    SimulatedRun run = simulateShares(work, speeds);
    plan.efficiency = run.efficiency;
    plan.computeSeconds = run.seconds;
    if (plan.upload > 0) plan.uploadSeconds = plan.movedBytes / static_cast<double>(devices) / plan.upload;
    plan.inputBytes = n * m * algorithm.bytesPerAttribute;
    plan.diskBytes = n * (n - 1) / 2 * algorithm.bytesPerValue;
    const double storage = options.storage * 1e9;
    for (std::size_t& device : run.devices) device /= options.devices;
    plan.readBytes = plan.inputBytes * timesRead(tiles, run.devices, options.machines, plan.size.instances,
                                                 algorithm.readAtOnce);
    plan.readSeconds = plan.readBytes / storage;
    plan.writeSeconds = plan.diskBytes / storage;
    const auto side = static_cast<double>(std::min(plan.tile, plan.size.instances));
    plan.hostBytes =
        plan.inputBytes + 2 * static_cast<double>(options.devices) * side * side * sizeof(double);
    return plan;
}

/// The resource that is insufficient; empty if everything fits.
std::string lacking(const Plan& plan, const PlanOptions& options) {
    const auto larger = [](double bytes, std::uint64_t limit) {
        return limit > 0 && bytes > static_cast<double>(limit);
    };
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    if (larger(plan.hostBytes, options.memory))
        return fmt::format("memory: {} of {} a machine", bytes(plan.hostBytes), formatBytes(options.memory));
    if (larger(plan.diskBytes, options.disk))
        return fmt::format("disk: {} of {}", bytes(plan.diskBytes), formatBytes(options.disk));
    return "";
}

int plan(CommandContext& context, const PlanOptions& options) {
    const auto algorithm = std::ranges::find(kPlanned, options.algorithm, &PlannedAlgorithm::name);
    if (algorithm == std::end(kPlanned))
        throw UsageError(
            fmt::format("{} has no plan; known: bounds, distance, mutualinfo, pairwise", options.algorithm));
    const Plan planned = planRun(options, *algorithm);
    const std::string lack = lacking(planned, options);
    if (options.json) {
        Json json{{"command", "plan"},
                  {"algorithm", options.algorithm},
                  {"instances", planned.size.instances},
                  {"attributes", planned.size.attributes},
                  {"machines", options.machines},
                  {"devices", options.devices},
                  {"rate", planned.rate},
                  {"rateFrom", planned.measured},
                  {"tile", planned.tile},
                  {"tiles", planned.tiles},
                  {"efficiency", planned.efficiency},
                  {"seconds", planned.seconds()},
                  {"readSeconds", planned.readSeconds},
                  {"computeSeconds", planned.computeSeconds},
                  {"uploadSeconds", planned.uploadSeconds},
                  {"writeSeconds", planned.writeSeconds},
                  {"inputBytes", planned.inputBytes},
                  {"readBytes", planned.readBytes},
                  {"movedBytes", planned.movedBytes},
                  {"hostBytes", planned.hostBytes},
                  {"diskBytes", planned.diskBytes},
                  {"blockBytes", planned.blockBytes},
                  {"longest", planned.longest()},
                  {"lacks", lack}};
        if (planned.stageBytes)
            json["stageBytes"] = {{"reading", planned.stageBytes->reading},
                                  {"smoothing", planned.stageBytes->smoothing},
                                  {"checking", planned.stageBytes->checking},
                                  {"writing", planned.stageBytes->writing}};
        context.out() << json.dump(2) << '\n';
        return 0;
    }
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    const bool isOfBounds = algorithm->perPair == nullptr;
    Fields fields{
        {"Run", fmt::format("{} of {} on {} with {} of {} each", options.algorithm,
                            formatDataSize(planned.size), formatCount(options.machines, "machine"),
                            formatCount(options.devices, "device"), options.backend)},
        {"Rate", fmt::format("{} G/s a device ({}), {}", formatNumber(planned.rate * 1e-9), planned.measured,
                             algorithm->counted)},
        {isOfBounds ? "Blocks" : "Tiles",
         fmt::format("{} of side {}: {} of what the devices can do", formatCount(planned.tiles),
                     formatCount(planned.tile), formatShare(planned.efficiency, 1))},
        {"Time", fmt::format("{}: reading {}, computing {}, copying to devices {}, writing {}",
                             formatSeconds(planned.seconds()), formatSeconds(planned.readSeconds),
                             formatSeconds(planned.computeSeconds), formatSeconds(planned.uploadSeconds),
                             formatSeconds(planned.writeSeconds))}};
    if (planned.ceiling > 0)
        fields.emplace_back(
            "", fmt::format("computing would take {} if kernels reached the device's ceiling",
                            formatSeconds(planned.computeSeconds * planned.rate / planned.ceiling)));
    if (isOfBounds) {
        fields.emplace_back("Memory", fmt::format("{} on the first machine, {} of it the input; {} of blocks "
                                                  "per device, which may lie in its host's memory",
                                                  bytes(planned.hostBytes), bytes(planned.inputBytes),
                                                  bytes(planned.blockBytes)));
        if (planned.stageBytes) {
            const auto perPair = [&](double stage) {
                return formatNumber(stage / std::pow(static_cast<double>(planned.size.instances), 2));
            };
            fields.emplace_back(
                "", fmt::format("bytes per ordered pair of atoms: reading {}, smoothing {}, checking {}, "
                                "writing {}",
                                perPair(planned.stageBytes->reading), perPair(planned.stageBytes->smoothing),
                                perPair(planned.stageBytes->checking), perPair(planned.stageBytes->writing)));
        }
        fields.emplace_back("Disk", fmt::format("{} for the result", bytes(planned.diskBytes)));
    } else {
        fields.emplace_back("Read",
                            fmt::format("{} by all machines, {} times the input", bytes(planned.readBytes),
                                        formatNumber(planned.readBytes / planned.inputBytes)));
        fields.emplace_back("Memory", fmt::format("{} a machine, {} of it the input",
                                                  bytes(planned.hostBytes), bytes(planned.inputBytes)));
        fields.emplace_back(
            "Disk", fmt::format("{} for the values of all pairs, each once", bytes(planned.diskBytes)));
    }
    if (planned.movedBytes > 0)
        fields.emplace_back("Moved", fmt::format("{} {}", bytes(planned.movedBytes),
                                                 isOfBounds ? "of panels between devices" : "to devices"));
    fields.emplace_back("Limit",
                        lack.empty() ? planned.longest() + " takes most of the time" : "no room: " + lack);
    printFields(context.out(), fields, terminalWidth());
    return 0;
}

}  // namespace

CommandAction declarePlan(Options& options) {
    auto planned = std::make_shared<PlanOptions>();
    options.value("ALGORITHM", planned->algorithm, "Algorithm: bounds, distance, mutualinfo or pairwise")
        .required();
    options
        .value("--size NxM", planned->size,
               "Instances x attributes, genes x samples, sequences x letters; for bounds only atoms")
        .required();
    options.value("--machines N", planned->machines, "Number of machines that share the tiles")
        .within(1, 1 << 16);
    options.value("--devices N", planned->devices, "Number of devices per machine").within(1, 1 << 10);
    options.value("--slow SHARE", planned->slow, "Share of devices with half the speed, 0 to 1").within(0, 1);
    options.value("--report FILE", planned->report,
                  "Study report (report.json, or .gz); the algorithm's fastest verified time gives the rate");
    options.value("--backend NAME", planned->backend, "Backend of the rate in the report");
    options.value("--rate G", planned->rate, "Rate of a device in 10^9 per second, instead of the report's")
        .byDefault("")
        .above(0, 1e12);
    options.value("--tile N", planned->tile, "Side of the tiles")
        .byDefault("at least nine tiles per device, up to 16384")
        .positive();
    options
        .value("--storage GB/S", planned->storage,
               "Throughput of the shared folder, in 10^9 bytes per second")
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
        "real runs. Reading, computing, copying and writing are assumed to follow one another. Machines\n"
        "read the genotypes (.bed) or genes (.npy) of their tiles; sequences are read by each machine.\n\n"
        "Examples:\n"
        "  glycine plan distance --size 500000x1000000 --machines 8 --devices 8 --report report.json.gz\n"
        "  glycine plan bounds --size 400000 --machines 4 --devices 8 --rate 23000\n"
        "  glycine plan mutualinfo --size 20000x1000000 --machines 4 --rate 1300 --backend cpu --memory "
        "512G");
    return [planned](CommandContext& context) { return plan(context, *planned); };
}

}  // namespace glycine
