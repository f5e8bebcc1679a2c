#include "app/planned_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "app/crossapen/compute_subjects.hpp"
#include "engine/bounds/block_layout.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/data_size.hpp"
#include "engine/core/error.hpp"
#include "engine/core/process_team.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/pairs/tile_sharing.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::planning {

namespace {

double numberOf(std::size_t count) {
    return static_cast<double>(count);
}

double pairsOf(const RunSize& size) {
    return numberOf(size.instances) * (numberOf(size.instances) - 1) / 2;
}
double entriesOf(const RunSize& size) {
    return numberOf(size.instances) * numberOf(size.attributes);
}
/// N² · M comparisons, as both orders of a pair count.
double comparisonsOf(const RunSize& size) {
    return 2 * pairsOf(size) * numberOf(size.attributes);
}
double cellsOf(const RunSize& size) {
    return pairsOf(size) * std::pow(numberOf(size.attributes), 2);
}
double relaxationsOf(const RunSize& size) {
    return 2 * std::pow(numberOf(size.instances), 3);
}
double matricesOf(const RunSize& size) {
    return 2 * std::pow(numberOf(size.instances), 2);
}
/// Of a file's epoch: every channel with every channel, every sample with every sample.
double matchesOf(const RunSize& size) {
    return entriesOf(size) * std::pow(numberOf(size.channels) * numberOf(size.samples), 2);
}
/// Three quantities of each ordered pair of channels.
double entropiesOf(const RunSize& size) {
    return 3 * entriesOf(size) * std::pow(numberOf(size.channels), 2);
}
double signalsOf(const RunSize& size) {
    return entriesOf(size) * numberOf(size.channels) * numberOf(size.samples);
}

/// Genotypes of a variant in a page of 4 KiB of a .bed file, whose variants hold all samples.
constexpr std::size_t kSamplesOfPage = 16384;
constexpr Costs kPlanned[] = {
    {"bounds", "float32", "N³ relaxations of the upper bounds, as many of the lower ones", relaxationsOf,
     matricesOf, matricesOf, 4, 4, 0},
    {"crossapen", "matches", "N² comparisons for every ordered pair of channels and epoch", matchesOf,
     entropiesOf, signalsOf, 2, 8, 0},
    {"distance", "genotypes", "N² · M comparisons", comparisonsOf, pairsOf, entriesOf, 0.25, 4,
     kSamplesOfPage},
    {"mutualinfo", "splines", "N² · M comparisons", comparisonsOf, pairsOf, entriesOf, 8, 8, 1},
    {"pairwise", "global", "cells of N (N − 1) / 2 tables of M²", cellsOf, pairsOf, entriesOf, 1, 8, 0},
};

struct NothingStored final : pairs::PairSink {
    void store(const pairs::PairTile&, MatrixView<const double>) override {}
};

std::vector<double> speedsOf(const RunRequest& request) {
    std::vector<double> speeds(request.workers(), 1.0);
    std::fill_n(speeds.begin(),
                static_cast<std::size_t>(std::round(request.slow * numberOf(request.workers()))), 0.5);
    return speeds;
}

/// The side that a real run takes if this machine has the backend. Else up to the largest side of devices.
std::size_t sideOfTiles(const RunRequest& request) {
    constexpr std::size_t kPreferred = 16384;
    const RunSize& size = request.size;
    std::unique_ptr<Backend> backend;
    try {
        backend = createNamedBackend(request.backend, {});
    } catch (const UnavailableError&) {
        return request.workers() == 1 ? std::min(size.instances, kPreferred)
                                      : pairs::sideForDevices(request.workers(), size.instances, kPreferred);
    }
    pairs::setParts(request.workers());
    if (request.costs->name == "distance")
        return distance::tileSide(*backend, distance::PairRequest{.shape = {.instances = size.instances,
                                                                            .attributes = size.attributes,
                                                                            .isGenotypes = true}});
    if (request.costs->name == "mutualinfo")
        return mutualinfo::tileSide(
            *backend, mutualinfo::InformationRequest{
                          .precision = request.precision.empty()
                                           ? mutualinfo::defaultPrecision(*backend)
                                           : fromString<mutualinfo::WeightPrecision>(request.precision),
                          .genes = size.instances,
                          .samples = size.attributes});
    return pairwise::tileSide(
        *backend, pairwise::PairwiseRequest{.sequences = size.instances, .longest = size.attributes});
}

/// How often the machines together read the input. `tiles` are those of the machine `machineOf` each;
/// machines read instances from multiples of `atOnce` on. Besides, each checks its share of the attributes of
/// all instances. A machine reads no part twice.
double timesRead(const std::vector<pairs::PairTile>& tiles, const std::vector<std::size_t>& machineOf,
                 std::size_t machines, std::size_t instances, std::size_t atOnce) {
    const double count = numberOf(machines);
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
        const double share = numberOf(read) / numberOf(instances);
        times += share + (1 - share) / count;
    }
    return times;
}

RunDivision divideTiles(const RunRequest& request) {
    const RunSize& size = request.size;
    RunDivision division{.side = request.tile > 0 ? request.tile : sideOfTiles(request)};
    constexpr double kMostASide = 20000;
    if (numberOf(size.instances) / numberOf(division.side) > kMostASide)
        throw UsageError(
            fmt::format("there are too many tiles of {} instances to list them; expected a larger --tile",
                        division.side));
    const std::vector<pairs::PairTile> tiles = pairs::tilesToShare(
        pairs::tilesOf(size.instances, division.side, 0), division.side, request.workers(), NothingStored());
    std::vector<double> work;
    for (const pairs::PairTile& tile : tiles) {
        work.push_back(numberOf(tile.pairs()) / pairsOf(size));
        const std::size_t operands =
            tile.isDiagonal() ? tile.rows.size() : tile.rows.size() + tile.columns.size();
        division.movedNumbers += numberOf(operands) * numberOf(size.attributes);
    }
    division.shares = tiles.size();
    SimulatedRun run = simulateShares(work, speedsOf(request));
    division.span = run.seconds;
    division.efficiency = run.efficiency;
    for (std::size_t& device : run.devices) device /= request.devices;
    division.timesRead =
        timesRead(tiles, run.devices, request.machines, size.instances, request.costs->readAtOnce);
    return division;
}

/// The blocks that workers share: of one matrix, which both kinds of bounds have.
RunDivision divideBlocks(const RunRequest& request) {
    const std::size_t workers = request.workers(), atoms = request.size.instances;
    // Depths of the blocks of each backend (docs/machines.md).
    const std::size_t usual = request.isOfProcessors()  ? (atoms < 1024 ? 64 : 128)
                              : request.backend == "gl" ? 64
                              : atoms <= 12288          ? 256
                                                        : 512;
    const bounds::BlockLayout layout(atoms, request.tile > 0 ? request.tile : usual, workers);
    constexpr std::size_t kMostASide = 20000;
    if (layout.count() > kMostASide)
        throw UsageError(fmt::format(
            "there are too many blocks of {} atoms to list them; expected a larger --tile", layout.side()));
    std::vector<double> own(workers);
    for (std::size_t row = 0; row < layout.count(); ++row)
        for (std::size_t column = row; column < layout.count(); ++column) ++own[layout.ownerOf(row, column)];
    const double blocks = std::accumulate(own.begin(), own.end(), 0.0);
    RunDivision division{.side = layout.side(), .shares = static_cast<std::size_t>(blocks)};
    division.span = std::ranges::max(own) / blocks;
    division.efficiency = 1 / (division.span * numberOf(workers));
    division.movedNumbers =
        5 * std::pow(numberOf(layout.count() * layout.side()), 2) * numberOf(layout.receivers());
    return division;
}

/// Files, or pieces of them. After the last share, the first process reads all files to sum them up; it has
/// kept the only one.
RunDivision divideFiles(const RunRequest& request) {
    const std::size_t files = request.size.instances, workers = request.workers();
    const std::vector<std::size_t> epochs(files, request.size.attributes);
    const bool isOfProcesses = workers > 1 && (request.machines > 1 || request.isOfProcessors());
    const std::vector<crossapen::EpochShare> shares =
        crossapen::sharesOfProcesses(epochs, isOfProcesses ? workers : 0);
    std::vector<double> work;
    for (const crossapen::EpochShare& share : shares)
        work.push_back(numberOf(share.epochs.size()) / entriesOf(request.size));
    const SimulatedRun run = simulateShares(work, speedsOf(request));
    RunDivision division{.shares = shares.size(),
                         .span = run.seconds,
                         .efficiency = run.efficiency,
                         .movedNumbers = signalsOf(request.size)};
    if (workers == 1) return division;
    std::set<std::pair<std::size_t, std::size_t>> reads;  // device and file
    for (std::size_t s = 0; s < shares.size(); ++s) reads.emplace(run.devices[s], shares[s].file);
    const double again = files > 1 ? 1 : 0;
    division.timesRead = numberOf(reads.size()) / numberOf(files) + again;
    division.firstReads = numberOf(static_cast<std::size_t>(std::ranges::count_if(
                              reads, [&](const auto& read) { return read.first < request.devices; }))) /
                              numberOf(files) +
                          again;
    return division;
}

MachineMemory memoryOfBounds(const RunRequest& request, const RunDivision& division) {
    constexpr auto kFormat = bounds::NumberFormat::Float32;
    const std::size_t workers = request.workers(), atoms = request.size.instances;
    const double matrix =
        std::pow(numberOf((atoms + division.side - 1) / division.side * division.side), 2) * sizeof(float);
    MachineMemory memory;
    memory.input = bounds::bytesForBounds(kFormat, atoms);
    memory.blocks = (request.isOfProcessors() ? 2 : 3) * matrix / numberOf(workers);
    memory.all = bounds::hostBytesForSmoothing(kFormat, atoms);
    if (workers == 1) return memory;
    // Blocks of cuda are in the host's memory only if a device has no room for them.
    memory.stages = bounds::hostBytesForSharing(
        kFormat, atoms, request.isOfProcessors() ? memory.blocks * numberOf(request.devices) : 0);
    memory.all = memory.stages->most();
    return memory;
}

}  // namespace

std::span<const Costs> plannedAlgorithms() {
    return kPlanned;
}

RunDivision divide(const RunRequest& request) {
    if (request.costs->isOfBounds()) return divideBlocks(request);
    return request.costs->isOfFiles() ? divideFiles(request) : divideTiles(request);
}

MachineMemory memoryOf(const RunRequest& request, const RunDivision& division) {
    if (request.costs->isOfBounds()) return memoryOfBounds(request, division);
    const RunSize& size = request.size;
    const double processes = numberOf(request.processesOfMachine());
    MachineMemory memory;
    if (request.costs->isOfFiles()) {
        // Each device has one file at a time, as numbers of eight bytes; processes may have the same one.
        const double files = processes > 1 ? processes : numberOf(std::min(request.devices, size.instances));
        memory.input = signalsOf(size) / numberOf(size.instances) * sizeof(double) * files;
        memory.all = memory.input;
        return memory;
    }
    if (!request.isInPlace) memory.input = request.inputBytes() * processes;
    // Devices compute a tile while the one before it is stored; what cpu prepares has a limit.
    constexpr double kPreparedOfProcess = 512. * (1 << 20);
    const double side = numberOf(std::min(division.side, size.instances));
    const double sets = request.isOfProcessors() || side >= numberOf(size.instances) ? 1 : 2;
    const double prepared =
        request.isOfProcessors() ? std::min(request.inputBytes(), kPreparedOfProcess * processes) : 0;
    memory.all = memory.input + prepared + sets * numberOf(request.devices) * side * side * sizeof(double);
    return memory;
}

}  // namespace glycine::planning
