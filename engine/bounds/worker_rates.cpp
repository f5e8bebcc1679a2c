#include "engine/bounds/worker_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/shared_smoothing.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::bounds {

namespace {

std::atomic<double> pretendedDeviceRate{0}, pretendedHostRate{0};

}  // namespace

void pretendRates(double device, double host) {
    pretendedDeviceRate = device;
    pretendedHostRate = host;
}

double measureRate(SmoothingEngine& engine, NumberFormat format, std::size_t atoms, std::size_t side,
                   bool isHost) {
    if (const double pretended = isHost ? pretendedHostRate : pretendedDeviceRate; pretended > 0)
        return pretended;
    // Enough blocks for all threads, or for all multiprocessors of a device.
    const std::size_t wanted =
        isHost ? std::max<std::size_t>(4, 1024 / side) : std::max<std::size_t>(16, 4096 / side);
    const std::size_t count = std::min(wanted, (atoms + side - 1) / side);
    if (count < 2) return 0;
    const BlockLayout layout(count * side, side, 1);
    const std::unique_ptr<BlockWorker> worker =
        engine.worker({format, layout, 0, false, 1, availableHostMemory().bytes});
    std::vector<BlockPlace> places;
    for (std::size_t row = 0; row < count; ++row)
        for (std::size_t column = row; column < count; ++column)
            places.push_back({SharedMatrix::Upper, row, column});
    withNumberOf(format, [&]<class T>(T) {
        worker->load(places, [side](std::size_t, std::byte* block) {
            std::fill_n(reinterpret_cast<T*>(block), side * side, T(1));
        });
    });
    worker->gather(SharedMatrix::Upper, 0);
    worker->closePivot(0);
    worker->finishPanel(0);
    worker->preparePanel(SharedMatrix::Upper, 0);
    worker->settle();
    // The first time warms caches and clocks up.
    constexpr int least = 3;
    constexpr double longest = 0.1;
    double fastest = std::numeric_limits<double>::infinity();
    const Stopwatch whole;
    for (int repeat = 0; repeat < least || (whole.seconds() < longest && repeat < 20); ++repeat) {
        const Stopwatch watch;
        worker->beginRest({0, 1}, {1, 1});  // no panel follows
        worker->wait();
        if (repeat > 0) fastest = std::min(fastest, watch.seconds());
    }
    const auto s = static_cast<double>(side);
    return static_cast<double>(count * (count - 1) / 2) * s * s * s / std::max(fastest, 1e-9);
}

bool isSoonDone(double deviceRate, std::size_t devices, std::size_t atoms, bool hasLower) {
    if (pretendedHostRate > 0) return false;
    constexpr double kSecondsOfMeasuring = 0.2;
    const auto n = static_cast<double>(atoms);
    return n * n * n * (hasLower ? 2 : 0.5) < kSecondsOfMeasuring * deviceRate * static_cast<double>(devices);
}

Division divideByRate(std::size_t devices, double deviceRate, double hostRate, std::size_t count) {
    constexpr double kCaution = 0.8;
    if (hostRate == 0)
        return {{devices, 0, 0}, "the devices need less time than the measurement of its rate"};
    const double share = hostRate / (hostRate + static_cast<double>(devices) * deviceRate);
    const bool isHostSlower = share <= 0.5 || devices > 1;
    const double own = std::min(0.5, kCaution * (isHostSlower ? share : 1 - share));
    Division division{cornerOf(isHostSlower ? devices : 0, own, count), ""};
    if (division.corner.rows == 0)
        division.reason = fmt::format("its share by rate, {:.2g} %, is less than one of {} blocks", 100 * own,
                                      count * (count + 1) / 2);
    return division;
}

}  // namespace glycine::bounds
