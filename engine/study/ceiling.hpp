#pragma once

#include <string>

namespace glycine::study {

/// What a result takes of a ceiling of its device at least (device_ceilings.hpp).
struct CeilingUse {
    std::string name;   ///< of the ceiling: "add+min float32"
    std::string unit;   ///< of its rate: "G/s"; "µs" of a time for each
    double rate = 0;    ///< the best that was measured
    std::string what;   ///< how that was measured
    double amount = 0;  ///< that the result takes: rate · seconds; of a time for each, how many
    std::string stage;  ///< whose time this is held against: Need::stage
    bool isTime() const { return unit == "µs"; }
    /// How long the device takes for that and nothing else.
    double leastSeconds() const {
        if (isTime()) return amount * rate * 1e-6;
        return rate > 0 ? amount / rate : 0;
    }
};

}  // namespace glycine::study
