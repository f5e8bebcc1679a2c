// Scalp maps: what is drawn, and what is refused.
#include "engine/picture/scalp_map.hpp"

#include "tests/picture/picture_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::picture {
namespace {

ScalpPanel cross() {
    return {"A",
            "sub",
            {{0, 0}, {0.8, 0}, {-0.8, 0}, {0, 0.8}, {0, -0.8}},
            {0.5, 1, 0, 1, 0},
            {"Cz", "T8", "T7", "Fz", "Oz"}};
}

TEST(ScalpMap, ShowsNamesScaleAndTitles) {
    const TemporaryFolder folder;
    const ScalpPanel panel = cross();
    const std::string longLine(120, 'x');
    writeScalpMaps(folder / "a.svg", {&panel, 1},
                   {.title = "title", .footer = {"a line", longLine}, .valueLabel = "SampEn"});
    const std::string svg = readFile(folder / "a.svg");
    EXPECT_THAT(svg, AllOf(HasSubstr(">a line<"), HasSubstr(">" + longLine + "<")));
    for (const char* text : {">title<", ">A<", ">sub<", ">Cz<", ">T7<", ">0.50<", ">SampEn<"})
        EXPECT_THAT(svg, HasSubstr(text));
}

TEST(ScalpMap, NamesAreReadableOnWhatIsBelow) {
    const TemporaryFolder folder;
    ScalpPanel panel = cross();
    panel.values = {0.5, 1, 0.5, 0.5, 0.5};
    writeScalpMaps(folder / "a.svg", {&panel, 1}, {});
    const std::string svg = readFile(folder / "a.svg");
    const auto tagOf = [&](const std::string& name) {
        const std::size_t at = svg.find(">" + name + "<"), begin = svg.rfind("<text", at);
        return svg.substr(begin, at - begin);
    };
    for (const char* name : {"Cz", "T7"}) EXPECT_THAT(tagOf(name), HasSubstr("#ffffff")) << "on teal";
    EXPECT_THAT(tagOf("T8"), HasSubstr("#26262a")) << "on yellow";
}

TEST(ScalpMap, HasNoColoursBeyondTheValues) {
    // On rings of about this radius, r² (ln r - 1) makes the equations of a slope singular.
    constexpr int kSensors = 16;
    ScalpPanel panel{"A", "", {}, {}, {}};
    for (int k = 0; k < kSensors; ++k) {
        const double angle = 2 * std::numbers::pi * k / kSensors;
        panel.places.push_back({1.285 * std::cos(angle), 1.285 * std::sin(angle)});
        panel.values.push_back(std::cos(angle) + (k == 3 ? 0.2 : 0));
        panel.names.emplace_back();
    }
    const TemporaryFolder folder;
    writeScalpMaps(folder / "a.png", {&panel, 1}, {.minimum = -1.3, .maximum = 1.3});
    const test::Picture image(folder / "a.png");
    // One column or two of the colour bar.
    for (const std::size_t end : {0, 255}) EXPECT_LT(image.count(colorMap()[end]), 60U);
}

TEST(ScalpMap, TakesValuesThatAreUnknownOrBeyondTheScale) {
    const TemporaryFolder folder;
    ScalpPanel panel = cross();
    panel.values = {test::kNaN, 5, -5, test::kInfinity, 0.2};
    panel.places[4] = panel.places[1];  // two sensors at one position
    const ScalpPanel panels[] = {panel, cross(), cross()};
    writeScalpMaps(folder / "a.png", panels, {.panelsPerRow = 2});
    EXPECT_GT(fs::file_size(folder / "a.png"), 5000);
    panel.values.assign(5, test::kNaN);
    EXPECT_THAT(messageOf<UsageError>([&] {
                    writeScalpMaps(folder / "b.png", {&panel, 1}, {});
                }),
                HasSubstr("'A' has no values to draw on a head"));
    EXPECT_THAT(messageOf<UsageError>([&] { writeScalpMaps(folder / "b.png", {}, {}); }),
                HasSubstr("no scalp map"));
    EXPECT_FALSE(fs::exists(folder / "b.png"));
}

}  // namespace
}  // namespace glycine::picture
