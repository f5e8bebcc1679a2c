// `glycine view` and the figure of a structure, run as commands that draw pictures without a display.

#include "engine/api/backends.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "engine/command/command_line.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/io/text/json.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/picture/picture_test_support.hpp"

namespace glycine {
namespace {

using picture::Color;

struct Ran {
    int exitCode = -1;
    std::string out, err;
};

/// Runs a command line.
Ran run(const std::vector<std::string>& arguments) {
    allCommands();
    std::ostringstream out, err;
    CommandContext context(out, err, false);
    const int exitCode = runCommandLine(arguments, context);
    return {exitCode, out.str(), err.str()};
}
/// Runs a command that must succeed; returns its JSON.
Json shown(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.exitCode, 0) << ran.err;
    return ran.exitCode == 0 ? Json::parse(ran.out) : Json::object();
}
void expectRefused(const std::vector<std::string>& arguments, const std::string& message, int exitCode = 2) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.exitCode, exitCode) << ran.out << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
}
std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

struct PlacedAtom {
    const char* name;
    const char* element;
    double x, y, z;
    int residue;
};
std::string records(const std::vector<PlacedAtom>& atoms) {
    std::string text;
    int serial = 0;
    for (const PlacedAtom& atom : atoms)
        text +=
            fmt::format("ATOM  {:5}  {:<3} ALA A{:4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}\n",
                        ++serial, atom.name, atom.residue, atom.x, atom.y, atom.z, atom.element);
    return text;
}
/// Alpha carbons on a zigzag, 3.8 Å apart, at height `y`.
std::string chainAt(double y, int residues) {
    std::vector<PlacedAtom> atoms;
    for (int r = 0; r < residues; ++r)
        atoms.push_back({"CA", "C", 3.3 * r, y + (r % 2 == 0 ? 0 : 1.9), 0, r + 1});
    return records(atoms);
}
std::string twoModels() {
    return "MODEL        1\n" + chainAt(0, 8) + "ENDMDL\nMODEL        2\n" + chainAt(9, 8) + "ENDMDL\nEND\n";
}

bool isBlue(Color c) {
    return c.blue > c.red + 40 && c.blue > c.green + 40;
}
bool isRed(Color c) {
    return c.red > c.blue + 60 && c.red > c.green + 60;
}
bool isYellow(Color c) {
    return c.red > c.blue + 60 && c.green > c.blue + 40;
}
constexpr Color kWhite{255, 255, 255};

int apart(Color a, Color b) {
    return std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue);
}
template <class IsOne>
std::size_t countIf(const Picture& picture, const IsOne& isOne) {
    std::size_t count = 0;
    for (std::size_t y = 0; y < picture.height(); ++y)
        for (std::size_t x = 0; x < picture.width(); ++x) count += isOne(picture.at(x, y)) ? 1 : 0;
    return count;
}

/// Skips without OpenGL.
class ViewCommand : public ::testing::Test {
  protected:
    void SetUp() override {
        static const std::string reason = [] {
            registerBackends();
            try {
                BackendRegistry::instance().create("gl", {});
                return std::string();
            } catch (const UnavailableError& error) {
                return std::string(error.what());
            }
        }();
        if (!reason.empty()) GTEST_SKIP() << reason;
        gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(gl::DebugLog::take(), IsEmpty()); }

    WorkingFolder folder_;
};

TEST_F(ViewCommand, AtomsLieWhereTheCameraPutsThem) {
    // The middle of these atoms is (4, 2, 1).
    writeFile("a.pdb", records({{"C", "C", 0, 0, 0, 1},
                                {"N", "N", 12, 0, 0, 2},
                                {"O", "O", 0, 6, 0, 3},
                                {"S", "S", 4, 2, 4, 4}}));
    const auto view = [&](const std::string& turn) {
        return shown({"view", "a.pdb", "--style", "spheres", "--color", "element", "--axes", "file", "--turn",
                      turn, "--size", "400x300", "-o", "a.png"});
    };
    // The picture is centred on the visible extent: from carbon's left edge to nitrogen's right one, and from
    // carbon's lower edge to oxygen's upper one.
    double middleX = (-1.70 + 12 + 1.55) / 2 - 4;
    const double middleY = (-1.70 + 6 + 1.52) / 2 - 2;
    const auto at = [&](const Picture& picture, double scale, double right, double up) {
        return picture.at(static_cast<std::size_t>(200 + scale * (right - middleX)),
                          static_cast<std::size_t>(150 - scale * (up - middleY)));
    };
    const Json json = view("0,0,0");
    EXPECT_EQ(json["atoms"], 4);
    double scale = json["pixelsPerAngstrom"];
    const Picture front("a.png");
    ASSERT_EQ(front.width(), 400U);
    ASSERT_EQ(front.height(), 300U);
    EXPECT_TRUE(isBlue(at(front, scale, 12 - 4, 0 - 2)));
    EXPECT_TRUE(isRed(at(front, scale, 0 - 4, 6 - 2)));
    EXPECT_TRUE(isYellow(at(front, scale, 0, 0)));
    EXPECT_EQ(front.at(3, 3), kWhite);
    // The nitrogen is a ball of 1.55 Å: nothing is above it, and it fills its disc except for the dark edge.
    EXPECT_EQ(at(front, scale, 8, -2 + 1.8), kWhite);
    const double disc = std::numbers::pi * std::pow(1.55 * scale, 2);
    EXPECT_NEAR(static_cast<double>(countIf(front, isBlue)), disc, 0.25 * disc);

    // The file's z axis now points to the right, its x axis away from the viewer: carbon (x = 0) hides
    // nitrogen (x = 12).
    scale = view("0,90,0")["pixelsPerAngstrom"];
    middleX = (-1.70 + 4 + 1.80) / 2 - 1;
    const Picture side("a.png");
    EXPECT_TRUE(isYellow(at(side, scale, 4 - 1, 0)));
    EXPECT_TRUE(isRed(at(side, scale, 0 - 1, 4)));
    EXPECT_FALSE(isBlue(at(side, scale, 0 - 1, -2)));
    EXPECT_NE(at(side, scale, 0 - 1, -2), kWhite);
    EXPECT_LT(countIf(side, isBlue), 20U);
}

TEST_F(ViewCommand, ModelsHaveAColourEachAndOneStandsAlone) {
    writeFile("two.pdb", twoModels());
    const std::vector<std::string> both{"view", "two.pdb", "--color", "model", "--axes",
                                        "file", "--size",  "400x300", "-o",    "m.png"};
    const Color first = picture::groupColor(0, 2);
    const Color second = picture::groupColor(1, 2);
    /// Pixels nearer to the wanted colour than to the other, and not white.
    const auto count = [](const Picture& picture, Color wanted, Color other) {
        return countIf(picture, [&](Color c) {
            return apart(c, wanted) < 120 && apart(c, wanted) < apart(c, other) && apart(c, kWhite) > 60;
        });
    };
    EXPECT_EQ(shown(both)["models"], 2);
    const Picture two("m.png");
    EXPECT_GT(count(two, first, second), 150U);
    EXPECT_GT(count(two, second, first), 150U);
    shown(with(both, {"--model", "2"}));
    const Picture one("m.png");
    EXPECT_EQ(count(one, first, second), 0U);
    EXPECT_GT(count(one, second, first), 150U);
    EXPECT_NEAR(shown(with(both, {"--superpose"}))["superposedRmsd"].get<double>(), 0, 1e-3);
    EXPECT_LT(countIf(Picture("m.png"), [](Color c) { return c == kWhite; }), 400U * 300U);
}

TEST_F(ViewCommand, BoundsAreLinesTheTightestFirst) {
    writeFile("chain.pdb", chainAt(0, 6));
    bounds::OwnedBounds<float> owned{Matrix<float>(6, 6, 50.0F), Matrix<float>(6, 6, 1.0F)};
    std::vector<std::string> names;
    for (std::size_t r = 0; r < 6; ++r) {
        names.push_back(fmt::format("A/ALA{}/CA", r + 1));
        owned.upper(r, r) = owned.lower(r, r) = 0;
    }
    const auto set = [&](std::size_t i, std::size_t j, float lower, float upper) {
        owned.upper(i, j) = owned.upper(j, i) = upper;
        owned.lower(i, j) = owned.lower(j, i) = lower;
    };
    set(0, 1, 3.75F, 3.75F);  // neighbours are left out
    set(0, 4, 13, 13.5F);
    set(1, 3, 6, 8);
    bounds::AnyOwnedBounds any = std::move(owned);
    bounds::writeBounds("b.npz", bounds::viewBounds(any), names);
    const Json json = shown({"view", "chain.pdb", "--bounds", "b.npz", "--lines", "2", "--axes", "file",
                             "--size", "600x200", "-o", "b.png"});
    ASSERT_EQ(json["bounds"].size(), 2U);
    EXPECT_EQ(json["bounds"][0], (Json{{"i", 0}, {"j", 4}, {"lower", 13.0}, {"upper", 13.5}}));
    EXPECT_EQ(json["bounds"][1], (Json{{"i", 1}, {"j", 3}, {"lower", 6.0}, {"upper", 8.0}}));
    // Between atoms 0 and 4, the line is at y = 0, half of the zigzag below the middle. Nothing else is there
    // next to atom 2.
    const double scale = json["pixelsPerAngstrom"];
    const auto column = static_cast<std::size_t>(300 + scale * (3.3 * 1.5 - 3.3 * 2.5));
    // The zigzag's lower atoms are at the height of the line.
    const auto row = static_cast<std::size_t>(100 + scale * 0.95);
    const Picture picture("b.png");
    EXPECT_GT(apart(picture.at(column, row), kWhite), 60);
    EXPECT_EQ(picture.at(column, row + static_cast<std::size_t>(scale)), kWhite);

    bounds::writeBounds("nameless.npz", bounds::viewBounds(any), {});
    expectRefused({"view", "chain.pdb", "--bounds", "nameless.npz", "-o", "b.png"}, "have no names of atoms");
    for (std::string& name : names) name[0] = 'B';
    bounds::writeBounds("other.npz", bounds::viewBounds(any), names);
    expectRefused({"view", "chain.pdb", "--bounds", "other.npz", "-o", "b.png"},
                  "the first is called B/ALA1/CA");
}

TEST_F(ViewCommand, EveryVariantShowsItsPasses) {
    ASSERT_EQ(run({"generate", "bounds", "--atoms", "24", "--known", "0.3", "-o", "b.npz"}).exitCode, 0);
    bounds::BoundSet set = bounds::loadBounds(fs::path("b.npz"), {});
    const Matrix<float> raw = std::get<bounds::OwnedBounds<float>>(set.bounds).upper.clone();
    const double white = bounds::largestFiniteBound(set.matrices());
    bounds::smooth(*BackendRegistry::instance().create("reference", {}), set.matrices(), {},
                   silentProgress());
    const auto& smoothed = std::get<bounds::OwnedBounds<float>>(set.bounds);
    const auto view = [](const char* variant) {
        return std::vector<std::string>{"view", "b.npz", "--size",    "240x240",
                                        "-o",   "p.png", "--variant", variant};
    };
    for (const char* variant : {"scalar", "scalar-shadercoords", "copy", "triangle", "triangle-single",
                                "triangle-packed", "packed", "packed-branch", "blocked"}) {
        const Json result = shown(view(variant));
        EXPECT_NEAR(result["white"].get<double>(), white, 1e-6) << variant;
        const std::size_t passes = result["pass"];
        EXPECT_GT(passes, 2U) << variant;
        if (std::string_view(variant) == "packed") {
            EXPECT_EQ(passes, 48U) << "one for each atom and kind of bound";
        }
        // Ten pixels per bound; upper bounds are above the diagonal.
        const Picture picture("p.png");
        for (std::size_t i = 0; i < 24; ++i)
            for (std::size_t j = 0; j < 24; ++j) {
                const double bound = j < i ? smoothed.lower(i, j) : smoothed.upper(i, j);
                const Color color = picture.at(10 * j + 5, 10 * i + 5);
                const double heat = 3 * std::min(bound / white, 1.0);
                EXPECT_NEAR(color.red / 255.0, std::min(heat, 1.0), 0.01) << variant;
                EXPECT_NEAR(color.green / 255.0, std::clamp(heat - 1, 0.0, 1.0), 0.01) << variant;
            }
        const Json first = shown(with(view(variant), {"--pass", "1"}));
        EXPECT_EQ(first["pass"], 1) << variant;
        EXPECT_THAT(first["program"].get<std::string>(), StartsWith("bounds/")) << variant;
        EXPECT_FALSE(Picture("p.png") == picture) << variant;
        expectRefused(with(view(variant), {"--pass", fmt::format("{}", passes + 1)}),
                      fmt::format("--pass {}: the run has {} passes", passes + 1, passes));
    }
    // After the first pass of scalar, paths through atom 0 are known. Row 0 is at the top.
    shown(with(view("scalar"), {"--pass", "1"}));
    const Picture picture("p.png");
    for (std::size_t j = 3; j < 24; ++j) {
        const double bound = std::min(raw(2, j), raw(2, 0) + raw(0, j));
        EXPECT_NEAR(picture.at(10 * j + 5, 25).red / 255.0, std::min(3 * bound / white, 1.0), 0.01) << j;
    }
    shown(with(view("scalar"), {"--white", fmt::format("{}", 3 * white)}));
    const double red = Picture("p.png").at(35, 25).red / 255.0;
    EXPECT_NEAR(red, std::min(smoothed.upper(2, 3) / white, 1.0), 0.01);
}

TEST_F(ViewCommand, WithoutADisplayTheErrorNamesThePictureInstead) {
    std::map<std::string, std::string> given;
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
        if (const char* value = std::getenv(name)) given[name] = value;
        ::unsetenv(name);
    }
    writeFile("two.pdb", twoModels());
    expectRefused("view two.pdb"_args, "no display for a window", 1);
    expectRefused("view two.pdb"_args, "-o FILE.png draws without one", 1);
    ::setenv("DISPLAY", "", 1);
    expectRefused("view two.pdb"_args, "no display for a window", 1);
    ::unsetenv("DISPLAY");
    for (const auto& [name, value] : given) ::setenv(name.c_str(), value.c_str(), 1);
}

TEST_F(ViewCommand, RefusesWhatCannotBeShown) {
    writeFile("a.pdb", chainAt(0, 3));
    writeFile("empty.pdb", "REMARK nothing\nEND\n");
    writeFile("water.pdb",
              "HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O\nEND\n");
    writeFile("a.txt", "x\n");
    const auto offscreen = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "view");
        return with(arguments, {"-o", "o.png"});
    };
    expectRefused(offscreen({"empty.pdb"}), "empty.pdb");
    expectRefused(offscreen({"water.pdb"}), "no atoms but water");
    expectRefused(offscreen({"a.txt"}), "unknown kind of file; expected a molecule");
    expectRefused(offscreen({"missing.pdb"}), "missing.pdb");
    expectRefused(offscreen({"a.pdb", "--model", "2"}), "--model 2: a.pdb has 1 model");
    writeFile("a.upl", "2 ALA HA 102 ALA HA 5\n");
    writeFile("a.fa", ">A\nGAG\n>B\nGAG\n");
    const auto restraints = [&](const std::string& first) {
        return offscreen({"a.upl", "--sequence", "a.fa", "--first-residue", first});
    };
    expectRefused(restraints("B"), "--first-residue: 'B'; expected CHAIN=NUMBER");
    expectRefused(restraints("Z=101"), "--first-residue Z=101: the molecule has no chain 'Z'; known: A, B");
    expectRefused(restraints("B=201"), "ALA102/HA: no such residue; chain 'A' has 1 to 3, chain 'B' has 201");
    expectRefused(offscreen({"a.pdb", "--first-residue", "B=1"}), "--first-residue is for smoothing");
    expectRefused(offscreen({"a.pdb", "--size", "400"}), "expected WIDTHxHEIGHT");
    expectRefused(offscreen({"a.pdb", "--turn", "1,2"}), "expected three angles");
    expectRefused(offscreen({"a.pdb", "--pass", "1"}), "--pass is for smoothing");
    expectRefused(offscreen({"a.pdb", "--smoothing", "--style", "trace"}), "--style is for molecule");
    expectRefused(offscreen({"a.pdb", "--smoothing", "--variant", "dense"}), "has no variant 'dense'");
    expectRefused(offscreen({"a.pdb", "--frames", "3"}), "--frames is for windows");
    expectRefused({"view", "a.pdb", "-o", "o.txt"}, "o.txt");
    expectRefused({"view", "a.pdb", "--context", "egl"}, "--context egl has no windows");
    expectRefused(offscreen({"a.pdb", "--dialect", "gl21"}), "not in gl21", 1);
    expectRefused(offscreen({"a.pdb", "--size", "4096x4096", "--max-texture", "4096"}),
                  "this device has 4096 texels per side", 1);
    EXPECT_FALSE(fs::exists("o.png"));
}

TEST_F(ViewCommand, TheFigureIsDrawnFromTheUsersFile) {
    writeFile("a.pdb", chainAt(0, 30));
    const std::vector<std::string> figure{"reproduce", "gems2-figure-43-1"};
    expectRefused(with(figure, {"-o", "f.png"}), "https://files.rcsb.org/download/1IGT.pdb");
    expectRefused(with(figure, {"--input", "a.pdb"}), "is a picture: name it by -o");
    expectRefused(with(figure, {"--input", "a.pdb", "-o", "f.json"}), "is a picture: name it by -o");
    expectRefused({"reproduce", "gems2-table-43-1", "--input", "a.pdb"},
                  "--input is for figures that are drawn");
    EXPECT_THAT(run({"reproduce", "--list"}).out, HasSubstr("gems2-figure-43-1"));
    EXPECT_EQ(shown(with(figure, {"--input", "a.pdb", "-o", "f.png", "--quick"}))["Contradictions"], "0");
    // Most of the structure's panel is white, and nearly nothing of the bounds' panel.
    const Picture picture("f.png");
    const auto whiteOf = [&](std::size_t left) {
        std::size_t white = 0;
        for (std::size_t y = 120; y < 640; ++y)
            for (std::size_t x = left; x < left + 480; ++x) white += picture.at(x, y) == kWhite ? 1 : 0;
        return static_cast<double>(white) / (520 * 480);
    };
    EXPECT_GT(whiteOf(60), 0.5);
    EXPECT_LT(whiteOf(60), 0.99);
    EXPECT_LT(whiteOf(720), 0.01);
}

}  // namespace
}  // namespace glycine
