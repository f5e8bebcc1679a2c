#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Coordinates of a sensor on a head: to the right, to the front, upwards.
namespace glycine::io {

using Position = std::array<double, 3>;

/// The position of an electrode of the 10-20, 10-10 or 10-5 system on a unit sphere with Cz at its top. Rows
/// lie at steps of 5 % of the half circle from nasion (Nz) to inion (Iz), with rings 10 % and 0 % above
/// these, and equal steps between. Case-insensitive. T3, T4, T5, T6 are T7, T8, P7, P8; M1, M2 lie at TP9 and
/// TP10. Returns nothing for other names. Source: R. Oostenveld, P. Praamstra, "The five percent electrode
/// system for high-resolution EEG and ERP measurements", Clin. Neurophysiol. 112 (2001), 713–719.
std::optional<Position> standardPosition(std::string_view name);

/// A label without a leading type ("EEG Fz"), trailing dots ("Fc5.") or a reference ("Fz-M1").
std::string_view electrodeName(std::string_view label);

/// For each label, the type of signal that the name means: the type that it begins with (standardSignalType);
/// EOG, ECG (also EKG) or EMG, alone or with a number ("EOG1"); EEG for an electrode of standardPosition.
/// Empty for others, and for series whose numbers exceed the system's, such as BioSemi's C1 to C32.
std::vector<std::string_view> signalTypes(std::span<const std::string> labels);

/// Directions of the channels from the centre of the head, of length 1. They come from the file's positions,
/// relative to the centre of the best-fitting sphere. If the file gives fewer than four positions, they come
/// from the names, without a leading type ("EEG Fz"), trailing dots ("Fc5.") or a reference ("Fz-M1").
/// Nothing for channels with neither.
std::vector<std::optional<Position>> headDirections(std::span<const std::string> names,
                                                    std::span<const std::optional<Position>> positions);

/// For each channel with a direction, the others within 1.6 times the median nearest-neighbour distance of
/// such channels; empty for other channels.
std::vector<std::vector<std::size_t>> spatialNeighbours(std::span<const std::optional<Position>> directions);

}  // namespace glycine::io
