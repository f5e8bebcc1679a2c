#include "engine/distance/distance_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/measures.hpp"

namespace glycine::distance {

namespace {

/// The number of attributes for a minimum overlap given as a share (below 1) or a number. Throws UsageError.
std::size_t overlapOf(double minOverlap, std::size_t attributes) {
    const auto all = static_cast<double>(attributes);
    if (!(minOverlap >= 0 && minOverlap <= all) || (minOverlap >= 1 && minOverlap != std::floor(minOverlap)))
        throw UsageError(fmt::format(
            "--min-overlap {}: expected a share of the attributes (0 to below 1) or a number of them, "
            "1 to {}",
            minOverlap, attributes));
    return static_cast<std::size_t>(minOverlap < 1 ? std::ceil(minOverlap * all) : minOverlap);
}

}  // namespace

void DistanceRequest::readMeasure(std::string_view name) {
    isPlink = name == "plink";
    try {
        measure = isPlink ? Measure::Allele : fromString<Measure>(name);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}, plink", error.what()));
    }
}

void applyDefaults(DistanceRequest& request, DistanceOptions& options, const DataView& data) {
    const bool isCoordinates = data.isCoordinates();
    if (!request.measure) request.measure = defaultMeasure(isCoordinates);
    if (!request.missing) request.missing = defaultMissingRule(*request.measure);
    if (request.measure == Measure::Hamming && !isCoordinates) request.measure = Measure::Proportion;
    options.measure = *request.measure;
    options.missing = *request.missing;
    checkMeasure(data, options);
    const std::size_t attributes = data.attributes();
    if (request.minOverlap)
        options.leastInCommon = overlapOf(*request.minOverlap, attributes);
    else if (!isCoordinates && !request.isPlink && options.measure != Measure::King &&
             options.measure != Measure::Grm)
        options.leastInCommon = defaultOverlap(options.measure, options.missing, attributes);
    if (!isCoordinates && !data.discrete->shape().hasMissing) options.leastInCommon = 0;
    if (!isCoordinates) request.minOverlap = static_cast<double>(options.leastInCommon);
    // Without founders, no allele would have a frequency and all relationships would be 0.
    if (options.measure == Measure::Grm &&
        std::ranges::find(options.founders, true) == options.founders.end())
        options.founders.clear();
}

bool areCounts(const DataView& data, const DistanceOptions& options) {
    return !data.isCoordinates() && !traitsOf(options.measure).isShare &&
           (options.missing == MissingRule::Ignore || !data.discrete->shape().hasMissing) &&
           data.attributes() < (std::size_t{1} << 30);
}

}  // namespace glycine::distance
