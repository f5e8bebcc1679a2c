#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Probes through which backends measure what their devices can do at most, one kind of work at a time.
/// Results are compared with these ceilings (engine/study/device_ceilings.hpp measures them).
namespace glycine {

/// The work and time of one probe run.
struct ProbeRun {
    double amount = 0;   ///< in 10⁹ of the unit; for a probe in µs, the number of repetitions
    double seconds = 0;  ///< until the device was idle
    /// For a probe in µs whose batches are timed individually: the shortest time per repetition of all
    /// batches, in seconds. 0: the run is timed as a whole.
    double least = 0;

    /// In 10⁹ per second; 0 if the clock shows no time.
    double rate() const { return seconds > 0 ? amount / seconds : 0; }
};

/// One kind of work that a device runs as fast as it can.
struct DeviceProbe {
    /// Runs `portions` portions, waits for the end and compares the result with the expected one. Throws
    /// DeviceError that states both if they differ.
    using Runner = std::function<ProbeRun(std::size_t portions)>;

    std::string name;  ///< kind and number format: "add+min float32"; the same on all backends
    std::string unit;  ///< "G/s", "GB/s", "Gbit/s", or "µs" if the result is a time per repetition
    std::string how;   ///< what is measured, in one line
    /// Allocates the memory and prepares the runs. Throws UnavailableError.
    std::function<Runner()> start{};
    std::string absent{};  ///< why it cannot be measured here; `start` is empty then

    bool isTime() const { return unit == "µs"; }
};

/// The best of several ways to do the same work. Each run executes all ways in turn and returns the run with
/// the highest rate, so one slow run excludes no way. Requires at least one way.
DeviceProbe::Runner fastestOf(std::vector<DeviceProbe::Runner> ways);

/// For a probe in µs: runs and times `portions` batches of `each` repetitions. `doBatch` waits until its
/// batch has finished.
ProbeRun timedBatches(std::size_t portions, std::size_t each,
                      const std::function<void(std::size_t batch)>& doBatch);

/// The shortest of up to three runs; stops after the first run shorter than `enough`. Run lengths are derived
/// from it, so a single disturbed run must not decide.
double shortestSeconds(const std::function<double()>& secondsOf, double enough);

/// A probe that this device cannot run.
inline DeviceProbe absentProbe(std::string name, std::string unit, std::string why) {
    return {std::move(name), std::move(unit), {}, {}, std::move(why)};
}

/// "add+min float32": the name of a kind of work with numbers of a format.
inline std::string probeName(std::string_view kind, std::string_view numberFormat) {
    return std::string(kind) + ' ' + std::string(numberFormat);
}

// Kinds of work that problems name. All but the last three are followed by the number format.
inline constexpr std::string_view kAddMin = "add+min";
inline constexpr std::string_view kMultiplyAdd = "multiply-add";
inline constexpr std::string_view kMatrixProduct = "matrix product";
inline constexpr std::string_view kLog = "log";
inline constexpr std::string_view kPopulationCount = "population count";
inline constexpr std::string_view kCopyBandwidth = "copy bandwidth";
/// Fixed cost of a kernel, a pass or a parallel region, however little it does.
inline constexpr std::string_view kLaunchOverhead = "launch overhead";

/// Throws DeviceError, naming the probe, unless both are equal.
void requireProbeResult(std::string_view probe, double found, double expected);

}  // namespace glycine
