#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/system/machine.hpp"

/// Energy that a device uses during a measurement, if its driver reports it. It covers the whole device,
/// including idle parts and other programs.
namespace glycine::study {

/// Reads the energy that a device has used since the counter was opened.
class EnergyCounter {
  public:
    virtual ~EnergyCounter() = default;
    /// "package-0", "NVIDIA H200".
    virtual const std::string& name() const = 0;
    /// "RAPL, /sys/class/powercap/intel-rapl:0", "NVML, total energy counter".
    virtual const std::string& how() const = 0;
    /// Joules since the counter was opened; never decreases. Throws DeviceError if the counter can no longer
    /// be read.
    virtual double joules() = 0;
    /// Counters update only now and then. Runs that take less than this many seconds in total are not
    /// measurable.
    virtual double leastSeconds() const { return 0.1; }
};

/// Counters, or the reason why there are none.
struct EnergyCounters {
    std::vector<std::unique_ptr<EnergyCounter>> counters{};
    std::string absent{};
};

/// One counter for each processor package in Linux's powercap interface below `folder` (RAPL: entries
/// "intel-rapl:N", on AMD's processors as well). On most systems only root may read them.
EnergyCounters packageCounters(const std::filesystem::path& folder = energyCounterFolder());

/// Counter of the NVIDIA GPU with a PCI bus ID ("0000:3b:00.0"); with an empty ID, of the only GPU. Uses the
/// driver's library, loaded on demand. If the GPU has no energy counter (before Volta), a thread samples its
/// power every 20 ms and sums it.
EnergyCounters gpuCounters(const std::string& pciBusId, const std::string& library = "libnvidia-ml.so.1");

/// Energy that a run used on one device.
struct EnergyUse {
    std::string of;     ///< EnergyCounter::name
    std::string how;    ///< EnergyCounter::how
    double joules = 0;  ///< per run
};

/// The counters relevant to a backend: the processor packages, and its GPU if it has one.
class EnergyMeter {
  public:
    virtual ~EnergyMeter() = default;
    /// Opens the counters on the first call for a backend.
    virtual const EnergyCounters& of(Backend& backend);

  private:
    struct Opened {
        std::string key;
        EnergyCounters counters;
    };
    std::vector<std::unique_ptr<Opened>> opened_;
};

}  // namespace glycine::study
