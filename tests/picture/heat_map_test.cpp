#include "engine/picture/heat_map.hpp"

#include "engine/picture/canvas.hpp"
#include "tests/picture/picture_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::picture {
namespace {

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

TEST(HeatMaps, TooLargeOnesAreRefusedBeforeThereAreValues) {
    const TemporaryFolder folder;
    std::vector<HeatMapPanel> panels(80);
    for (HeatMapPanel& panel : panels) panel = makeHeatMapPanel<float>("p", Matrix<float>(2, 2, 1).view());
    const HeatMapSection row{panels, panels.size()};
    const HeatMapPage page{.plotSide = 200};
    for (const auto draw : {checkHeatMaps, static_cast<decltype(&checkHeatMaps)>(writeHeatMaps)})
        EXPECT_THAT(messageOf<UsageError>([&] {
                        draw(folder / "a.png", {&row, 1}, page);
                    }),
                    HasSubstr("pixels; expected at most 10000 a side"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    const HeatMapSection rows{panels, 9};
    checkHeatMaps(folder / "a.png", {&rows, 1}, page);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(HeatMaps, PanelsOfARowShareOneScale) {
    const TemporaryFolder folder;
    Matrix<float> before(2, 2, 10.0F);
    Matrix<float> after(2, 2, 5.0F);
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("before", before.view()));
    panels.push_back(makeHeatMapPanel<float>("after", after.view()));
    writeHeatMaps(folder / "two.png", {panels, 2});
    const Picture image(folder / "two.png");
    // Each plot is one colour on at least 500 × 500 pixels: the top of the scale, and its middle.
    EXPECT_GE(image.count(colorMap()[255]), 250000U);
    EXPECT_GE(image.count(colorMap()[128]), 250000U);
    EXPECT_GT(image.width(), 2 * image.height() - 400);
}

TEST(HeatMaps, ARoundScaleEndsAtRoundNumbers) {
    const TemporaryFolder folder;
    Matrix<float> matrix(1, 2, 0.735F);
    matrix(0, 0) = 0.21F;
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
    writeHeatMaps(folder / "round.png", {panels, 1, {.minimum = 0.21, .roundScale = true}});
    const Picture image(folder / "round.png");
    // The scale extends from 0.2 to 0.8, with labels every 0.1.
    EXPECT_GE(image.count(colorMap()[4]), 50000U);
    EXPECT_GE(image.count(colorMap()[227]), 50000U);
}

TEST(HeatMaps, UnknownIsGreyAndNamed) {
    const TemporaryFolder folder;
    Matrix<float> matrix(2, 2, std::numeric_limits<float>::infinity());
    matrix(0, 0) = matrix(1, 1) = 0;
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
    writeHeatMaps(folder / "grey.png", {panels});
    EXPECT_GE(Picture(folder / "grey.png").count({176, 176, 180}), 100000U);
}

TEST(HeatMaps, GroupsOfOneColourAreHatched) {
    const TemporaryFolder folder;
    constexpr Color kGroup{1, 200, 77};
    const Matrix<float> matrix(2, 2, 0.0F);
    const auto strips = [&](std::size_t round) {
        std::vector<HeatMapPanel> panels;
        panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
        panels.front().itemSigns = {{kGroup, round}, {kGroup, round}};
        HeatMapScale scale;
        scale.key = {{"group", kGroup, round}};
        writeHeatMaps(folder / "groups.png", {panels, 1, scale});
        return Picture(folder / "groups.png");
    };
    const Picture plain = strips(0), rising = strips(1), falling = strips(2), crossed = strips(3);
    const auto count = [&](const Picture& picture) { return static_cast<double>(picture.count(kGroup)); };
    EXPECT_GT(count(plain), 10000);  // two strips along 560 pixels
    EXPECT_NEAR(count(rising), count(plain) * 3 / 4, 50);
    EXPECT_NEAR(count(falling), count(plain) * 3 / 4, 50);
    EXPECT_NEAR(count(crossed), count(plain) * 5 / 8, 50);
    EXPECT_FALSE(rising == falling);
}

TEST(HeatMaps, OneElementAndConstantValues) {
    const TemporaryFolder folder;
    Matrix<float> matrix(1, 1, 0.0F);
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("a single element", matrix.view()));
    writeHeatMaps(folder / "one.png", {panels});
    EXPECT_GE(Picture(folder / "one.png").count(colorMap()[0]), 250000U);
}

/// Draws panels of one value each on one page.
Picture drawnPage(const std::vector<float>& values, HeatMapScale scale, HeatMapPage page = {}) {
    const TemporaryFolder folder;
    std::vector<HeatMapPanel> panels;
    for (const float value : values)
        panels.push_back(
            makeHeatMapPanel<float>("p", Matrix<float>(2, 2, value).view(), 640, InfiniteElements::Kept));
    const HeatMapSection section{panels, 2, std::move(scale)};
    writeHeatMaps(folder / "page.png", section, page);
    return Picture(folder / "page.png");
}

TEST(HeatMapPage, ASectionHasOneScale) {
    // Three panels in two rows.
    const Picture image = drawnPage({0, 1, 2}, {});
    for (const std::size_t color : {0, 128, 255}) EXPECT_GE(image.count(colorMap()[color]), 250000U) << color;
}

TEST(HeatMapPage, BelowTheThresholdColoursAreGrey) {
    HeatMapScale scale;
    scale.minimum = 0;
    scale.maximum = 4;
    scale.threshold = 2;
    const Picture image = drawnPage({0, 1, 2, 4}, scale);
    EXPECT_GE(image.count({250, 250, 250}), 250000U);
    EXPECT_GE(image.count({232, 232, 232}), 250000U);
    EXPECT_GE(image.count(colorMap()[0]), 250000U);
    EXPECT_GE(image.count(colorMap()[255]), 250000U);
}

TEST(HeatMapPage, InfiniteCellsHaveStripes) {
    const Picture image = drawnPage({std::numeric_limits<float>::infinity(), 1}, {});
    constexpr Color kInk{38, 38, 42};
    EXPECT_GE(image.count(kInk), 140000U);
    EXPECT_GE(image.count(colorMap()[255]), 250000U);
    EXPECT_EQ(image.count({176, 176, 180}), 0U);
}

TEST(HeatMapPage, SharedAxesTakeLessRoom) {
    HeatMapPage page;
    page.plotSide = 100;
    const Picture own = drawnPage({1, 2, 3, 4}, {}, page);
    page.sharedAxes = true;
    const Picture shared = drawnPage({1, 2, 3, 4}, {}, page);
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
        writeHeatMaps(folder / "names.png", section);
        return Picture(folder / "names.png");
    };
    EXPECT_GT(draw("a long name", 4).width(), draw("name", 4).width());
    // Rows have numbers if a name does not fit next to its row.
    EXPECT_EQ(draw("a long name", 280).width(), draw("name", 280).width());
}

TEST(HeatMapPage, ALongFooterIsShortened) {
    HeatMapPage page;
    page.footer = std::string(5000, 'x');
    EXPECT_LT(drawnPage({1}, {}, page).width(), 2100U);
}

TEST(HeatMapPage, AnSvgHasItsWordsAndOneImageAPanel) {
    const TemporaryFolder folder;
    Matrix<float> matrix(20, 20, 1.0F);
    matrix(0, 0) = std::numeric_limits<float>::quiet_NaN();
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("of all people", matrix.view(), 20));
    panels.back().subtitle = "n < 3";
    writeHeatMaps(folder / "a.svg", {panels, 1, {.valueLabel = "Å"}},
                  {.title = "the title", .footer = "the footer", .rowLabel = "atom", .columnLabel = "atom"});
    const std::string svg = readFile(folder / "a.svg");
    for (const char* text :
         {"of all people", "n &lt; 3", "the title", "the footer", "1.0 Å", "atom", "unknown", "20"})
        EXPECT_THAT(svg, HasSubstr(">" + std::string(text) + "</text>"));
    // The cells, the colour bar, and the key of unknown values.
    std::size_t images = 0;
    for (std::size_t at = svg.find("<image"); at != svg.npos; at = svg.find("<image", at + 1)) ++images;
    EXPECT_EQ(images, 3U);
    // Without labels, nothing mentions atoms.
    writeHeatMaps(folder / "b.svg", {panels});
    EXPECT_THAT(readFile(folder / "b.svg"), AllOf(Not(HasSubstr("Å")), Not(HasSubstr("atom"))));
}

TEST(HeatMapPage, LinesAndMarksThatHaveRoom) {
    const TemporaryFolder folder;
    constexpr std::size_t kItems = 400;
    // Returns the pixels of the cells' colour, and the page.
    const auto draw = [&folder](std::size_t itemsPerLine) {
        std::vector<HeatMapPanel> panels;
        panels.push_back(makeHeatMapPanel<float>("p", Matrix<float>(kItems, kItems, 1.0F).view()));
        for (std::size_t item = 0; item < kItems; item += itemsPerLine)
            panels.back().marks.push_back({item, fmt::format("chain {}", item), item > 0});
        for (const char* name : {"a.png", "a.svg"}) writeHeatMaps(folder / name, {panels});
        return std::pair(Picture(folder / "a.png").count(colorMap()[255]), readFile(folder / "a.svg"));
    };
    const auto [none, nothing] = draw(kItems);
    const auto [few, fewMarks] = draw(kItems / 4);
    EXPECT_LT(few, none) << "three lines cross the cells";
    for (const char* mark : {"chain 0", "chain 100", "chain 200", "chain 300"})
        EXPECT_THAT(fewMarks, HasSubstr(mark));
    const auto [many, manyMarks] = draw(2);
    EXPECT_EQ(many, none) << "200 lines would hide them";
    EXPECT_THAT(manyMarks, AllOf(HasSubstr("chain 0<"), Not(HasSubstr("chain 2<"))));
}

TEST(HeatMaps, AShortScaleHasEvenTicks) {
    // A legend of many groups leaves the bar 150 pixels, too few for steps of 0.1.
    const TemporaryFolder folder;
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", Matrix<float>(2, 2, 0.9F).view(), 20));
    HeatMapScale scale{.minimum = 0, .roundScale = true};
    for (int k = 0; k < 40; ++k) scale.key.push_back({fmt::format("group {}", k), {1, 2, 3}});
    writeHeatMaps(folder / "a.svg", {panels, 1, scale});
    const std::string svg = readFile(folder / "a.svg");
    for (const char* tick : {"0.0", "0.2", "0.4", "0.6", "0.9"})
        EXPECT_THAT(svg, HasSubstr(">" + std::string(tick) + "</text>"));
    for (const char* tick : {"0.1", "0.3", "0.5", "0.7"})
        EXPECT_THAT(svg, Not(HasSubstr(">" + std::string(tick) + "</text>")));
}

TEST(HeatMaps, Refusals) {
    const TemporaryFolder folder;
    EXPECT_THAT(messageOf<UsageError>([&] { writeHeatMaps(folder / "none.png", HeatMapSection{}); }),
                HasSubstr("without any"));
    Matrix<float> matrix(1, 1, 0.0F);
    std::vector<HeatMapPanel> panels;
    panels.push_back(makeHeatMapPanel<float>("p", matrix.view()));
    EXPECT_THAT(messageOf<Error>([&] { writeHeatMaps(folder / "missing/a.png", {panels}); }),
                HasSubstr("missing/a.png: cannot write"));
    EXPECT_THAT(messageOf<UsageError>([&] { makeHeatMapPanel<float>("p", MatrixView<const float>()); }),
                HasSubstr("empty matrix"));
}

}  // namespace
}  // namespace glycine::picture
