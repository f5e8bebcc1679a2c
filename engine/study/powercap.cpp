#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <regex>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/study/energy.hpp"

namespace glycine::study {

namespace {

template <class T>
bool readValue(const std::filesystem::path& path, T& value) {
    std::ifstream file(path);
    return static_cast<bool>(file >> value);
}

/// https://docs.kernel.org/power/powercap/powercap.html: energy_uj counts microjoules and begins at 0 again
/// after max_energy_range_uj, some minutes at full power.
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

EnergyCounters packageCounters(const std::filesystem::path& folder) {
    EnergyCounters found;
    std::error_code error;
    std::vector<std::filesystem::path> zones;
    // Packages alone: what is below one of them ("intel-rapl:0:1") is part of it.
    static const std::regex isZone("intel-rapl:[0-9]+");
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (std::regex_match(entry.path().filename().string(), isZone)) zones.push_back(entry.path());
    std::ranges::sort(zones);
    if (zones.empty())
        found.absent = fmt::format("{} shows no counter of a processor's energy", folder.string());
    for (const auto& zone : zones) {
        std::string name;
        std::uint64_t range = 0, now = 0;
        // The whole machine ("psys") holds the packages: it would be counted twice.
        if (!readValue(zone / "name", name) || !name.starts_with("package")) continue;
        if (!readValue(zone / "energy_uj", now) || !readValue(zone / "max_energy_range_uj", range)) {
            found.absent =
                fmt::format("{} may not be read (mostly by root alone)", (zone / "energy_uj").string());
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
