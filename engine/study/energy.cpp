#include "engine/study/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <mutex>
#include <regex>
#include <system_error>
#include <thread>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/system/shared_library.hpp"

namespace glycine::study {

namespace {

bool isGpuOf(const Backend& backend, std::string_view maker) {
    return backend.device().find(maker) != std::string::npos;
}

/// Counters of the device that works for the backend; none for a backend on the processor.
EnergyCounters ofDevice(const Backend& backend) {
    if (const std::string bus = backend.pciBusId(); !bus.empty()) return gpuCounters(bus);
    if (backend.name() != "gl" || backend.isEmulated()) return {};
    if (isGpuOf(backend, "NVIDIA")) return gpuCounters("");
    return {{}, "no counter of this GPU's energy is known"};
}

/// nvmlDevice_t, an opaque handle.
using Device = void*;

/// The functions used from NVML, in the interface since driver 418; each returns 0 on success.
/// https://docs.nvidia.com/deploy/nvml-api/
class Nvml {
  public:
    /// Throws UnavailableError.
    explicit Nvml(const std::string& library) : library_({library.c_str()}) {
        if (!library_.isLoaded()) throw UnavailableError(fmt::format("{} is not there", library));
        if (!(find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
              find(deviceCount, "nvmlDeviceGetCount_v2") && find(deviceAt, "nvmlDeviceGetHandleByIndex_v2") &&
              find(deviceOfBus, "nvmlDeviceGetHandleByPciBusId_v2") && find(nameOf, "nvmlDeviceGetName") &&
              find(energyOf, "nvmlDeviceGetTotalEnergyConsumption") &&
              find(powerOf, "nvmlDeviceGetPowerUsage")))
            throw UnavailableError(fmt::format("{} lacks a function", library));
        if (const int status = init(); status != 0)
            throw UnavailableError(fmt::format("{} does not start (error {})", library, status));
    }
    ~Nvml() { shutdown(); }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*deviceCount)(unsigned*) = nullptr;
    int (*deviceAt)(unsigned, Device*) = nullptr;
    int (*deviceOfBus)(const char*, Device*) = nullptr;
    int (*nameOf)(Device, char*, unsigned) = nullptr;
    int (*energyOf)(Device, unsigned long long* millijoules) = nullptr;
    int (*powerOf)(Device, unsigned* milliwatts) = nullptr;

  private:
    template <class Function>
    bool find(Function& function, const char* name) {
        function = library_.function<Function>(name);
        return function != nullptr;
    }
    SharedLibrary library_;
};

class GpuCounter : public EnergyCounter {
  public:
    const std::string& name() const override { return name_; }
    const std::string& how() const override { return how_; }

  protected:
    GpuCounter(std::shared_ptr<Nvml> nvml, Device device, std::string how)
        : nvml_(std::move(nvml)), device_(device), how_(std::move(how)) {
        char name[96] = "";
        name_ = nvml_->nameOf(device_, name, sizeof name) == 0 ? name : "GPU";
    }
    std::shared_ptr<Nvml> nvml_;
    Device device_;

  private:
    std::string name_, how_;
};

class TotalEnergy final : public GpuCounter {
  public:
    TotalEnergy(std::shared_ptr<Nvml> nvml, Device device)
        : GpuCounter(std::move(nvml), device, "NVML, total energy counter"), first_(read()) {}
    double joules() override { return 1e-3 * static_cast<double>(read() - first_); }
    /// An H200 updates the counter about ten times a second. For shorter runs, one reads 0 and the next gets
    /// the energy of several.
    double leastSeconds() const override { return 1; }

  private:
    unsigned long long read() const {
        unsigned long long millijoules = 0;
        if (const int status = nvml_->energyOf(device_, &millijoules); status != 0)
            throw DeviceError(fmt::format("NVML cannot read the GPU's energy any more (error {})", status));
        return millijoules;
    }
    unsigned long long first_;
};

/// Integrates power samples, each over the time until the next one.
class SampledPower final : public GpuCounter {
  public:
    SampledPower(std::shared_ptr<Nvml> nvml, Device device)
        : GpuCounter(std::move(nvml), device, "NVML, power every 20 ms"), thread_([this] { sample(); }) {}
    ~SampledPower() override {
        {
            const std::lock_guard lock(mutex_);
            isOver_ = true;
        }
        over_.notify_one();
        thread_.join();
    }
    double joules() override {
        const std::lock_guard lock(mutex_);
        add();
        return joules_;
    }

  private:
    /// Requires the mutex to be held.
    void add() {
        unsigned milliwatts = 0;
        const double seconds = watch_.restart();
        if (nvml_->powerOf(device_, &milliwatts) == 0) watts_ = 1e-3 * milliwatts;
        joules_ += watts_ * seconds;
    }
    void sample() {
        std::unique_lock lock(mutex_);
        while (!over_.wait_for(lock, std::chrono::milliseconds(20), [this] { return isOver_; })) add();
    }

    std::mutex mutex_;
    std::condition_variable over_;
    bool isOver_ = false;
    Stopwatch watch_;
    double watts_ = 0;
    double joules_ = 0;
    std::thread thread_;  // last, because it uses all members above
};

template <class T>
bool readValue(const std::filesystem::path& path, T& value) {
    std::ifstream file(path);
    return static_cast<bool>(file >> value);
}

/// energy_uj counts microjoules and wraps to 0 after max_energy_range_uj, some minutes at full power.
/// https://docs.kernel.org/power/powercap/powercap.html
class PackageCounter final : public EnergyCounter {
  public:
    PackageCounter(std::filesystem::path folder, std::string name, std::uint64_t range, std::uint64_t now)
        : folder_(std::move(folder)),
          name_(std::move(name)),
          how_(fmt::format("RAPL, {}", folder_.string())),
          range_(range),
          last_(now) {}
    const std::string& name() const override { return name_; }
    const std::string& how() const override { return how_; }
    double joules() override {
        std::uint64_t now = 0;
        if (!readValue(folder_ / "energy_uj", now))
            throw DeviceError(fmt::format("{}/energy_uj cannot be read any more", folder_.string()));
        const std::uint64_t used = now >= last_ ? now - last_ : now + range_ - last_;
        last_ = now;
        joules_ += 1e-6 * static_cast<double>(used);
        return joules_;
    }

  private:
    std::filesystem::path folder_;
    std::string name_, how_;
    std::uint64_t range_, last_;
    double joules_ = 0;
};

}  // namespace

const EnergyCounters& EnergyMeter::of(Backend& backend) {
    const std::string key = std::string(backend.name()) + '\n' + backend.device();
    const auto known = std::ranges::find_if(opened_, [&](const auto& one) { return one->key == key; });
    if (known != opened_.end()) return (*known)->counters;
    EnergyCounters all = ofDevice(backend);
    EnergyCounters packages = packageCounters();
    std::ranges::move(packages.counters, std::back_inserter(all.counters));
    if (!packages.absent.empty()) all.absent += (all.absent.empty() ? "" : "; ") + packages.absent;
    opened_.push_back(std::make_unique<Opened>(Opened{key, std::move(all)}));
    return opened_.back()->counters;
}

EnergyCounters gpuCounters(const std::string& pciBusId, const std::string& library) {
    EnergyCounters found;
    try {
        const auto nvml = std::make_shared<Nvml>(library);
        Device device = nullptr;
        unsigned count = 0;
        if (!pciBusId.empty()) {
            if (nvml->deviceOfBus(pciBusId.c_str(), &device) != 0)
                throw UnavailableError(fmt::format("NVML knows no GPU at {}", pciBusId));
        } else if (nvml->deviceCount(&count) != 0 || count == 0) {
            throw UnavailableError("NVML knows no GPU");
        } else if (count > 1) {
            throw UnavailableError(
                fmt::format("there are {} GPUs, and it is not known which one draws", count));
        } else if (nvml->deviceAt(0, &device) != 0) {
            throw UnavailableError("NVML does not give the GPU");
        }
        unsigned long long millijoules = 0;
        unsigned milliwatts = 0;
        if (nvml->energyOf(device, &millijoules) == 0)
            found.counters.push_back(std::make_unique<TotalEnergy>(nvml, device));
        else if (nvml->powerOf(device, &milliwatts) == 0)
            found.counters.push_back(std::make_unique<SampledPower>(nvml, device));
        else
            throw UnavailableError("NVML reports neither the energy nor the power of this GPU");
    } catch (const UnavailableError& error) {
        found.absent = error.what();
    }
    return found;
}

EnergyCounters packageCounters(const std::filesystem::path& folder) {
    EnergyCounters found;
    std::error_code error;
    std::vector<std::filesystem::path> zones;
    // Only packages: a subzone ("intel-rapl:0:1") is part of its package.
    static const std::regex isZone("intel-rapl:[0-9]+");
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (std::regex_match(entry.path().filename().string(), isZone)) zones.push_back(entry.path());
    std::ranges::sort(zones);
    if (zones.empty())
        found.absent = fmt::format("{} shows no counter of a processor's energy", folder.string());
    for (const auto& zone : zones) {
        std::string name;
        std::uint64_t range = 0, now = 0;
        // The zone of the whole machine ("psys") includes the packages; counting it would count them twice.
        if (!readValue(zone / "name", name) || !name.starts_with("package")) continue;
        if (!readValue(zone / "energy_uj", now) || !readValue(zone / "max_energy_range_uj", range)) {
            found.absent = fmt::format("{} cannot be read (usually only root may read it)",
                                       (zone / "energy_uj").string());
            continue;
        }
        found.counters.push_back(std::make_unique<PackageCounter>(zone, name, range, now));
    }
    if (!found.counters.empty())
        found.absent.clear();
    else if (found.absent.empty())
        found.absent = fmt::format("{} has no package among its zones", folder.string());
    return found;
}

}  // namespace glycine::study
