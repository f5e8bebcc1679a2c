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
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::bounds {

namespace {

std::atomic<double> pretendedDeviceRate{0}, pretendedHostRate{0};

/// The least share for which the exchange in every round pays: an H100 waited for a quarter of the rounds'
/// time for a processor with 0.7 % of the blocks.
constexpr double kLeastShare = 0.1;

double shareOf(double one, double other) {
    return one / (one + other);
}

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

std::string reasonNotToMeasureHost(double deviceRate, std::size_t devices, std::size_t atoms, bool hasLower,
                                   std::size_t threads) {
    if (pretendedHostRate > 0) return {};
    const double all = deviceRate * static_cast<double>(devices);
    constexpr double kSecondsOfMeasuring = 0.2;
    const auto n = static_cast<double>(atoms);
    if (all == 0 || n * n * n * (hasLower ? 2 : 0.5) < kSecondsOfMeasuring * all)
        return "the devices need less time than the measurement of its rate";
    // Half as much again as 41, which a thread with AVX2 reached on an AMD EPYC.
    constexpr double kMostOfThread = 60e9;
    const double most = kMostOfThread * static_cast<double>(threads);
    if (shareOf(most, all) >= kLeastShare) return {};
    return fmt::format("{} would add less than {:.0f} % to the devices' rate", formatCount(threads, "thread"),
                       100 * kLeastShare);
}

Division divideByRate(std::size_t devices, double deviceRate, double hostRate, std::size_t count) {
    constexpr double kCaution = 0.8;
    const double share = shareOf(hostRate, static_cast<double>(devices) * deviceRate);
    const bool isHostSlower = share <= 0.5 || devices > 1;
    const double slower = isHostSlower ? share : 1 - share;
    const double own = std::min(0.5, kCaution * slower);
    if (slower < kLeastShare)
        return {
            {isHostSlower ? devices : 0, 0, 0},
            fmt::format("its share by rate, {:.2g} %, gains less than exchanging blocks costs", 100 * own)};
    Division division{cornerOf(isHostSlower ? devices : 0, own, count), ""};
    if (division.corner.rows == 0)
        division.reason = fmt::format("its share by rate, {:.2g} %, is less than one of {} blocks", 100 * own,
                                      count * (count + 1) / 2);
    return division;
}

std::string leaveSlowHost(Backend& backend, const AnyBoundMatrices& matrices, Variant variant) {
    const DeviceCrew* const crew = backend.crew();
    if (crew == nullptr || crew->devices.size() != 2 || crew->devices.back() != DeviceCrew::kHost) return {};
    const std::unique_ptr<SmoothingEngine> engine = createImplementation<SmoothingEngine>(backend);
    SharedTask task = taskOf(matrices);
    Progress silent;
    engine->beginShared(matrices, variant, silent, task);
    const double rate = measureRate(*engine, task.format, task.atoms, task.side, false);
    std::string reason = reasonNotToMeasureHost(rate, 1, task.atoms, task.hasLower,
                                                std::max(1U, std::thread::hardware_concurrency()));
    if (reason.empty()) {
        const std::unique_ptr<Backend> host = crew->make(DeviceCrew::kHost);
        const std::unique_ptr<SmoothingEngine> own = createImplementation<SmoothingEngine>(*host);
        const Division division =
            divideByRate(1, rate, measureRate(*own, task.format, task.atoms, task.side, true),
                         BlockLayout(task.atoms, task.side, 1).count());
        if (division.corner.worker == 1) reason = division.reason;
    }
    if (!reason.empty()) backend.leaveCrew();
    return reason;
}

}  // namespace glycine::bounds
