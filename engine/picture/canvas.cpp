#include "engine/picture/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/picture/graph_picture.hpp"
#include "engine/picture/picture_module.hpp"

GLYCINE_USES_MODULE(pictures, glycine::picture::PictureModule, pictureModule)

namespace glycine::picture {

namespace {

std::string extensionOf(const std::filesystem::path& path) {
    return lowerCase(path.extension().string());
}

/// Keeps the first and last of the characters that end at `ends`, `kept` ≥ 1 in all.
std::string withoutMiddle(std::string_view text, const std::vector<std::size_t>& ends, std::size_t kept) {
    const std::size_t head = (kept + 1) / 2;
    const std::size_t tail = kept - head;
    std::string shortened(text.substr(0, ends[head - 1]));
    shortened += "…";
    shortened += text.substr(ends[ends.size() - tail - 1]);
    return shortened;
}

using Triple = std::array<double, 3>;

// D65 white of the sRGB standard, IEC 61966-2-1.
constexpr Triple kWhite{0.95047, 1.0, 1.08883};

/// CIE 15:2004, section 8.2.1, solved for the tristimulus ratio.
double labInverse(double f) {
    constexpr double kDelta = 6.0 / 29.0;
    return f > kDelta ? f * f * f : 3 * kDelta * kDelta * (f - 4.0 / 29.0);
}

/// Converts lightness, chroma and hue (degrees) to linear sRGB. Colours with components outside 0 … 1 cannot
/// be displayed.
Triple linearRgb(double lightnessValue, double chroma, double hue) {
    const double angle = hue * std::numbers::pi / 180;
    const double fy = (lightnessValue + 16) / 116;
    const double x = kWhite[0] * labInverse(fy + chroma * std::cos(angle) / 500);
    const double y = kWhite[1] * labInverse(fy);
    const double z = kWhite[2] * labInverse(fy - chroma * std::sin(angle) / 200);
    return {3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z,
            0.0557 * x - 0.2040 * y + 1.0570 * z};
}

bool canBeShown(const Triple& rgb) {
    return std::all_of(rgb.begin(), rgb.end(), [](double value) { return value >= 0 && value <= 1; });
}

std::uint8_t encode(double linear) {
    const double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
}

Color colorAt(double t) {
    const double lightnessValue = 12 + 80 * t;
    const double hue = 308 - 208 * t;
    double chroma = 38 + 34 * t * t;
    // Reduce the chroma, never the lightness, of colours that the screen cannot show.
    while (chroma > 0 && !canBeShown(linearRgb(lightnessValue, chroma, hue))) chroma -= 0.25;
    const Triple rgb = linearRgb(lightnessValue, std::max(chroma, 0.0), hue);
    return {encode(rgb[0]), encode(rgb[1]), encode(rgb[2])};
}

}  // namespace

bool isPictureFile(const std::filesystem::path& path) {
    const std::string extension = extensionOf(path);
    return extension == ".png" || extension == ".svg" || extension == ".pdf";
}

bool hasPages(const std::filesystem::path& path) {
    return extensionOf(path) == ".pdf";
}

void requirePictureFile(std::string_view option, const std::filesystem::path& path) {
    if (!isPictureFile(path))
        throw UsageError(fmt::format("{}{}{} does not end in .png, .svg or .pdf", option,
                                     option.empty() ? "" : ": ", path.string()));
}

double textLength(std::string_view text, const TextStyle& style) {
    return pictureModule().textLength(text, style);
}

std::vector<Point> layOutGraph(std::span<const NodeSize> nodes, std::span<const NodeLink> links) {
    return pictureModule().layOutGraph(nodes, links);
}

std::string shortenText(std::string_view text, double width, const TextStyle& style) {
    if (textLength(text, style) <= width) return std::string(text);
    std::vector<std::size_t> ends;  // end of each character
    for (std::size_t position = 0; position < text.size(); ends.push_back(position))
        if (!nextUtf8(text, position)) ++position;
    // Fewer characters make a shorter text: bisect for the largest number that fits.
    std::size_t most = 0;
    for (std::size_t tooMany = ends.size(); tooMany - most > 1;) {
        const std::size_t kept = (most + tooMany) / 2;
        (textLength(withoutMiddle(text, ends, kept), style) <= width ? most : tooMany) = kept;
    }
    return most == 0 ? std::string() : withoutMiddle(text, ends, most);
}

void requirePageSize(const std::filesystem::path& path, double width, double height) {
    if (!(width <= kLargestSide && height <= kLargestSide))
        throw UsageError(
            fmt::format("{}: a picture of {:.0f} × {:.0f} pixels; expected at most {:.0f} a side: draw less, "
                        "or in larger steps",
                        path.string(), width, height, kLargestSide));
}

std::unique_ptr<Canvas> openCanvas(std::filesystem::path path, double width, double height) {
    requirePictureFile("", path);
    requirePageSize(path, width, height);
    return pictureModule().open(std::move(path), width, height);
}

const std::array<Color, 256>& colorMap() {
    static const std::array<Color, 256> map = [] {
        std::array<Color, 256> colors;
        for (std::size_t i = 0; i < colors.size(); ++i)
            colors[i] = colorAt(static_cast<double>(i) / (colors.size() - 1));
        return colors;
    }();
    return map;
}

Color colorOf(ColorMap map, double share) {
    const double t = std::clamp(share, 0.0, 1.0);
    const auto channel = [](double value) { return static_cast<std::uint8_t>(std::lround(value)); };
    switch (map) {
        case ColorMap::Grey:
            return {channel(255 - 255 * t), channel(255 - 255 * t), channel(255 - 255 * t)};
        case ColorMap::Diverging: {
            // Ends with equal lightness, from ColorBrewer's RdBu.
            constexpr double kLow[] = {33, 102, 172}, kHigh[] = {178, 24, 43};
            const double* end = t < 0.5 ? kLow : kHigh;
            const double far = std::abs(2 * t - 1);
            return {channel(247 + far * (end[0] - 247)), channel(247 + far * (end[1] - 247)),
                    channel(247 + far * (end[2] - 247))};
        }
        case ColorMap::Usual:
        case ColorMap::Reversed:
            break;
    }
    const auto place = static_cast<std::size_t>(std::lround(t * 255));
    return colorMap()[map == ColorMap::Reversed ? 255 - place : place];
}

Color groupColor(std::size_t k, std::size_t groups) {
    constexpr std::size_t kFewGroups = 7;
    static constexpr Color kPalette[kGroupColors] = {
        {230, 25, 75},  {60, 180, 75},  {255, 225, 25},  {67, 99, 216},   {245, 130, 49}, {145, 30, 180},
        {66, 212, 244}, {240, 50, 230}, {191, 239, 69},  {250, 190, 212}, {70, 153, 144}, {220, 190, 255},
        {154, 99, 36},  {128, 0, 0},    {170, 255, 195}, {128, 128, 0},   {0, 0, 117},    {0, 0, 0}};
    if (k >= groups) return {176, 176, 180};
    return groups <= kFewGroups ? seriesColor(k) : kPalette[k % kGroupColors];
}

GroupSign groupSign(std::size_t k, std::size_t groups) {
    return {groupColor(k, groups), k < groups ? k / kGroupColors : 0};
}

Marker roundMarker(std::size_t round) {
    constexpr Marker kMarkers[kRounds] = {Marker::Disc, Marker::Square, Marker::Triangle, Marker::Cross};
    return kMarkers[round % kRounds];
}

bool isHatched(std::size_t round, std::size_t x, std::size_t y) {
    constexpr std::size_t kPitch = 4;
    const bool isRising = (x + y) % kPitch == 0;
    const bool isFalling = (x + (kPitch - 1) * y) % kPitch == 0;
    switch (round % kRounds) {
        case 0:
            return false;
        case 1:
            return isRising;
        case 2:
            return isFalling;
        default:
            return isRising || isFalling;
    }
}

std::string noteOnGroups(std::size_t groups) {
    constexpr std::size_t kSigns = kGroupColors * kRounds;
    if (groups <= kSigns) return {};
    return fmt::format("{} groups share {} colours and marks: some look alike", groups, kSigns);
}

double niceStep(double extent, int count) {
    const double rough = extent / count;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

Color seriesColor(std::size_t k) {
    // The palette without its yellow, which is too light for thin lines on white.
    static constexpr Color kPalette[] = {{0, 114, 178},  {213, 94, 0},  {0, 158, 115}, {204, 121, 167},
                                         {86, 180, 233}, {230, 159, 0}, {38, 38, 42}};
    return kPalette[k % std::size(kPalette)];
}

}  // namespace glycine::picture
