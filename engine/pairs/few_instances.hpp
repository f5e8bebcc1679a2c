#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/pairs/pair_run.hpp"

namespace glycine::pairs {

/// The instances of some pairs, and these pairs renumbered among them, as by pairNumber.
struct FewInstances {
    std::vector<std::size_t> rows;  ///< ascending
    std::vector<std::size_t> pairs;
};

/// Receives a recounted pair; returns whether to go on.
using TakePair = std::function<bool(const RecountedPair&)>;

/// Recounts pairs with only a few of the instances on the host at a time: `count` gets them, 256 MiB at most,
/// and passes each of their pairs on. `take` receives the pairs with the numbers of all instances. For
/// instances that are on a device, and values that depend on their own pair only.
void countAmongFew(std::span<const std::size_t> pairs, std::size_t bytesOfInstance, const TakePair& take,
                   const std::function<void(const FewInstances&, const TakePair&)>& count);

}  // namespace glycine::pairs
