#include "engine/core/device_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.hpp"

namespace glycine {

DeviceProbe::Runner fastestOf(std::vector<DeviceProbe::Runner> ways) {
    if (ways.size() == 1) return std::move(ways.front());
    return [ways = std::move(ways)](std::size_t portions) {
        ProbeRun best = ways.front()(portions);
        for (std::size_t way = 1; way < ways.size(); ++way)
            if (const ProbeRun own = ways[way](portions); own.rate() > best.rate()) best = own;
        return best;
    };
}

double shortestSeconds(const std::function<double()>& secondsOf, double enough) {
    constexpr int kTries = 3;
    double shortest = secondsOf();
    for (int tried = 1; tried < kTries && !(shortest < enough); ++tried)
        shortest = std::min(shortest, secondsOf());
    return shortest;
}

void requireProbeResult(std::string_view probe, double found, double expected) {
    if (found == expected) return;
    throw DeviceError(fmt::format("{}: {} was computed where {} was expected", probe, found, expected));
}

}  // namespace glycine
