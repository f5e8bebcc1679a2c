#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/io/text/json_forward.hpp"
#include "engine/pairs/pair_tile.hpp"

/// How reports tell who of several devices did what.
namespace glycine {

/// "0: 12 tiles, 57.1 % of the pairs; cpu: 9 tiles, 42.9 % of the pairs". `part` is what a device takes at a
/// time, `work` what all parts are made of.
std::string describeShares(std::span<const pairs::DeviceShare> shares, std::string_view part,
                           std::string_view work);
/// [{"device": 0 or "cpu", "tiles": …, "pairs": …, "failure": …}, …], with the two names in place of "tiles"
/// and "pairs".
Json sharesToJson(std::span<const pairs::DeviceShare> shares, const std::string& parts,
                  const std::string& work);

}  // namespace glycine
