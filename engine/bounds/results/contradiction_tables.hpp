#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/explain.hpp"

/// Inconsistent pairs and what stands behind them, as tables: tab-separated, atoms counted from 1, lengths in
/// Å in the shortest decimal form that reads back to the same double. Both appear complete or not at all.
/// `atomNames` has n names or none; the columns of names are there with them.
namespace glycine::bounds {

/// A line for each pair: i, j, atom_i, atom_j, lower, upper, excess.
void writeViolations(const std::filesystem::path& tsv, std::span<const Violation> violations,
                     std::span<const std::string> atomNames);

/// A line for each contradiction: p, q, atom_p, atom_q, lower (of the input), upper_sum, short_by, pairs
/// (that it proves inconsistent), path (p … q, joined by commas), path_atoms, upper_inputs (one a step of the
/// path, joined by commas).
void writeContradictions(const std::filesystem::path& tsv, std::span<const Contradiction> contradictions,
                         std::span<const std::string> atomNames);

}  // namespace glycine::bounds
