#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What backends offer for measuring what their devices can do at most, one kind of work at a time: the
/// ceilings that results are held against (engine/study/device_ceilings.hpp measures them).
namespace glycine {

/// What a run of a probe has done, and in what time.
struct ProbeRun {
    double amount = 0;   ///< in 10⁹ of what the unit counts; of a probe in µs: how many
    double seconds = 0;  ///< until the device was idle
    /// Of a probe in µs whose run is made of batches that are timed one by one: the least time for each, in
    /// seconds, of all its batches. 0: the run is timed as a whole.
    double least = 0;

    /// In 10⁹ a second. 0 where the clock shows no time.
    double rate() const { return seconds > 0 ? amount / seconds : 0; }
};

/// One kind of work that a device is asked to do as fast as it can.
struct DeviceProbe {
    /// Does so many portions, waits for the end, and holds what came of them against what must come of them:
    /// throws DeviceError that says what was found and what was expected.
    using Runner = std::function<ProbeRun(std::size_t portions)>;

    std::string name;  ///< kind and number format: "add+min float32"; the same on all backends
    std::string unit;  ///< "G/s", "GB/s", "Gbit/s", or "µs" for what is told as a time for each
    std::string how;   ///< what is measured, in a line
    /// Takes what memory it needs. Throws UnavailableError.
    std::function<Runner()> start{};
    std::string absent{};  ///< why it cannot be measured here; `start` is empty then

    bool isTime() const { return unit == "µs"; }
};

/// The best of several ways to do the same. Each run does all of them, one after the other, and is that of
/// the way with the highest rate: none is left out because of one slow run. Requires at least one way.
DeviceProbe::Runner fastestOf(std::vector<DeviceProbe::Runner> ways);

/// Of a probe in µs: does `portions` batches of `each` things, timed one by one. A batch waits for its end.
ProbeRun timedBatches(std::size_t portions, std::size_t each,
                      const std::function<void(std::size_t batch)>& doBatch);

/// The shortest of three runs, or of fewer: the first one that is shorter than `enough` ends it. What decides
/// how long runs become must not be a run that something else held up.
double shortestSeconds(const std::function<double()>& secondsOf, double enough);

/// A probe that this device does not have.
inline DeviceProbe absentProbe(std::string name, std::string unit, std::string why) {
    return {std::move(name), std::move(unit), {}, {}, std::move(why)};
}

/// "add+min float32": the name of a kind of work with numbers of a format.
inline std::string probeName(std::string_view kind, std::string_view numberFormat) {
    return std::string(kind) + ' ' + std::string(numberFormat);
}

// Kinds of work that problems name; each with the number format behind it, but for the last three.
inline constexpr std::string_view kAddMin = "add+min";
inline constexpr std::string_view kMultiplyAdd = "multiply-add";
inline constexpr std::string_view kMatrixProduct = "matrix product";
inline constexpr std::string_view kLog = "log";
inline constexpr std::string_view kPopulationCount = "population count";
inline constexpr std::string_view kCopyBandwidth = "copy bandwidth";
/// Of a kernel, a pass, a region of threads: what takes its time however little it does.
inline constexpr std::string_view kLaunchOverhead = "launch overhead";

/// Throws DeviceError that names the probe unless both are equal.
void requireProbeResult(std::string_view probe, double found, double expected);

}  // namespace glycine
