#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/core/time_line.hpp"

/// A run on paper: its operations and bytes, and how machines and devices share it. Nothing is computed.
namespace glycine::planning {

/// The size of a run.
struct RunSize {
    std::size_t instances = 0;   ///< also genes, sequences, atoms, files of crossapen
    std::size_t attributes = 0;  ///< also samples of a gene, letters, epochs of a file; atoms of bounds
    std::size_t channels = 0;    ///< of crossapen
    std::size_t samples = 0;     ///< per channel and epoch of crossapen
};

/// What an algorithm's run of some size takes.
struct Costs {
    std::string_view name;
    std::string_view series;                 ///< series of a study whose rate counts the same operations
    std::string_view counted;                ///< what a rate counts
    double (*operations)(const RunSize&);    ///< of the whole run, as a rate counts them
    double (*values)(const RunSize&);        ///< numbers of the result
    double (*inputNumbers)(const RunSize&);  ///< numbers of the input
    double bytesPerNumber;                   ///< of the input
    double bytesPerValue;                    ///< of the result
    /// Machines read the instances of their tiles, this many consecutive ones at a time; 0: each reads all.
    std::size_t readAtOnce;

    bool isOfBounds() const { return name == "bounds"; }
    bool isOfFiles() const { return name == "crossapen"; }
};
/// The algorithms that have a plan.
std::span<const Costs> plannedAlgorithms();

/// A run and the devices that compute it. On `cpu`, the devices of a machine are processes that share its
/// processors.
struct RunRequest {
    const Costs* costs = nullptr;
    RunSize size{};
    std::string backend{};
    std::string precision{};  ///< of mutualinfo; empty: the backend's
    std::size_t machines = 1;
    std::size_t devices = 1;   ///< per machine
    std::size_t tile = 0;      ///< side of the tiles or blocks; 0: that of a real run
    double slow = 0;           ///< share of devices with half the speed
    bool isInPlace = false;    ///< the input is read where it lies, not into memory
    double bytesPerValue = 0;  ///< 0: that of `costs`

    std::size_t workers() const { return machines * devices; }
    bool isOfProcessors() const { return backend == "cpu"; }
    /// Processes of one machine. Without other machines, one process uses all devices of `cuda` or `gl`.
    std::size_t processesOfMachine() const { return isOfProcessors() || machines > 1 ? devices : 1; }
    double inputBytes() const { return costs->inputNumbers(size) * costs->bytesPerNumber; }
    double valueBytes() const {
        return costs->values(size) * (bytesPerValue > 0 ? bytesPerValue : costs->bytesPerValue);
    }
};

/// How devices share a run.
struct RunDivision {
    std::size_t side = 0;  ///< of tiles or blocks; 0: the shares are epochs of files
    std::size_t shares = 0;
    /// Time until the last device has computed its shares, as a multiple of what one device takes for all.
    double span = 1;
    double efficiency = 1;    ///< work done over the work that all devices could do in this time
    double timesRead = 1;     ///< how often all machines together read the input
    double firstReads = 1;    ///< of `crossapen`: how often the first machine reads it
    double movedNumbers = 0;  ///< of the input, to devices; of `bounds`: of panels between workers
};
/// Hands out tiles, blocks or files to simulated devices by the code of real runs. Throws UsageError if
/// there are too many to list them.
RunDivision divide(const RunRequest& request);

/// Memory of a machine, in bytes.
struct MachineMemory {
    double all = 0;
    double input = 0;                                 ///< part of it; 0 if it is read in place
    double blocks = 0;                                ///< of bounds: what one device holds
    std::optional<bounds::SharedHostBytes> stages{};  ///< of bounds on several devices
};
MachineMemory memoryOf(const RunRequest& request, const RunDivision& division);

}  // namespace glycine::planning
