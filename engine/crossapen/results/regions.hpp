#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/pairs/files/instance_groups.hpp"

/// Summarises channels by regions of the head.
namespace glycine::crossapen {

/// The regions of a recording's channels. `table`: kRegionsByName, or a table of channels and regions
/// (readInstanceGroups) with full channel names or names as electrodeName returns them.
///
/// By name, regions are those of the rows of the 10-20 system and its refinements: frontal (Fp to F), central
/// (FC to CP), parietal (P), occipital (PO to I), temporal left and right (T, FT, TP; odd and even numbers).
/// Channels may belong to no region. Throws InputError if none belongs to any.
pairs::InstanceGroups regionsOf(std::span<const std::string> channels, const std::string& table);
inline constexpr const char* kRegionsByName = "auto";

/// The subject's first quantity by region instead of channel: means of the finite values of the region's
/// channels; for pairs, of pairs of different channels. NaN without values. Regions without a channel are
/// left out.
SubjectEntropies byRegion(const SubjectEntropies& subject, const pairs::InstanceGroups& regions);

}  // namespace glycine::crossapen
