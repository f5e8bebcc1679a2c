#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/system/machine.hpp"

/// What a device used while something ran, where its driver tells. It is the energy of the whole device in
/// that time, idle parts and other programs included.
namespace glycine::study {

/// Tells what something has used since some moment.
class EnergyCounter {
  public:
    virtual ~EnergyCounter() = default;
    /// "package-0", "NVIDIA H200".
    virtual const std::string& name() const = 0;
    /// "RAPL, /sys/class/powercap/intel-rapl:0", "NVML, total energy counter".
    virtual const std::string& how() const = 0;
    /// Since the counter was opened; never falls. Throws DeviceError where it cannot be read any more.
    virtual double joules() = 0;
    /// Counters stand still between two updates: runs that take less than this together tell nothing.
    virtual double leastSeconds() const { return 0.1; }
};

/// Counters, or why there are none.
struct EnergyCounters {
    std::vector<std::unique_ptr<EnergyCounter>> counters{};
    std::string absent{};
};

/// One for each package of processors that Linux's powercap interface shows below `folder` (RAPL: entries
/// "intel-rapl:N", which AMD's processors have, too). Mostly root alone may read them.
EnergyCounters packageCounters(const std::filesystem::path& folder = energyCounterFolder());

/// Of NVIDIA's GPU with a PCI bus ID ("0000:3b:00.0"); without one, of the only GPU that there is. By the
/// library of the driver, loaded now: its counter, or where the GPU has none (before Volta) the sum of powers
/// that a thread asks for every 20 ms while the counter lives.
EnergyCounters gpuCounters(const std::string& pciBusId, const std::string& library = "libnvidia-ml.so.1");

/// What a run used, of one device.
struct EnergyUse {
    std::string of;     ///< EnergyCounter::name
    std::string how;    ///< EnergyCounter::how
    double joules = 0;  ///< a run
};

/// The counters that concern a backend: of the processor's packages always, and of the GPU where there is
/// one.
class EnergyMeter {
  public:
    virtual ~EnergyMeter() = default;
    /// Opens the counters when a backend first asks for them.
    virtual const EnergyCounters& of(Backend& backend);

  private:
    struct Opened {
        std::string key;
        EnergyCounters counters;
    };
    std::vector<std::unique_ptr<Opened>> opened_;
};

}  // namespace glycine::study
