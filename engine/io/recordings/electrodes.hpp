#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Where sensors lie on a head: to the right, to the front, upwards.
namespace glycine::io {

using Position = std::array<double, 3>;

/// The place of an electrode of the 10-20, 10-10 or 10-5 system on a sphere of radius 1 whose top is Cz: rows
/// at steps of 5 % of the half circle from nasion (Nz) to inion (Iz), rings 10 % and 0 % above them, and
/// equal steps between. The case of letters does not count; T3, T4, T5, T6 are T7, T8, P7, P8, and M1, M2 lie
/// at TP9 and TP10. Nothing for other names. Source: R. Oostenveld, P. Praamstra, "The five percent electrode
/// system for high-resolution EEG and ERP measurements", Clin. Neurophysiol. 112 (2001), 713–719.
std::optional<Position> standardPosition(std::string_view name);

/// A label without a type in front ("EEG Fz"), dots behind ("Fc5.") and a reference ("Fz-M1").
std::string_view electrodeName(std::string_view label);

/// Directions of the channels from the middle of the head, of length 1: from the file's positions, seen from
/// the middle of the sphere that fits them best, or, where it tells fewer than four, from the names, without
/// a type in front ("EEG Fz"), dots behind ("Fc5.") and a reference ("Fz-M1"). Nothing where neither tells.
std::vector<std::optional<Position>> headDirections(std::span<const std::string> names,
                                                    std::span<const std::optional<Position>> positions);

/// For each channel the others within 1.6 times the usual distance of nearest neighbours, the median over the
/// channels that have a direction; none of others.
std::vector<std::vector<std::size_t>> spatialNeighbours(std::span<const std::optional<Position>> directions);

}  // namespace glycine::io
