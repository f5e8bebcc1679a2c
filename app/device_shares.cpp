#include "app/device_shares.hpp"

#include <fmt/format.h>

#include "engine/core/backend.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

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
