#pragma once

#include <cstddef>
#include <vector>

namespace glycine::crossapen::cpu {

/// A stretch of a partner that is searched on its own, so that its table stays small.
struct PartnerBlock {
    std::size_t first = 0;      ///< its first sample
    std::size_t samples = 0;    ///< its samples, those included that only templates which begin earlier need
    std::size_t positions = 0;  ///< templates of length m begin at first … first + positions − 1
};

/// Cuts a partner of `samples` samples into blocks of about equal size, `maximum` samples at most and, the
/// last apart, a multiple of `unit`. Every template of length m begins in exactly one block, and so does
/// every template of length m + 1. `unit` divides `maximum`; m < maximum.
std::vector<PartnerBlock> splitPartner(std::size_t samples, std::size_t m, std::size_t unit,
                                       std::size_t maximum);

}  // namespace glycine::crossapen::cpu
