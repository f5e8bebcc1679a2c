#pragma once

/// Numbers whose differences are summed.
namespace glycine::cuda {

/// What is summed over the attributes of a pair, and of what numbers.
struct Differences {
    bool isSquared = false;  ///< (a − b)², else |a − b|
    bool isDouble = false;   ///< two words a number, the low one first; else one, a float
};

}  // namespace glycine::cuda
