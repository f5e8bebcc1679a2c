#pragma once

#include <optional>
#include <string_view>

#include "engine/distance/distance.hpp"

namespace glycine::distance {

/// The user's request; absent members are derived from the data.
struct DistanceRequest {
    std::optional<Measure> measure{};      ///< absent: the default for the data
    std::optional<MissingRule> missing{};  ///< absent: the default for the measure
    std::optional<double> minOverlap{};    ///< number of attributes, or below 1 a share of all; absent: the
                                           ///< default
    bool isPlink = false;  ///< computes what `plink --distance` computes, which implies other options

    /// Sets the measure by its name, or "plink". Throws UsageError that lists the names.
    void readMeasure(std::string_view name);
};

/// Derives absent members of `request` from the data, and sets `options` from it. For relationships, allele
/// frequencies of all instances count if none is a founder (PLINK: --nonfounders). Throws UsageError as
/// checkMeasure does, and for an overlap that is neither a share nor a number of attributes.
void applyDefaults(DistanceRequest& request, DistanceOptions& options, const DataView& data);

/// Whether all values are whole numbers that fit into int32.
bool areCounts(const DataView& data, const DistanceOptions& options);

}  // namespace glycine::distance
