#include "app/fold/ensemble_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/picture/canvas.hpp"
#include "engine/structure/ensemble.hpp"

namespace glycine::structure {

namespace {

using picture::Canvas;
using picture::Color;

constexpr double kSide = 420;  // pixels of a view
constexpr double kLeastHeight = 200;
constexpr double kGap = 24;
constexpr double kTop = 64;
constexpr double kBarWidth = 14;

Color mixed(Color a, Color b, double share) {
    const auto mix = [&](std::uint8_t x, std::uint8_t y) {
        return static_cast<std::uint8_t>(std::lround(x + share * (y - x)));
    };
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

Color colorOf(const ResidueColors& colors, double value) {
    const double share = (value - colors.least) / std::max(colors.most - colors.least, 1e-9);
    // The palest colours of the map are invisible on white.
    return picture::colorMap()[static_cast<std::size_t>(std::lround(220 * std::clamp(share, 0.0, 1.0)))];
}

struct Stroke {
    Vector from, to;  ///< x to the right, y upwards, z towards the viewer
    Color color;
    bool isFirst;  ///< stroke of the best model
};

void drawView(Canvas& canvas, picture::Point middle, double scale, double depth,
              std::vector<Stroke> strokes) {
    std::sort(strokes.begin(), strokes.end(),
              [](const Stroke& a, const Stroke& b) { return a.from.z + a.to.z < b.from.z + b.to.z; });
    const auto place = [&](const Vector& v) {
        return picture::Point{middle.x + scale * v.x, middle.y - scale * v.y};
    };
    for (const Stroke& stroke : strokes) {
        const double behind = std::clamp(0.5 - 0.5 * (stroke.from.z + stroke.to.z) / 2 / depth, 0.0, 1.0);
        const picture::Point ends[] = {place(stroke.from), place(stroke.to)};
        canvas.line(ends, mixed(stroke.color, picture::kBackground, 0.65 * behind),
                    stroke.isFirst ? 2.6 : 1.2);
    }
}

/// "46", or "B/46" if there are several chains.
std::string numberOf(const Molecule& molecule, std::size_t residue) {
    const Residue& one = molecule.residues[residue];
    const bool isAlone = molecule.residues.front().chain == molecule.residues.back().chain;
    return isAlone ? fmt::format("{}", one.number) : fmt::format("{}/{}", one.chain, one.number);
}

void drawBar(Canvas& canvas, const ResidueColors& colors, const Molecule& molecule, const picture::Box& bar) {
    canvas.image(bar, [&](std::size_t, std::size_t y) {
        const double share = 1 - (static_cast<double>(y) + 0.5) / bar.height;
        return colorOf(colors, colors.least + share * (colors.most - colors.least));
    });
    canvas.frame(bar, picture::kFaintInk);
    for (const double share : {0.0, 0.5, 1.0}) {
        const double value = colors.least + share * (colors.most - colors.least);
        canvas.text({bar.x + bar.width + 6, bar.y + (1 - share) * bar.height + 4},
                    colors.areResidues ? numberOf(molecule, static_cast<std::size_t>(value))
                                       : fmt::format("{:.2f}", value),
                    picture::kSmallStyle);
    }
    canvas.text({bar.x + bar.width, bar.y - 10}, colors.label,
                picture::kSmallStyle.anchored(picture::TextAnchor::End));
}

}  // namespace

void drawEnsemble(const std::filesystem::path& file, const Molecule& molecule,
                  std::span<const std::vector<Vector>> models, const ResidueColors& colors,
                  const EnsemblePage& page) {
    std::vector<AtomIndex> trace;
    for (std::size_t r = 0; r < molecule.residues.size(); ++r) trace.push_back(*molecule.find(r, "CA"));
    const PrincipalAxes axes = principalAxes(models[0], trace);
    const auto fromCentre = [&](const Vector& at) {
        const Vector from = at - axes.centre;
        return Vector{dot(from, axes.axes.x), dot(from, axes.axes.y), dot(from, axes.axes.z)};
    };
    double across = 5;
    double upwards = 5;
    for (const std::vector<Vector>& model : models)
        for (const AtomIndex a : trace) {
            const Vector at = fromCentre(model[a]);
            across = std::max(across, std::abs(at.x));
            upwards = std::max({upwards, std::abs(at.y), std::abs(at.z)});
        }
    const double scale = (0.5 * kSide - 10) / std::max(across, upwards);
    const double height = std::max(std::ceil(2 * (scale * upwards + 10)), kLeastHeight);
    const auto opened = picture::openCanvas(file, 2 * kSide + 3 * kGap + 70, kTop + height + 40);
    Canvas& canvas = *opened;
    canvas.text({kGap, 30}, page.title, picture::kTitleStyle);
    for (const int view : {0, 1}) {
        const auto turned = [&](const Vector& at) {
            const auto [x, y, z] = fromCentre(at);
            // The second view is from above: rotated by 90° about the horizontal axis.
            return view == 0 ? Vector{x, y, z} : Vector{x, -z, y};
        };
        std::vector<Stroke> strokes;
        for (std::size_t m = 0; m < models.size(); ++m)
            for (std::size_t r = 1; r < trace.size(); ++r) {
                if (molecule.residues[r].startsChain) continue;
                const Vector a = turned(models[m][trace[r - 1]]);
                const Vector b = turned(models[m][trace[r]]);
                const Vector half = 0.5 * (a + b);
                strokes.push_back({a, half, colorOf(colors, colors.values[r - 1]), m == 0});
                strokes.push_back({half, b, colorOf(colors, colors.values[r]), m == 0});
            }
        const picture::Point middle{kGap + 0.5 * kSide + view * (kSide + kGap), kTop + 0.5 * height};
        drawView(canvas, middle, scale, upwards, std::move(strokes));
        for (std::size_t r = 0; r < trace.size(); ++r) {
            const bool ends = r + 1 == trace.size() || molecule.residues[r + 1].startsChain;
            const bool isEnd = ends || molecule.residues[r].startsChain;
            if (!isEnd && molecule.residues[r].number % 10 != 0) continue;
            const Vector at = turned(models[0][trace[r]]);
            canvas.text({middle.x + scale * at.x + 3, middle.y - scale * at.y - 3},
                        isEnd ? (ends ? "C" : "N") : fmt::format("{}", molecule.residues[r].number),
                        picture::kSmallStyle);
        }
    }
    drawBar(canvas, colors, molecule, {2 * kSide + 3 * kGap, kTop + 30, kBarWidth, height - 60});
    canvas.text({kGap, kTop + height + 26}, page.footer, picture::kNoteStyle);
    canvas.save();
}

}  // namespace glycine::structure
