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

/// Pictures: heat maps and charts, drawn by Cairo.

namespace glycine::picture {

/// 8-bit sRGB.
struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    bool operator==(const Color&) const = default;
};

/// A perceptually uniform colour map of 256 steps, from dark violet over teal to light yellow. Its lightness
/// L* (CIE 1976 L*a*b*, D65) grows linearly from 12 to 92, so that it also reads correctly in grey and with
/// most forms of colour blindness.
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
/// The colour at `share`, 0 … 1.
Color colorOf(ColorMap map, double share);

/// The colour of the k-th series of a chart, from the palette of Okabe and Ito (2008), which colour-blind
/// people can distinguish. Repeats after seven.
Color seriesColor(std::size_t k);

/// Number of colours that groupColor has for many groups. Each differs from every other, from white, and from
/// the grey of items without a group by 15 or more (CIEDE2000).
inline constexpr std::size_t kGroupColors = 18;

/// The colour of the k-th of `groups` groups: seriesColor if it has enough colours, otherwise a larger
/// palette, which repeats after kGroupColors. Grey for items without a group (k ≥ `groups`). Source: S.
/// Trubetskoy, "List of 20 simple, distinct colors" (2017), without beige and apricot, which are too near to
/// its other light colours and to white.
Color groupColor(std::size_t k, std::size_t groups);

/// The colour of a group, and how it is marked if groups before it have the same colour.
struct GroupSign {
    Color color;
    std::size_t round = 0;  ///< number of earlier groups of this colour: see roundMarker and isHatched
    bool operator==(const GroupSign&) const = default;
};
GroupSign groupSign(std::size_t k, std::size_t groups);

/// Number of rounds that roundMarker and isHatched tell apart; later ones repeat them.
inline constexpr std::size_t kRounds = 4;
/// Whether pixel (x, y) of an area of the round is white: areas of round 0 are plain, others hatched.
bool isHatched(std::size_t round, std::size_t x, std::size_t y);

/// "90 groups share 72 colours and marks: some look alike"; empty if each group has a sign of its own.
std::string noteOnGroups(std::size_t groups);

/// Whether the name is one of a picture: it ends in .png, .svg or .pdf, case-insensitive.
bool isPictureFile(const std::filesystem::path& path);
/// Throws UsageError, naming the option (may be empty), the file and the three endings, for any other name.
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

/// Markers of different shape, so that lines are distinguishable without colours.
enum class Marker { Disc, Square, Triangle, Diamond, Cross, Wedge };
/// The marker of points whose group has this round (GroupSign).
Marker roundMarker(std::size_t round);

enum class TextAnchor { Start, Middle, End };
enum class TextDirection { Right, Up };

struct TextStyle {
    double size = 12.5;  ///< font size in pixels
    Color color{38, 38, 42};
    TextAnchor anchor = TextAnchor::Start;
    TextDirection direction = TextDirection::Right;
    bool isBold = false;

    /// Height of a capital letter, in pixels.
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

/// Shortens UTF-8 text to at most `width` pixels by replacing part of its middle with "…", because names of
/// files and channels often differ at their ends. Returns shorter text unchanged, and nothing if not even
/// that fits.
std::string shortenText(std::string_view text, double width, const TextStyle& style);

/// Largest side of a page in pixels: picture viewers show no more, and 100 million pixels take 400 MB.
inline constexpr double kLargestSide = 10000;

/// Throws UsageError for a page of more than kLargestSide pixels per side.
void requirePageSize(const std::filesystem::path& path, double width, double height);

/// Whether a file of this name may have several pages, which only PDF supports.
bool hasPages(const std::filesystem::path& path);

/// A white page that becomes a PNG, SVG or PDF file, according to its name. Lengths are in pixels, 96 per
/// inch in SVG and PDF. (0, 0) is the upper left corner; y grows downwards. Boxes at integer pixels have
/// sharp edges. Text is DejaVu Sans, which has the letters and signs of the field (Å, µ, −, ≥, ², Greek), and
/// remains text in SVG and PDF. If no font is installed, PNG and PDF use ASCII (asciiText). The same calls
/// give the same bytes.
class Canvas {
  public:
    Canvas() = default;
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;
    virtual ~Canvas() = default;

    virtual void fill(const Box& box, Color color) = 0;
    /// Draws a border of one pixel around the box, outside it.
    virtual void frame(const Box& box, Color color) = 0;
    /// `dash`: length of the dashes and of the gaps between them; 0: none.
    virtual void line(std::span<const Point> points, Color color, double width, double dash = 0) = 0;
    virtual void marker(Marker shape, Point center, double size, Color color) = 0;
    /// Fills a box at integer pixels with one embedded image. `pixel` gives the colour of the box's pixel (x,
    /// y), counted from its upper left corner.
    virtual void image(const Box& box, const std::function<Color(std::size_t x, std::size_t y)>& pixel) = 0;
    /// Draws UTF-8 text with its baseline through `place`; the anchor decides which part of the text lies
    /// there. In SVG, all text lies above everything else.
    virtual void text(Point place, std::string_view text, const TextStyle& style) = 0;

    /// Draws ASCII characters at equal steps to the right, with the first one centred on `center` and all
    /// baselines there; skips blanks. In SVG, this is one element.
    virtual void letters(Point center, double step, std::string_view ascii, const TextStyle& style) = 0;

    /// Names the value that the box shows: a browser says it for the pointer over the box. Nothing is drawn,
    /// and only SVG keeps it.
    virtual void value(const Box& box, std::string_view text) = 0;

    /// Starts a new page of the same size. Only for PDF (hasPages).
    virtual void nextPage() = 0;

    /// Writes the file, atomically. Must be the last call, made once. Throws Error with path and cause.
    virtual void save() = 0;
};

/// Throws UsageError for another ending, and as requirePageSize does. Throws UnavailableError if Cairo cannot
/// be loaded, as textLength and layOutGraph do.
std::unique_ptr<Canvas> openCanvas(std::filesystem::path path, double width, double height);

// Shared by all pictures.

/// Returns 1, 2 or 5 times a power of ten, such that `extent` holds about `count` steps.
double niceStep(double extent, int count);

/// Meaning of a colour, as shown in a key.
struct ColorKey {
    std::string label;
    Color color;
    std::size_t round = 0;  ///< as in GroupSign
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
