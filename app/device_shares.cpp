#include "app/device_shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/backend.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace {

/// Drops the device that computed the element from the crew; returns false if no other device is left.
bool dropWrongDevice(Backend& backend, std::span<const pairs::DeviceShare> shares,
                     const WrongPairError& wrong) {
    if (backend.crew() == nullptr) return false;
    const auto isIn = [](std::size_t number, const Range& range) {
        return number >= range.begin && number < range.end;
    };
    const auto found = std::ranges::find_if(shares, [&](const pairs::DeviceShare& share) {
        return std::ranges::any_of(share.done, [&](const pairs::PairTile& tile) {
            return isIn(wrong.row, tile.rows) && isIn(wrong.column, tile.columns);
        });
    });
    // The element comes from an earlier run, or no other device is left.
    if (found == shares.end() || std::ranges::count(shares, "", &pairs::DeviceShare::failure) < 2)
        return false;
    backend.dropFromCrew(static_cast<std::size_t>(found - shares.begin()), wrong.finding());
    return true;
}

}  // namespace

void computeWithoutWrongDevices(Backend& backend, const std::function<void(bool isAgain)>& compute,
                                const std::function<std::span<const pairs::DeviceShare>()>& shares) {
    for (bool isAgain = false;; isAgain = true) {
        try {
            return compute(isAgain);
        } catch (const WrongPairError& wrong) {
            if (!dropWrongDevice(backend, shares(), wrong)) throw;
        }
    }
}

std::string deviceText(int device) {
    return device == DeviceCrew::kHost ? "cpu" : fmt::format("{}", device);
}

Json deviceJson(int device) {
    return device == DeviceCrew::kHost ? Json("cpu") : Json(device);
}

std::string describeShares(std::span<const pairs::DeviceShare> shares, std::string_view part,
                           std::string_view work) {
    double all = 0;
    for (const pairs::DeviceShare& share : shares) all += share.pairs;
    std::string line;
    for (const pairs::DeviceShare& share : shares) {
        if (!line.empty()) line += "; ";
        line += fmt::format("{}: {}", deviceText(share.device), formatCount(share.tiles, part));
        if (share.tiles > 0) line += fmt::format(", {} of the {}", formatShare(share.pairs, all), work);
        if (!share.failure.empty())
            line += fmt::format(fmt::runtime(share.tiles > 0 ? ", then it failed ({})" : ", left out: {}"),
                                share.failure);
    }
    return line;
}

Json sharesToJson(std::span<const pairs::DeviceShare> shares, const std::string& parts,
                  const std::string& work) {
    Json json = Json::array();
    for (const pairs::DeviceShare& share : shares) {
        Json entry{{parts, share.tiles}, {work, share.pairs}};
        entry["device"] = deviceJson(share.device);
        if (!share.failure.empty()) entry["failure"] = share.failure;
        json.push_back(std::move(entry));
    }
    return json;
}

}  // namespace glycine
