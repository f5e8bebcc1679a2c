#include "engine/study/energy.hpp"

#include <algorithm>
#include <iterator>

namespace glycine::study {

namespace {

bool isGpuOf(const Backend& backend, std::string_view maker) {
    return backend.device().find(maker) != std::string::npos;
}

/// What beside the processor works for the backend; nothing for one on the processor.
EnergyCounters ofDevice(const Backend& backend) {
    if (const std::string bus = backend.pciBusId(); !bus.empty()) return gpuCounters(bus);
    if (backend.name() != "gl" || backend.isEmulated()) return {};
    if (isGpuOf(backend, "NVIDIA")) return gpuCounters("");
    return {{}, "no counter of this GPU's energy is known"};
}

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

}  // namespace glycine::study
