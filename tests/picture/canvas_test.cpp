#include "engine/picture/canvas.hpp"

#include "engine/core/text.hpp"
#include "tests/picture/picture_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::picture {
namespace {

constexpr Color kWhite{255, 255, 255};
constexpr Color kBlack{0, 0, 0};

/// The picture that `draw` draws on a page of this size.
template <class Draw>
Picture drawn(double width, double height, const Draw& draw) {
    const TemporaryFolder folder;
    const auto opened = openCanvas(folder / "a.png", width, height);
    Canvas& canvas = *opened;
    draw(canvas);
    canvas.save();
    return Picture(folder / "a.png");
}

/// Lightness L* of a colour, 0 … 100 (CIE 1976), by the inverse of sRGB's encoding.
double lightness(Color color) {
    const auto linear = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(color.red / 255.0) + 0.7152 * linear(color.green / 255.0) +
                     0.0722 * linear(color.blue / 255.0);
    constexpr double kDelta = 6.0 / 29.0;
    return 116 * (y > kDelta * kDelta * kDelta ? std::cbrt(y) : y / (3 * kDelta * kDelta) + 4.0 / 29.0) - 16;
}

TEST(ColorMap, LightnessGrowsEvenly) {
    const auto& map = colorMap();
    for (std::size_t i = 0; i < map.size(); ++i)
        EXPECT_NEAR(lightness(map[i]), 12 + 80.0 * static_cast<double>(i) / 255, 0.8) << "colour " << i;
}

/// CIE 1976 L*a*b* of a colour (sRGB, D65).
std::array<double, 3> labOf(Color color) {
    const auto linear = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const double r = linear(color.red / 255.0), g = linear(color.green / 255.0),
                 b = linear(color.blue / 255.0);
    const auto f = [](double t) {
        constexpr double kDelta = 6.0 / 29.0;
        return t > kDelta * kDelta * kDelta ? std::cbrt(t) : t / (3 * kDelta * kDelta) + 4.0 / 29.0;
    };
    const double fx = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    const double fy = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const double fz = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return {116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)};
}

/// CIEDE2000. Source: G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 color-difference formula", Color Res.
/// Appl. 30 (2005), 21-30.
double differenceOf(const std::array<double, 3>& one, const std::array<double, 3>& other) {
    constexpr double kDegree = std::numbers::pi / 180;
    const auto boost = [](double chroma) {
        return std::sqrt(std::pow(chroma, 7) / (std::pow(chroma, 7) + std::pow(25.0, 7)));
    };
    const double g = 0.5 * (1 - boost((std::hypot(one[1], one[2]) + std::hypot(other[1], other[2])) / 2));
    const double a1 = (1 + g) * one[1], a2 = (1 + g) * other[1];
    const double c1 = std::hypot(a1, one[2]), c2 = std::hypot(a2, other[2]);
    const auto hueOf = [&](double a, double b) {
        const double hue = a == 0 && b == 0 ? 0 : std::atan2(b, a) / kDegree;
        return hue < 0 ? hue + 360 : hue;
    };
    const double h1 = hueOf(a1, one[2]), h2 = hueOf(a2, other[2]);
    double turn = h2 - h1, hue = (h1 + h2) / 2;
    if (c1 * c2 == 0) {
        turn = 0;
        hue = h1 + h2;
    } else if (std::abs(turn) > 180) {
        turn += turn > 0 ? -360 : 360;
        hue += h1 + h2 < 360 ? 180 : -180;
    }
    const double lightnessMean = (one[0] + other[0]) / 2, chroma = (c1 + c2) / 2;
    const double t = 1 - 0.17 * std::cos((hue - 30) * kDegree) + 0.24 * std::cos(2 * hue * kDegree) +
                     0.32 * std::cos((3 * hue + 6) * kDegree) - 0.2 * std::cos((4 * hue - 63) * kDegree);
    const double away = (lightnessMean - 50) * (lightnessMean - 50);
    const double l = (other[0] - one[0]) / (1 + 0.015 * away / std::sqrt(20 + away));
    const double c = (c2 - c1) / (1 + 0.045 * chroma);
    const double h = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2 * kDegree) / (1 + 0.015 * chroma * t);
    const double blue = (hue - 275) / 25;
    const double rotation = -2 * boost(chroma) * std::sin(60 * kDegree * std::exp(-blue * blue));
    return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

TEST(GroupColors, DifferFromEachOtherFromWhiteAndFromGrey) {
    // Two pairs of Sharma's test data.
    EXPECT_NEAR(differenceOf({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
    EXPECT_NEAR(differenceOf({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
    for (std::size_t groups = 1; groups <= kGroupColors; ++groups) {
        std::vector<Color> colors{kWhite, groupColor(groups, groups)};
        for (std::size_t k = 0; k < groups; ++k) colors.push_back(groupColor(k, groups));
        for (std::size_t i = 2; i < colors.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_GE(differenceOf(labOf(colors[i]), labOf(colors[j])), 15)
                    << "colours " << i - 2 << " and " << j << " of " << groups << " groups";
    }
}

TEST(GroupSigns, ColoursRepeatWithOtherMarks) {
    constexpr std::size_t kGroups = kGroupColors * kRounds;
    const auto hatching = [](std::size_t round) {
        std::vector<bool> isWhite;
        for (std::size_t pixel = 0; pixel < 64; ++pixel)
            isWhite.push_back(isHatched(round, pixel % 8, pixel / 8));
        return isWhite;
    };
    for (std::size_t k = 0; k < kGroups; ++k)
        for (std::size_t other = 0; other < k; ++other) {
            const GroupSign one = groupSign(k, kGroups), two = groupSign(other, kGroups);
            if (!(one.color == two.color)) continue;
            EXPECT_NE(roundMarker(one.round), roundMarker(two.round)) << other << " and " << k;
            EXPECT_NE(hatching(one.round), hatching(two.round)) << other << " and " << k;
        }
    EXPECT_EQ(groupSign(kGroups, kGroups), (GroupSign{groupColor(kGroups, kGroups), 0}));
    EXPECT_EQ(noteOnGroups(kGroups), "");
    EXPECT_EQ(noteOnGroups(kGroups + 1), "73 groups share 72 colours and marks: some look alike");
}

TEST(Canvas, PixelsOfAPng) {
    const Picture picture = drawn(7, 3, [](Canvas& canvas) {
        canvas.fill({2, 1, 1, 1}, {10, 20, 30});
        canvas.image({5, 1, 2, 2}, [](std::size_t x, std::size_t y) {
            return x == 1 && y == 1 ? Color{200, 0, 1} : Color{0, 7, 0};
        });
    });
    ASSERT_EQ(picture.width(), 7U);
    ASSERT_EQ(picture.height(), 3U);
    EXPECT_EQ(picture.at(2, 1), (Color{10, 20, 30}));
    EXPECT_EQ(picture.at(6, 2), (Color{200, 0, 1}));
    EXPECT_EQ(picture.at(5, 2), (Color{0, 7, 0}));
    EXPECT_EQ(picture.count(kWhite), 21U - 5U);
}

TEST(Canvas, AFrameLiesOutsideItsBox) {
    const Picture picture = drawn(10, 10, [](Canvas& canvas) { canvas.frame({3, 3, 4, 2}, kBlack); });
    EXPECT_EQ(picture.at(2, 2), kBlack);
    EXPECT_EQ(picture.at(7, 5), kBlack);
    EXPECT_EQ(picture.count(kBlack), 2U * 6U + 2U * 2U);
    EXPECT_EQ(picture.count(kWhite), 100U - 16U);
}

TEST(Canvas, MarkersDiffer) {
    std::vector<Picture> pictures;
    for (const Marker marker :
         {Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross, Marker::Wedge}) {
        pictures.push_back(drawn(20, 20, [&](Canvas& canvas) {
            canvas.marker(marker, {10, 10}, 9, kBlack);
        }));
        EXPECT_EQ(pictures.back().at(10, 10), kBlack);
        EXPECT_EQ(pictures.back().at(3, 3), kWhite);
        for (std::size_t k = 0; k + 1 < pictures.size(); ++k) EXPECT_FALSE(pictures[k] == pictures.back());
    }
}

TEST(Canvas, TextStandsAtItsPlace) {
    const TextStyle style{.size = 24, .color = kBlack, .anchor = TextAnchor::Middle};
    const Picture picture = drawn(60, 40, [&](Canvas& canvas) { canvas.text({30, 30}, "L", style); });
    // The stem of an L is left of its middle, from the baseline to a capital's height.
    const auto stem = static_cast<std::size_t>(30 - textLength("L", style) / 2 + 0.15 * style.size);
    EXPECT_LT(picture.at(stem, 24).red, 128);
    EXPECT_EQ(picture.at(stem + 5, 24), kWhite);
    EXPECT_EQ(picture.at(stem, static_cast<std::size_t>(30 - style.capitalHeight()) - 2), kWhite);
    EXPECT_EQ(picture.at(stem, 33), kWhite);
    // Rotated upwards, the L extends to the left of its baseline.
    const Picture up = drawn(40, 60, [&](Canvas& canvas) {
        canvas.text({30, 30}, "L", style.anchored(TextAnchor::Middle, TextDirection::Up));
    });
    EXPECT_LT(up.at(24, 60 - 1 - stem).red, 128);
    EXPECT_EQ(up.at(33, 60 - 1 - stem), kWhite);
}

Picture drawnText(std::string_view text) {
    return drawn(30, 30, [&](Canvas& canvas) { canvas.text({10, 20}, text, {}); });
}

TEST(Canvas, TheFontHasTheSignsOfTheFieldAndABoxForWhatItLacks) {
    const Picture lacking = drawnText("語");
    EXPECT_LT(lacking.count(kWhite), 30U * 30U);
    for (const char* sign : {"Å", "µ", "−", "≥", "×", "²", "α"}) {
        const Picture known = drawnText(sign);
        EXPECT_LT(known.count(kWhite), 30U * 30U) << sign;
        EXPECT_FALSE(known == lacking) << sign;
    }
}

TEST(Canvas, WithoutAFontTheSignsOfTheFieldHaveStandInsInAscii) {
    EXPECT_EQ(asciiText("3 µs × 2 m² − 1.5 Å … p ≥ 0.05"), "3 us x 2 m2 - 1.5 A ... p >= 0.05");
    EXPECT_EQ(asciiText("α語�"), "???");
}

TEST(Canvas, MalformedTextIsMarked) {
    EXPECT_EQ(drawableText("a\xff\nb"), "a��b");
    EXPECT_TRUE(drawnText("\xff") == drawnText("�"));
    EXPECT_FALSE(drawnText("\xff") == drawnText(""));
}

/// The bytes of a picture with all kinds of elements.
std::string fileOf(const std::string& name) {
    const TemporaryFolder folder;
    const auto opened = openCanvas(folder / name, 120, 60);
    Canvas& canvas = *opened;
    canvas.fill({5, 5, 10, 10}, {0, 0, 255});
    canvas.image({20, 5, 8, 8}, [](std::size_t x, std::size_t) {
        return x < 4 ? Color{255, 0, 0} : Color{0, 255, 0};
    });
    const Point points[] = {{30, 30}, {50, 10}};
    canvas.line(points, kBlack, 2);
    canvas.text({60, 30}, "2 < 3 & \"Å\"", {});
    canvas.text({100, 50}, "upwards", TextStyle{}.anchored(TextAnchor::End, TextDirection::Up));
    canvas.save();
    return readFile(folder / name);
}

TEST(Canvas, AnSvgKeepsTextAndOneImage) {
    const std::string svg = fileOf("a.SVG");
    EXPECT_THAT(svg, StartsWith("<?xml"));
    EXPECT_THAT(svg, EndsWith("</svg>\n"));
    EXPECT_THAT(svg, AllOf(HasSubstr("width=\"120px\""), HasSubstr(">2 &lt; 3 &amp; \"Å\"</text>"),
                           HasSubstr("rotate(-90)"), HasSubstr("text-anchor=\"end\""),
                           HasSubstr("DejaVu Sans"), Not(HasSubstr("glyph"))));
    const std::size_t image = svg.find("<image");
    EXPECT_THAT(svg.substr(image), HasSubstr("data:image/png;base64"));
    EXPECT_EQ(svg.find("<image", image + 1), svg.npos);
}

TEST(Canvas, APdfIsOne) {
    EXPECT_THAT(fileOf("a.pdf"),
                AllOf(StartsWith("%PDF-"), HasSubstr("DejaVuSans"), Not(HasSubstr("CreationDate"))));
}

TEST(Canvas, APdfMayHaveSeveralPages) {
    const TemporaryFolder folder;
    ASSERT_TRUE(hasPages("a.PDF"));
    ASSERT_FALSE(hasPages("a.png") || hasPages("a.svg"));
    const auto opened = openCanvas(folder / "a.pdf", 40, 30);
    Canvas& canvas = *opened;
    canvas.fill({0, 0, 5, 5}, kBlack);
    canvas.nextPage();
    canvas.fill({5, 5, 5, 5}, kBlack);
    canvas.nextPage();
    canvas.save();
    const std::string pdf = readFile(folder / "a.pdf");
    EXPECT_THAT(pdf, HasSubstr("/Count 3"));
}

TEST(Canvas, TheSameCallsGiveTheSameBytes) {
    for (const char* name : {"a.png", "a.svg", "a.pdf"}) EXPECT_EQ(fileOf(name), fileOf(name)) << name;
}

TEST(Canvas, Refusals) {
    const TemporaryFolder folder;
    EXPECT_TRUE(isPictureFile("a.PNG"));
    EXPECT_FALSE(isPictureFile("png"));
    EXPECT_EQ(messageOf<UsageError>([] { requirePictureFile("--png", "a.jpg"); }),
              "--png: a.jpg does not end in .png, .svg or .pdf");
    EXPECT_THAT(messageOf<UsageError>([&] { openCanvas(folder / "a.gif", 10, 10); }),
                HasSubstr("a.gif does not"));
    EXPECT_THAT(messageOf<Error>([&] { openCanvas(folder / "a.png", 40000, 10); }),
                AllOf(HasSubstr("a.png"), HasSubstr("40000 × 10 pixels")));
    // All formats have the same limit.
    for (const char* name : {"a.png", "a.svg", "a.pdf"})
        EXPECT_THAT(messageOf<Error>([&] { openCanvas(folder / name, 10, kLargestSide + 1); }),
                    AllOf(HasSubstr(name), HasSubstr("10 × 10001 pixels; expected at most 10000 a side")));
    EXPECT_THROW(openCanvas(folder / "a.svg", 10, 10)->nextPage(), std::logic_error);
    EXPECT_THAT(messageOf<Error>([&] { openCanvas(folder / "missing/a.svg", 10, 10)->save(); }),
                HasSubstr("missing/a.svg: cannot write"));
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST(ShortenText, KeepsBothEnds) {
    const TextStyle style;
    const std::string name = "sub-01_task-rest_eeg.vhdr";
    EXPECT_EQ(shortenText(name, 1000, style), name);
    const double width = textLength(name, style) / 2;
    const std::string shortened = shortenText(name, width, style);
    EXPECT_LE(textLength(shortened, style), width);
    EXPECT_THAT(shortened, AllOf(StartsWith("sub-"), HasSubstr("…"), EndsWith("vhdr")));
    EXPECT_EQ(shortenText(name, 1, style), "");
    // Characters stay whole, and malformed bytes do no harm.
    const std::string greek = shortenText("αβγδεζηθ", textLength("αβγδε", style), style);
    EXPECT_TRUE(isUtf8(greek)) << greek;
    EXPECT_LE(textLength(shortenText("\xff\xff\xff\xff\xff\xff", 30, style), style), 30);
}

}  // namespace
}  // namespace glycine::picture
