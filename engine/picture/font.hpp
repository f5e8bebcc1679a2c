#pragma once

#include <cairo/cairo.h>

#include <memory>

#include "engine/picture/text.hpp"

/// The font of all pictures, as Cairo wants to hear of it.
namespace glycine::picture {

inline constexpr const char* kFontFamily = "DejaVu Sans";

inline cairo_font_weight_t fontWeight(const TextStyle& style) {
    return style.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
}

using FontOptions = std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)>;

/// Text has the same length in all formats, whatever the desktop's settings.
inline FontOptions fontOptions() {
    FontOptions options(cairo_font_options_create(), &cairo_font_options_destroy);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    return options;
}

}  // namespace glycine::picture
