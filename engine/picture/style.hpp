#pragma once

#include "engine/picture/canvas.hpp"

/// What all pictures have in common.
namespace glycine::picture {

inline constexpr Color kBackground{255, 255, 255};
inline constexpr Color kInk{38, 38, 42};
inline constexpr Color kFaintInk{105, 105, 112};
inline constexpr Color kGrid{226, 226, 230};

inline constexpr TextStyle kTitleStyle{.size = 18.5};
inline constexpr TextStyle kHeadingStyle{.size = 14, .isBold = true};
inline constexpr TextStyle kLabelStyle{.size = 12.5};
inline constexpr TextStyle kSmallStyle{.size = 11};
inline constexpr TextStyle kNoteStyle{.size = 11, .color = kFaintInk};

inline constexpr double kTick = 5;  ///< length, in pixels

}  // namespace glycine::picture
