#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/io/text/json_forward.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Each device's share of the work: reports, and runs without a device that was wrong.
namespace glycine {

class Backend;

/// Runs `compute`. If it throws WrongPairError for an element that a device of the crew has computed, drops
/// this device and computes everything again (`isAgain`) on the others; rethrows if no other is left, or if
/// no device of this run has computed the element. `shares()`: those of the run that ended.
void computeWithoutWrongDevices(Backend& backend, const std::function<void(bool isAgain)>& compute,
                                const std::function<std::span<const pairs::DeviceShare>()>& shares);

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
