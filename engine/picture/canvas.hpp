#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/names.hpp"

/// Pictures for people: heat maps and charts, drawn by Cairo.

namespace glycine::picture {

/// 8-bit sRGB.
struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    bool operator==(const Color&) const = default;
};

/// A perceptually uniform colour map of 256 steps, dark violet over teal to light yellow. Its lightness L*
/// (CIE 1976 L*a*b*, D65) grows linearly from 12 to 92, so that it also reads right in grey and for most
/// colour-blind people.
const std::array<Color, 256>& colorMap();

enum class ColorMap {
    Usual,      ///< colorMap()
    Reversed,   ///< from light to dark
    Grey,       ///< white to black
    Diverging,  ///< blue over white to red, for values on both sides of a middle
};
constexpr auto namesOf(ColorMap) {
    using enum ColorMap;
    return namesAre<ColorMap>(
        "colour map", {{Usual, "usual"}, {Reversed, "reversed"}, {Grey, "grey"}, {Diverging, "diverging"}});
}
/// Of a share, 0 … 1.
Color colorOf(ColorMap map, double share);

/// The colour of the k-th series of a chart, from the palette of Okabe and Ito (2008), which colour-blind
/// people tell apart; it begins anew after seven.
Color seriesColor(std::size_t k);

/// The colour of the k-th of so many groups: seriesColor where that has enough, else hues around the circle;
/// grey for what has no group (k ≥ `groups`).
Color groupColor(std::size_t k, std::size_t groups);

/// Whether a picture can have this name: it ends in .png, .svg or .pdf, in upper or lower case.
bool isPictureFile(const std::filesystem::path& path);
/// Throws UsageError that names the option (may be empty), the file and the three endings.
void requirePictureFile(std::string_view option, const std::filesystem::path& path);

struct Point {
    double x = 0;
    double y = 0;
};

/// A rectangle; (x, y) is its upper left corner.
struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

/// Signs that differ in shape, so that lines can be told apart without their colours.
enum class Marker { Disc, Square, Triangle, Diamond, Cross, Wedge };

enum class TextAnchor { Start, Middle, End };
enum class TextDirection { Right, Up };

struct TextStyle {
    double size = 12.5;  ///< of the font, in pixels
    Color color{38, 38, 42};
    TextAnchor anchor = TextAnchor::Start;
    TextDirection direction = TextDirection::Right;
    bool isBold = false;

    /// Of a capital letter, in pixels.
    double capitalHeight() const { return 0.729 * size; }
    TextStyle anchored(TextAnchor newAnchor, TextDirection newDirection = TextDirection::Right) const {
        TextStyle style = *this;
        style.anchor = newAnchor;
        style.direction = newDirection;
        return style;
    }
};

/// Length in pixels of UTF-8 text.
double textLength(std::string_view text, const TextStyle& style);

/// UTF-8 text that is at most `width` pixels long: as it is, or with "…" in place of some of its middle
/// (names of files and channels often differ at their ends). Nothing where even that finds no room.
std::string shortenText(std::string_view text, double width, const TextStyle& style);

/// Pixels a side of a page, at most: viewers of pictures show no more, and 100 million pixels take 400 MB.
inline constexpr double kLargestSide = 10000;

/// Throws UsageError for a page of more than kLargestSide pixels a side.
void requirePageSize(const std::filesystem::path& path, double width, double height);

/// Whether a file of this name has room for several pages, as PDF alone does.
bool hasPages(const std::filesystem::path& path);

/// A white page that becomes a PNG, SVG or PDF file by its name's ending. Lengths are pixels, 96 to an inch
/// in SVG and PDF; (0, 0) is the upper left corner, y grows downwards. Boxes at whole pixels have sharp
/// edges. Text is DejaVu Sans, which has the letters and signs of the field (Å, µ, −, ≥, ², Greek), and stays
/// text in SVG and PDF; where no font is installed, PNG and PDF have it in ASCII (asciiText). The same calls
/// give the same bytes.
class Canvas {
  public:
    Canvas() = default;
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;
    virtual ~Canvas() = default;

    virtual void fill(const Box& box, Color color) = 0;
    /// A border of one pixel around the box, outside of it.
    virtual void frame(const Box& box, Color color) = 0;
    /// `dash`: length of the dashes and of the gaps between them; 0: none.
    virtual void line(std::span<const Point> points, Color color, double width, double dash = 0) = 0;
    virtual void marker(Marker shape, Point center, double size, Color color) = 0;
    /// Fills a box at whole pixels with one embedded image; `pixel` gives the colour of the box's pixel
    /// (x, y), counted from its upper left corner.
    virtual void image(const Box& box, const std::function<Color(std::size_t x, std::size_t y)>& pixel) = 0;
    /// UTF-8 text whose baseline runs through `place`; the anchor says which part of the text lies there. In
    /// SVG all text lies above everything else.
    virtual void text(Point place, std::string_view text, const TextStyle& style) = 0;

    /// Characters of ASCII at equal steps to the right, the first one centred on `center`, all with their
    /// baseline there; blanks are left out. In SVG one element.
    virtual void letters(Point center, double step, std::string_view ascii, const TextStyle& style) = 0;

    /// Goes on with a new page of the same size. Of PDF alone (hasPages).
    virtual void nextPage() = 0;

    /// Writes the file, atomically. Call once, last. Throws Error with path and cause.
    virtual void save() = 0;
};

/// Throws UsageError for another ending, and as requirePageSize; UnavailableError where Cairo cannot be
/// loaded, as textLength and layOutGraph do.
std::unique_ptr<Canvas> openCanvas(std::filesystem::path path, double width, double height);

// What all pictures have in common.

/// 1, 2 or 5 times a power of ten, so that `extent` holds about `count` steps.
double niceStep(double extent, int count);

/// What a colour beside a picture means.
struct ColorKey {
    std::string label;
    Color color;
};

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
