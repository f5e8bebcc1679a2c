#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/io/text/utf8.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/picture/image.hpp"
#include "engine/picture/short_text.hpp"
#include "engine/picture/stroke_font.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::io {
namespace {

using test::messageOf;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Reads a picture back with libpng.
Image readPng(const std::filesystem::path& path) {
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&description, path.c_str()) == 0)
        throw std::runtime_error(description.message);
    description.format = PNG_FORMAT_RGB;
    Image image(description.width, description.height, {});
    png_image_finish_read(&description, nullptr, &image.at(0, 0), 0, nullptr);
    return image;
}

std::size_t countPixels(const Image& image, Color color) {
    std::size_t count = 0;
    for (std::size_t y = 0; y < image.height(); ++y)
        for (std::size_t x = 0; x < image.width(); ++x) count += image.at(x, y) == color ? 1 : 0;
    return count;
}

TEST(ColorMap, LightnessGrowsEvenly) {
    const auto& map = colorMap();
    for (std::size_t i = 0; i < map.size(); ++i)
        EXPECT_NEAR(lightness(map[i]), 12 + 80.0 * static_cast<double>(i) / 255, 0.8) << "colour " << i;
}

TEST(Png, RoundTrip) {
    const TemporaryFolder folder;
    Image image(7, 3, {255, 255, 255});
    image.at(2, 1) = {10, 20, 30};
    image.at(6, 2) = {200, 0, 1};
    writePng(folder / "a.png", image);
    const Image back = readPng(folder / "a.png");
    ASSERT_EQ(back.width(), 7U);
    ASSERT_EQ(back.height(), 3U);
    for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 7; ++x) EXPECT_EQ(back.at(x, y), image.at(x, y));
}

TEST(StrokeFont, DrawsWhereItIsTold) {
    Image image(60, 40, {255, 255, 255});
    const TextStyle style{12, 1.5, {0, 0, 0}, TextAnchor::Middle, TextDirection::Right};
    drawText(image, 30, 30, "L", style);
    // The stem of an L stands left of its middle and reaches from the baseline to a capital's height.
    const double left = 30 - textLength("L", style) / 2;
    EXPECT_LT(image.at(static_cast<std::size_t>(left), 24).red, 128);
    EXPECT_EQ(image.at(static_cast<std::size_t>(left) + 4, 24).red, 255);
    EXPECT_EQ(image.at(static_cast<std::size_t>(left), 14).red, 255);
    EXPECT_EQ(image.at(static_cast<std::size_t>(left), 35).red, 255);
}

TEST(StrokeFont, KnowsAngstromAndShowsABoxForWhatItLacks) {
    const TextStyle style;
    Image known(30, 30, {255, 255, 255});
    drawText(known, 10, 20, "Å", style);
    Image lacking(30, 30, {255, 255, 255});
    drawText(lacking, 10, 20, "語", style);
    Image malformed(30, 30, {255, 255, 255});
    drawText(malformed, 10, 20, "\xff", style);
    EXPECT_LT(countPixels(known, {255, 255, 255}), 30U * 30U);
    bool differs = false;
    for (std::size_t y = 0; y < 30; ++y)
        for (std::size_t x = 0; x < 30; ++x) {
            differs = differs || !(known.at(x, y) == lacking.at(x, y));
            EXPECT_EQ(lacking.at(x, y), malformed.at(x, y));
        }
    EXPECT_TRUE(differs);
}

TEST(HeatMapPanel, AveragesAndKeepsUnknown) {
    Matrix<double> matrix(4, 4, 1.0);
    matrix(0, 0) = 3;
    matrix(0, 1) = 5;
    for (std::size_t i = 2; i < 4; ++i)
        for (std::size_t j = 2; j < 4; ++j) matrix(i, j) = std::numeric_limits<double>::infinity();
    const HeatMapPanel panel = makeHeatMapPanel<double>("p", matrix.view(), 2);
    EXPECT_EQ(panel.rows, 4U);
    ASSERT_EQ(panel.values.rows(), 2U);
    EXPECT_FLOAT_EQ(panel.values(0, 0), 2.5F);
    EXPECT_FLOAT_EQ(panel.values(0, 1), 1.0F);
    EXPECT_TRUE(std::isnan(panel.values(1, 1)));
}

TEST(HeatMapPanel, UnevenSizesCoverEveryElementOnce) {
    Matrix<double> matrix(7, 5);
    double sum = 0;
    for (std::size_t k = 0; k < 35; ++k) sum += matrix.data()[k] = static_cast<double>(k);
    const HeatMapPanel whole = makeHeatMapPanel<double>("p", matrix.view(), 1);
    EXPECT_FLOAT_EQ(whole.values(0, 0), static_cast<float>(sum / 35));
    const HeatMapPanel same = makeHeatMapPanel<double>("p", matrix.view(), 100);
    EXPECT_FLOAT_EQ(same.values(6, 4), 34.0F);
}

TEST(HeatMaps, PanelsOfARowShareOneScale) {
    const TemporaryFolder folder;
    Matrix<float> before(2, 2, 10.0F);
    Matrix<float> after(2, 2, 5.0F);
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("before", before.view()));
    panels.push_back(makeHeatMapPanel<float>("after", after.view()));
    writeHeatMaps(folder / "two.png", panels);
    const Image image = readPng(folder / "two.png");
    // Each plot is one colour of at least 500 × 500 pixels: the top of the scale, and its middle.
    EXPECT_GE(countPixels(image, colorMap()[255]), 250000U);
    EXPECT_GE(countPixels(image, colorMap()[128]), 250000U);
    EXPECT_GT(image.width(), 2 * image.height() - 400);
}

TEST(HeatMaps, ARoundScaleEndsAtRoundNumbers) {
    const TemporaryFolder folder;
    Matrix<float> matrix(1, 2, 0.735F);
    matrix(0, 0) = 0.21F;
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
    HeatMapOptions options;
    options.minimum = 0.21;
    options.roundScale = true;
    writeHeatMaps(folder / "round.png", panels, options);
    const Image image = readPng(folder / "round.png");
    // From 0.2 to 0.8, with labels 0.1 apart.
    EXPECT_GE(countPixels(image, colorMap()[4]), 50000U);
    EXPECT_GE(countPixels(image, colorMap()[227]), 50000U);
}

TEST(HeatMaps, UnknownIsGreyAndNamed) {
    const TemporaryFolder folder;
    Matrix<float> matrix(2, 2, std::numeric_limits<float>::infinity());
    matrix(0, 0) = matrix(1, 1) = 0;
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
    writeHeatMaps(folder / "grey.png", panels);
    EXPECT_GE(countPixels(readPng(folder / "grey.png"), {176, 176, 180}), 100000U);
}

TEST(HeatMaps, OneAtomAndConstantValues) {
    const TemporaryFolder folder;
    Matrix<float> matrix(1, 1, 0.0F);
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("a single atom", matrix.view()));
    writeHeatMaps(folder / "one.png", panels);
    EXPECT_GE(countPixels(readPng(folder / "one.png"), colorMap()[0]), 250000U);
}

/// Panels of one value each on one page.
Image drawnPage(const std::vector<float>& values, HeatMapScale scale, HeatMapPage page = {}) {
    const TemporaryFolder folder;
    std::vector<HeatMapPanel> panels;
    for (const float value : values)
        panels.push_back(
            makeHeatMapPanel<float>("p", Matrix<float>(2, 2, value).view(), 640, InfiniteElements::Kept));
    const HeatMapSection section{panels, 2, std::move(scale)};
    writeHeatMaps(folder / "page.png", std::span(&section, 1), page);
    return readPng(folder / "page.png");
}

TEST(HeatMapPage, ASectionHasOneScale) {
    // Three panels in two rows.
    const Image image = drawnPage({0, 1, 2}, {});
    for (const std::size_t color : {0, 128, 255})
        EXPECT_GE(countPixels(image, colorMap()[color]), 250000U) << color;
}

TEST(HeatMapPage, BelowTheThresholdColoursAreGrey) {
    HeatMapScale scale;
    scale.minimum = 0;
    scale.maximum = 4;
    scale.threshold = 2;
    const Image image = drawnPage({0, 1, 2, 4}, scale);
    EXPECT_GE(countPixels(image, {250, 250, 250}), 250000U);
    EXPECT_GE(countPixels(image, {232, 232, 232}), 250000U);
    EXPECT_GE(countPixels(image, colorMap()[0]), 250000U);
    EXPECT_GE(countPixels(image, colorMap()[255]), 250000U);
}

TEST(HeatMapPage, InfiniteCellsHaveStripes) {
    const Image image = drawnPage({std::numeric_limits<float>::infinity(), 1}, {});
    constexpr Color kInk{38, 38, 42};
    EXPECT_GE(countPixels(image, kInk), 140000U);
    EXPECT_GE(countPixels(image, colorMap()[255]), 250000U);
    EXPECT_EQ(countPixels(image, {176, 176, 180}), 0U);
}

TEST(HeatMapPage, SharedAxesTakeLessRoom) {
    HeatMapPage page;
    page.plotSide = 100;
    const Image own = drawnPage({1, 2, 3, 4}, {}, page);
    page.sharedAxes = true;
    const Image shared = drawnPage({1, 2, 3, 4}, {}, page);
    EXPECT_LT(shared.width(), own.width());
    EXPECT_LT(shared.height(), own.height());
    page.maximumCell = 10;
    EXPECT_LT(drawnPage({1, 2, 3, 4}, {}, page).width(), shared.width());
}

TEST(HeatMapPage, NamesTakeTheRoomTheyNeed) {
    const TemporaryFolder folder;
    const auto draw = [&](const std::string& name, std::size_t cells) {
        std::vector<HeatMapPanel> panels;
        panels.push_back(makeHeatMapPanel<float>("p", Matrix<float>(cells, cells, 1.0F).view()));
        panels.front().rowNames.assign(cells, name);
        panels.front().columnNames.assign(cells, name);
        const HeatMapSection section{panels, 1, {}};
        writeHeatMaps(folder / "names.png", std::span(&section, 1), {});
        return readPng(folder / "names.png");
    };
    EXPECT_GT(draw("a long name", 4).width(), draw("name", 4).width());
    // Where a name does not fit beside its row, rows have numbers.
    EXPECT_EQ(draw("a long name", 280).width(), draw("name", 280).width());
}

TEST(HeatMapPage, ALongFooterIsShortened) {
    HeatMapPage page;
    page.footer = std::string(5000, 'x');
    EXPECT_LT(drawnPage({1}, {}, page).width(), 2100U);
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

TEST(HeatMaps, Refusals) {
    const TemporaryFolder folder;
    EXPECT_THAT(messageOf<UsageError>([&] { writeHeatMaps(folder / "none.png", {}); }),
                HasSubstr("without any"));
    Matrix<float> matrix(1, 1, 0.0F);
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
    EXPECT_THAT(messageOf<Error>([&] { writeHeatMaps(folder / "missing/a.png", panels); }),
                HasSubstr("missing/a.png: cannot write"));
    EXPECT_THAT(messageOf<UsageError>([&] { makeHeatMapPanel<float>("p", MatrixView<const float>()); }),
                HasSubstr("empty matrix"));
}

}  // namespace
}  // namespace glycine::io
