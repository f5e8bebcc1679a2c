#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/random.hpp"

namespace glycine::bounds {

/// Decides for each pair, from the seed and its two indices alone, whether it belongs to a share of all
/// pairs.
class PairRandom {
  public:
    PairRandom(std::uint64_t seed, double share) : seed_(mixBits(seed + kGoldenIncrement)), share_(share) {}
    bool isKnown(std::size_t i, std::size_t j) const {
        return unitInterval(derivedSeed(derivedSeed(seed_, i), j)) < share_;
    }

  private:
    std::uint64_t seed_;
    double share_;
};

}  // namespace glycine::bounds
