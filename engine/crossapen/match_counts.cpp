#include "engine/crossapen/match_counts.hpp"

#include <cmath>

namespace glycine::crossapen {

LogTable::LogTable(std::size_t largest) : logs_(largest + 1, 0) {
    for (std::size_t count = 1; count <= largest; ++count)
        logs_[count] = std::llround(std::log(static_cast<double>(count)) / kLogUnit);
}

MatchStatistics summarise(const MatchCounts& counts, const LogTable& logs) {
    MatchStatistics statistics;
    const std::size_t longTotal = counts.longMatches.size();
    for (std::size_t i = 0; i < longTotal; ++i) {
        const std::uint32_t shortMatches = counts.shortMatches[i];
        const std::uint32_t longMatches = counts.longMatches[i];
        statistics.logShort += logs[shortMatches];
        statistics.logLong += logs[longMatches];
        statistics.noShort += shortMatches == 0;
        statistics.noLong += longMatches == 0;
        statistics.matchesShort += shortMatches;
        statistics.matchesLong += longMatches;
    }
    // A template without a short match has no long one either.
    statistics.noLongOnly = statistics.noLong - statistics.noShort;
    const std::uint32_t last = counts.shortMatches[longTotal];
    statistics.logShort += logs[last];
    statistics.noShort += last == 0;
    statistics.matchesShort += last;
    statistics.matchesWithin = statistics.matchesShort - counts.matchesOutside;
    return statistics;
}

}  // namespace glycine::crossapen
