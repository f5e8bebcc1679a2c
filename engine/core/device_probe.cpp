#include "engine/core/device_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"

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

ProbeRun timedBatches(std::size_t portions, std::size_t each,
                      const std::function<void(std::size_t batch)>& doBatch) {
    ProbeRun run{static_cast<double>(portions * each)};
    for (std::size_t batch = 0; batch < portions; ++batch) {
        const Stopwatch watch;
        doBatch(batch);
        const double seconds = watch.seconds();
        run.seconds += seconds;
        const double least = seconds / static_cast<double>(each);
        run.least = batch == 0 ? least : std::min(run.least, least);
    }
    return run;
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
