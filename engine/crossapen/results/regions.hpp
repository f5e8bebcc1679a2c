#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/pairs/files/instance_groups.hpp"

/// Channels summarised by the regions of the head.
namespace glycine::crossapen {

/// The regions of a recording's channels. `table`: kRegionsByName, or a table of channels and regions
/// (readInstanceGroups), which names channels as they are or without what electrodeName leaves out. By name
/// regions are those of the rows of the 10-20 system and its refinements: frontal (Fp to F), central (FC to
/// CP), parietal (P), occipital (PO to I), temporal left and right (T, FT, TP; odd and even numbers).
/// Channels may lie in none. Throws InputError where all do.
pairs::InstanceGroups regionsOf(std::span<const std::string> channels, const std::string& table);
inline constexpr const char* kRegionsByName = "auto";

/// The subject's first quantity with regions in place of channels: means of the finite values of their
/// channels, of pairs those of different channels; NaN without any. Regions without a channel are left out.
SubjectEntropies byRegion(const SubjectEntropies& subject, const pairs::InstanceGroups& regions);

}  // namespace glycine::crossapen
