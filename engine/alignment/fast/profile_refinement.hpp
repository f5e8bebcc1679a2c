#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/alignment/fast/column_profile.hpp"
#include "engine/alignment/fast/profile_progression.hpp"
#include "engine/core/progress.hpp"

namespace glycine::align {

/// Splits the alignment in two by whether a sequence has a residue in some column, and joins both parts again
/// by their profiles, `times` times; columns are chosen at random. A time takes as many steps as there are
/// residues, besides the join.
void refineByProfiles(JoinedSequences& alignment, const Sequences& sequences, std::span<const double> weights,
                      const ProfileJoiner& joiner, std::size_t times, std::uint64_t seed, Progress& progress);

}  // namespace glycine::align
