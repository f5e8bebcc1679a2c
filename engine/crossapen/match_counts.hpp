#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/crossapen/match_statistics.hpp"

namespace glycine::crossapen {

/// ln 1, ln 2 … as a LogSum takes them. All backends take them from here.
class LogTable {
  public:
    /// `largest` ≥ 1: the largest number whose logarithm will be asked for.
    explicit LogTable(std::size_t largest);
    /// ln `count`; 0 for 0, which is no term of any sum.
    LogSum operator[](std::size_t count) const { return logs_[count]; }
    const std::vector<LogSum>& values() const { return logs_; }

  private:
    std::vector<LogSum> logs_;
};

/// The matches of one ordered pair, template by template.
struct MatchCounts {
    std::span<const std::uint32_t> shortMatches;  ///< of x(1) … x(N − m + 1)
    std::span<const std::uint32_t> longMatches;   ///< of x(1) … x(N − m)
    std::uint64_t matchesOutside = 0;             ///< short matches with i or j = N − m + 1
};

/// What the entropies need of them.
MatchStatistics summarise(const MatchCounts& counts, const LogTable& logs);

}  // namespace glycine::crossapen
