#include "engine/study/reports/chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/core/quantity.hpp"
#include "engine/study/plain_name.hpp"

namespace glycine::study {

namespace {

/// Smallest and largest extent along a dimension.
std::pair<std::size_t, std::size_t> extentRange(const TimedRows& rows, std::size_t d) {
    std::pair<std::size_t, std::size_t> extent{rows.front()->dimensions[d].second, 0};
    for (const TimedRow* row : rows)
        extent = {std::min(extent.first, row->dimensions.at(d).second),
                  std::max(extent.second, row->dimensions.at(d).second)};
    return extent;
}

}  // namespace

DocumentChart drawnChart(const std::filesystem::path& folder, const std::string& name,
                         const std::string& title, const std::string& caption, DocumentTable data,
                         const std::function<void(const std::filesystem::path&)>& draw) {
    const std::filesystem::path path = folder / (plainName(name) + ".svg");
    draw(path);
    std::stringstream svg;
    svg << std::ifstream(path).rdbuf();
    return {plainName(name), title, caption, svg.str(), std::move(data)};
}

std::string chartNumber(double value) {
    return fmt::format("{:.6g}", value);
}

std::string contenderName(const Contender& contender) {
    return contender.application() + (contender.dialect.empty() ? "" : " " + contender.dialect);
}

TimedGroups grouped(const TimedRows& rows, const std::function<std::string(const TimedRow*)>& key) {
    TimedGroups groups;
    for (const TimedRow* row : rows) {
        const std::string name = key(row);
        auto found = std::ranges::find(groups, name, [](const auto& group) { return group.first; });
        if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
        found->second.push_back(row);
    }
    return groups;
}

TimedGroups curvesOf(const std::string& algorithm, std::span<const TimedRow> rows) {
    TimedRows own;
    for (const TimedRow& row : rows)
        if (row.algorithm == algorithm) own.push_back(&row);
    return grouped(own, [](const TimedRow* row) { return row->curve(); });
}

SizeAxis::SizeAxis(const TimedRows& rows) {
    const Dimensions& first = rows.front()->dimensions;
    constexpr double kLittle = 1.5;  // letters of the longest of some sequences, say
    double most = 0, next = 0;
    std::string others;
    for (std::size_t d = 0; d < first.size(); ++d) {
        const auto [low, high] = extentRange(rows, d);
        const double ratio = static_cast<double>(high) / static_cast<double>(std::max<std::size_t>(low, 1));
        if (ratio > most) {
            next = std::exchange(most, ratio);
            index = d;
        } else {
            next = std::max(next, ratio);
        }
    }
    if (first.size() > 1 && next > kLittle) index.reset();
    for (std::size_t d = 0; d < first.size(); ++d) {
        label += (d == 0 ? "" : " × ") + first[d].first;
        if (d == index) continue;
        const auto [low, high] = extentRange(rows, d);
        others += fmt::format("{}{}{} {}", others.empty() ? "" : ", ", formatCount(low),
                              low == high ? "" : " … " + formatCount(high), first[d].first);
    }
    if (index) label = first[*index].first + (others.empty() ? "" : "  (" + others + ")");
}

double SizeAxis::of(const TimedRow& row) const {
    if (index) return static_cast<double>(row.dimensions[*index].second);
    double product = 1;
    for (const auto& [name, extent] : row.dimensions) product *= static_cast<double>(extent);
    return product;
}

}  // namespace glycine::study
