#pragma once

#include <string>

namespace glycine::study {

/// What a result takes of a ceiling of its device at least (device_ceilings.hpp).
struct CeilingUse {
    std::string name;   ///< of the ceiling: "add+min float32"
    std::string unit;   ///< of its rate: "G/s"; "µs" of a time for each
    double rate = 0;    ///< the best that was measured, by the probe or by a result (raisedBy)
    std::string what;   ///< how the probe measured it
    double amount = 0;  ///< that the result takes: rate · seconds; of a time for each, how many
    std::string stage;  ///< whose time this is compared with: Need::stage
    int threads = 0;    ///< of the processor, that the ceiling is about; 0: it is none of the processor
    /// The result of the same report that is above what the probe measured, and whose rate is the ceiling
    /// therefore: "cpu/blocked float32 on bounds, sparse, 17 atoms"; empty: none (raised_ceilings.hpp).
    std::string raisedBy{};
    double probed = 0;  ///< what the probe measured, where a result raised it

    bool isTime() const { return unit == "µs"; }
    /// How long the device takes for that and nothing else.
    double leastSeconds() const {
        if (isTime()) return amount * rate * 1e-6;
        return rate > 0 ? amount / rate : 0;
    }
    /// The rate (of a time for each, the time) that a result shows which takes so many seconds.
    double shownBy(double seconds) const { return isTime() ? seconds * 1e6 / amount : amount / seconds; }
    /// Which share of the ceiling a result reaches that takes so many seconds.
    double shareOf(double seconds) const {
        const double share = seconds > 0 ? leastSeconds() / seconds : 0;
        return !raisedBy.empty() && share > 1 ? 1 : share;  // but for rounding
    }
};

}  // namespace glycine::study
