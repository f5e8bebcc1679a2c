#include "engine/command/pair_report.hpp"

#include <fmt/format.h>

#include "engine/core/quantity.hpp"

namespace glycine {

std::string describeValues(const pairs::ValueSummary& summary, const std::vector<std::string>& names) {
    const auto pairName = [&names](const std::size_t(&pair)[2]) {
        return fmt::format("{} – {}", names.at(pair[0]), names.at(pair[1]));
    };
    return fmt::format("{}: mean {}, smallest {} ({}), largest {} ({})", formatCount(summary.pairs, "pair"),
                       formatNumber(summary.mean), formatNumber(summary.smallest),
                       pairName(summary.smallestPair), formatNumber(summary.largest),
                       pairName(summary.largestPair));
}

void addValues(Json& json, const pairs::ValueSummary& summary) {
    if (summary.pairs == 0) return;
    json["mean"] = summary.mean;
    json["smallest"] = summary.smallest;
    json["smallestPair"] = {summary.smallestPair[0], summary.smallestPair[1]};
    json["largest"] = summary.largest;
    json["largestPair"] = {summary.largestPair[0], summary.largestPair[1]};
}

}  // namespace glycine
