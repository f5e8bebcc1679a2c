#pragma once

#include <optional>
#include <string_view>

#include "engine/distance/distance.hpp"

namespace glycine::distance {

/// What is asked for of a run; what is absent follows from the data.
struct DistanceRequest {
    std::optional<Measure> measure{};      ///< absent: the usual one for the data
    std::optional<MissingRule> missing{};  ///< absent: the usual one for the measure
    std::optional<double> minOverlap{};    ///< attributes, or below 1 a share of all; absent: the usual one
    bool isPlink = false;  ///< what `plink --distance` computes, which stands for other options

    /// Sets the measure by its name, or "plink". Throws UsageError that lists the names.
    void readMeasure(std::string_view name);
};

/// Fills in `request` what follows from the data, and in `options` what it says. Throws UsageError as
/// checkMeasure, and for an overlap that is neither a share nor a number of the attributes.
void settle(DistanceRequest& request, DistanceOptions& options, const DataView& data);

/// Whether all values are whole numbers that int32 holds.
bool areCounts(const DataView& data, const DistanceOptions& options);

}  // namespace glycine::distance
