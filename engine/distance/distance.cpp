#include "engine/distance/distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/measures.hpp"

namespace glycine::distance {

MissingRule defaultMissingRule(Measure measure) {
    return isForGenotypes(measure) ? MissingRule::Weighted : MissingRule::Ignore;
}

std::size_t DataView::instances() const {
    return isCoordinates() ? coordinates.rows() : discrete->shape().instances;
}

std::size_t DataView::attributes() const {
    return isCoordinates() ? coordinates.columns() : discrete->shape().attributes;
}

void checkMeasure(const DataView& data, const DistanceOptions& options) {
    checkKnown(options.missing);
    const std::string_view measure = toString(options.measure);
    if (data.isCoordinates() != isForCoordinates(options.measure))
        throw UsageError(
            data.isCoordinates()
                ? fmt::format("the measure '{}' counts symbols, but the data are coordinates; for them: {}",
                              measure, measureNames(Attributes::Coordinates))
                : fmt::format(
                      "the measure '{}' is for coordinates, but the data are symbols; for them: {}, and "
                      "for genotypes {}",
                      measure, measureNames(Attributes::Symbols), measureNames(Attributes::Genotypes)));
    if (data.isCoordinates()) return;
    if (isForGenotypes(options.measure) && !data.discrete->shape().isGenotypes)
        throw UsageError(fmt::format("the measure '{}' counts alleles, but the data are no genotypes; use {}",
                                     measure, measureNames(Attributes::Symbols, " or ")));
    if (options.missing == MissingRule::Weighted && !isForGenotypes(options.measure))
        throw UsageError(
            fmt::format("missing entries can be weighted for {}, not for '{}'; use ignore or flat",
                        measureNames(Attributes::Genotypes, " and "), measure));
}

void checkDistances(const DataView& data, const DistanceOptions& options) {
    checkMeasure(data, options);
    checkKnown(options.variant);
    if (options.precision) checkKnown(*options.precision);
    if (data.instances() == 0 || data.attributes() == 0)
        throw InputError(
            fmt::format("the data are {} instances × {} attributes; expected at least one of each",
                        data.instances(), data.attributes()));
    if (!options.founders.empty())
        checkCount("the founders", options.founders.size(), data.instances(),
                   "a flag for each instance, or none");
    if (!data.isCoordinates()) return;
    data.coordinates.visit([](const auto& numbers) {
        checkView("the coordinates", numbers);
        if (const auto place = firstRefused(numbers, [](auto value) { return std::isfinite(value); }))
            throw InputError(
                fmt::format("instance {}, attribute {}: the coordinate is {}; expected a finite number",
                            place->row + 1, place->column + 1, numbers(place->row, place->column)));
    });
}

std::size_t usualOverlap(Measure measure, MissingRule rule, std::size_t attributes) {
    constexpr std::size_t kEnoughToEstimate = 1000;
    const std::size_t half = attributes / 2 + attributes % 2;
    const bool isPlainCount =
        rule == MissingRule::Ignore && !isForCoordinates(measure) && !traitsOf(measure).isShare;
    return isPlainCount ? half : std::min(half, kEnoughToEstimate);
}

double summationTolerance(std::size_t attributes, Precision precision) {
    return static_cast<double>(attributes + 3) * (precision == Precision::Float32 ? 0x1p-24 : 2 * 0x1p-53);
}

}  // namespace glycine::distance
