#pragma once

#include <cstddef>
#include <string>

namespace glycine::crossapen {

/// A channel that cannot be used in an epoch; its pairs are NaN there.
struct UnusableChannel {
    std::size_t epoch = 0;
    std::size_t channel = 0;
    std::string reason;  ///< "constant", "not finite"; of files also what ChannelUsability tells
    double share = 1;    ///< of the epoch's samples that the reason holds for, 0 … 1
};
}  // namespace glycine::crossapen
