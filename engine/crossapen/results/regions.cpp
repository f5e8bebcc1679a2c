#include "engine/crossapen/results/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/recordings/electrodes.hpp"

namespace glycine::crossapen {

namespace {

enum Region { Frontal, Central, Parietal, Occipital, TemporalLeft, TemporalRight, None };
constexpr std::array<const char*, None> kRegionNames{"frontal",   "central",       "parietal",
                                                     "occipital", "temporal left", "temporal right"};

/// Rows of electrodes, in lower case. TemporalLeft here stands for both sides.
constexpr std::pair<std::string_view, Region> kRows[] = {
    {"fp", Frontal},      {"afp", Frontal},      {"af", Frontal},     {"aff", Frontal},
    {"f", Frontal},       {"ffc", Frontal},      {"fc", Central},     {"fcc", Central},
    {"c", Central},       {"ccp", Central},      {"cp", Central},     {"cpp", Parietal},
    {"p", Parietal},      {"ppo", Parietal},     {"po", Occipital},   {"poo", Occipital},
    {"o", Occipital},     {"oi", Occipital},     {"i", Occipital},    {"fft", TemporalLeft},
    {"ft", TemporalLeft}, {"ftt", TemporalLeft}, {"t", TemporalLeft}, {"ttp", TemporalLeft},
    {"tp", TemporalLeft}, {"tpp", TemporalLeft}};

Region regionOf(std::string_view label) {
    const std::string name = lowerCase(io::electrodeName(label));
    const std::size_t number = std::min(name.find_first_of("0123456789z"), name.size());
    const auto row = std::ranges::find(kRows, std::string_view(name).substr(0, number),
                                       &std::pair<std::string_view, Region>::first);
    // The whole name must exist in the system.
    if (row == std::end(kRows) || !io::standardPosition(name)) return None;
    if (row->second != TemporalLeft) return row->second;
    return name.back() == 'z' ? None : (name.back() - '0') % 2 == 0 ? TemporalRight : TemporalLeft;
}

}  // namespace

pairs::InstanceGroups regionsOf(std::span<const std::string> channels, const std::string& table) {
    if (table != kRegionsByName) {
        std::vector<std::string> names(channels.begin(), channels.end());
        for (const std::string& channel : channels) names.emplace_back(io::electrodeName(channel));
        pairs::InstanceGroups regions = pairs::readInstanceGroups(table, names);
        for (std::size_t k = 0; k < channels.size(); ++k)
            regions.of[k] = std::min(regions.of[k], regions.of[channels.size() + k]);
        regions.of.resize(channels.size());
        return regions;
    }
    pairs::InstanceGroups regions;
    regions.labels.assign(kRegionNames.begin(), kRegionNames.end());
    for (const std::string& channel : channels) regions.of.push_back(regionOf(channel));
    if (std::ranges::all_of(regions.of, [](std::size_t region) { return region == None; }))
        throw InputError(
            fmt::format("--regions {}: no channel has a name of the 10-20 system, '{}' as little as the "
                        "others; name their regions in a table: --regions FILE",
                        kRegionsByName, excerpt(channels.front())));
    return regions;
}

SubjectEntropies byRegion(const SubjectEntropies& subject, const pairs::InstanceGroups& regions) {
    const EntropyMatrix& whole = subject.quantities.front();
    const bool isPairwise = whole.mean.columns() > 1 || subject.channels.size() == 1;
    std::vector<std::vector<std::size_t>> members;
    SubjectEntropies result;
    result.name = subject.name;
    for (std::size_t region = 0; region < regions.labels.size(); ++region) {
        std::vector<std::size_t> own;
        for (std::size_t channel = 0; channel < regions.of.size(); ++channel)
            if (regions.of[channel] == region) own.push_back(channel);
        if (own.empty()) continue;
        result.channels.push_back(regions.labels[region]);
        members.push_back(std::move(own));
    }
    EntropyMatrix& quantity = result.quantities.emplace_back();
    quantity.name = whole.name;
    quantity.label = whole.label + ", by region";
    quantity.isSymmetric = whole.isSymmetric;
    quantity.mean = Matrix<double>(members.size(), isPairwise ? members.size() : 1);
    const std::vector<std::size_t> only{0};
    for (std::size_t a = 0; a < members.size(); ++a)
        for (std::size_t b = 0; b < quantity.mean.columns(); ++b) {
            double sum = 0, count = 0;
            for (const std::size_t row : members[a])
                for (const std::size_t column : isPairwise ? members[b] : only)
                    if (std::isfinite(whole.mean(row, column)) && !(isPairwise && row == column)) {
                        sum += whole.mean(row, column);
                        ++count;
                    }
            quantity.mean(a, b) = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
        }
    return result;
}

}  // namespace glycine::crossapen
