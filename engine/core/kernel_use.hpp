#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace glycine {

/// What a kernel takes of a device, and how far it fills one of its multiprocessors.
struct KernelUse {
    unsigned threads = 0;         ///< of a block
    unsigned registers = 0;       ///< of a thread
    std::size_t sharedBytes = 0;  ///< of a block
    double occupancy = 0;         ///< threads at work over those that there may be, 0 … 1

    /// By names that published claims use: "registers of calculateMatrix".
    std::map<std::string, double> facts(const std::string& kernel) const {
        return {{"threads of " + kernel, threads},
                {"registers of " + kernel, registers},
                {"shared memory of " + kernel, static_cast<double>(sharedBytes)},
                {"occupancy of " + kernel, occupancy}};
    }
};

}  // namespace glycine
