#pragma once

#include <cstddef>

#include "engine/picture/color_map.hpp"
#include "engine/picture/stroke_font.hpp"

/// What the parts of a picture of heat maps have in common.
namespace glycine::io::heat_map {

inline constexpr Color kBackground{255, 255, 255};
inline constexpr Color kInk{38, 38, 42};
inline constexpr Color kFaintInk{120, 120, 126};

inline constexpr TextStyle kTitleStyle{14, 2.0, kInk, TextAnchor::Middle, TextDirection::Right};
inline constexpr TextStyle kPanelTitleStyle{11, 1.6, kInk, TextAnchor::Middle, TextDirection::Right};
inline constexpr TextStyle kSmallTitleStyle{9, 1.35, kInk, TextAnchor::Middle, TextDirection::Right};
inline constexpr TextStyle kSubtitleStyle{8, 1.15, kFaintInk, TextAnchor::Middle, TextDirection::Right};
inline constexpr TextStyle kLabelStyle{9, 1.25, kInk, TextAnchor::Start, TextDirection::Right};
inline constexpr TextStyle kFooterStyle{8, 1.1, kFaintInk, TextAnchor::Start, TextDirection::Right};

inline constexpr std::size_t kTick = 5;  ///< length, in pixels

constexpr TextStyle withAnchor(TextStyle style, TextAnchor anchor,
                               TextDirection direction = TextDirection::Right) {
    style.anchor = anchor;
    style.direction = direction;
    return style;
}

/// Where a plot lies in the picture, in pixels.
struct Plot {
    std::size_t x = 0;
    std::size_t y = 0;
    std::size_t width = 0;
    std::size_t height = 0;
};

/// 1, 2 or 5 times a power of ten, so that `extent` holds about `count` steps.
double niceStep(double extent, int count);

}  // namespace glycine::io::heat_map
