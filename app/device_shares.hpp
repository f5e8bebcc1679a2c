#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/io/text/json_forward.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Reports of each device's share of the work.
namespace glycine {

/// "0", or "cpu" for the processor.
std::string deviceText(int device);
/// 0, or "cpu" for the processor.
Json deviceJson(int device);

/// "0: 12 tiles, 57.1 % of the pairs; cpu: 9 tiles, 42.9 % of the pairs". `part`: unit that a device takes at
/// a time; `work`: what the parts consist of.
std::string describeShares(std::span<const pairs::DeviceShare> shares, std::string_view part,
                           std::string_view work);
/// [{"device": 0 or "cpu", "tiles": …, "pairs": …, "failure": …}, …], with `parts` and `work` as the names
/// instead of "tiles" and "pairs".
Json sharesToJson(std::span<const pairs::DeviceShare> shares, const std::string& parts,
                  const std::string& work);

}  // namespace glycine
