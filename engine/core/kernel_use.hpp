#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace glycine {

/// The resources that a kernel uses, and how far it fills a multiprocessor.
struct KernelUse {
    unsigned threads = 0;         ///< per block
    unsigned registers = 0;       ///< per thread
    std::size_t sharedBytes = 0;  ///< per block
    double occupancy = 0;         ///< resident threads over the possible number, 0 … 1

    /// Facts under the names that published claims use: "registers of calculateMatrix".
    std::map<std::string, double> facts(const std::string& kernel) const {
        return {{"threads of " + kernel, threads},
                {"registers of " + kernel, registers},
                {"shared memory of " + kernel, static_cast<double>(sharedBytes)},
                {"occupancy of " + kernel, occupancy}};
    }
};

}  // namespace glycine
