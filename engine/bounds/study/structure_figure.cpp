#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/smoother.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/view/input/molecule_scene.hpp"
#include "engine/view/viewer.hpp"

/// Figure 43-1 of GPU Gems 2, a structure, beside what the chapter computes of it.
namespace glycine::bounds {

namespace structure_figure {
namespace {

using picture::Canvas;
using picture::Color;

constexpr std::size_t kSide = 640;  // pixels of each panel
constexpr double kGap = 30;
constexpr double kTop = 84;
constexpr double kMarks = 46;  // for the chains at the axes

/// A picture of the matrix, upper bounds above the diagonal and lower ones below it: means of the bounds that
/// fall into a pixel.
Matrix<float> reduced(const OwnedBounds<float>& bounds) {
    const std::size_t n = bounds.upper.rows();
    Matrix<float> cells(kSide, kSide, 0.0F);
#pragma omp parallel for schedule(static)
    for (std::size_t y = 0; y < kSide; ++y)
        for (std::size_t x = 0; x < kSide; ++x) {
            const Matrix<float>& shown = x >= y ? bounds.upper : bounds.lower;
            const std::size_t firstRow = y * n / kSide;
            const std::size_t firstColumn = x * n / kSide;
            const std::size_t lastRow = std::max((y + 1) * n / kSide, firstRow + 1);
            const std::size_t lastColumn = std::max((x + 1) * n / kSide, firstColumn + 1);
            double sum = 0;
            for (std::size_t i = firstRow; i < lastRow; ++i)
                for (std::size_t j = firstColumn; j < lastColumn; ++j) sum += shown(i, j);
            cells(y, x) = static_cast<float>(
                sum / static_cast<double>((lastRow - firstRow) * (lastColumn - firstColumn)));
        }
    return cells;
}

/// Draws the bounds at `box`, with lines where a chain begins and the chains' names in their colours.
void drawBounds(Canvas& canvas, const picture::Box& box, const OwnedBounds<float>& bounds,
                const std::vector<std::string>& atomNames) {
    const Matrix<float> cells = reduced(bounds);
    const float largest = *std::max_element(cells.data(), cells.data() + cells.size());
    const auto colorOf = [](double share) {
        return picture::colorMap()[static_cast<std::size_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)))];
    };
    canvas.image(box, [&](std::size_t x, std::size_t y) { return colorOf(cells(y, x) / largest); });
    canvas.frame(box, picture::kFaintInk);
    std::vector<std::pair<std::string, std::size_t>> chains;  // with their first atoms
    for (std::size_t a = 0; a < atomNames.size(); ++a)
        if (const std::string chain = atomNames[a].substr(0, atomNames[a].find('/'));
            chains.empty() || chains.back().first != chain)
            chains.emplace_back(chain, a);
    const auto n = static_cast<double>(atomNames.size());
    for (std::size_t c = 0; c < chains.size(); ++c) {
        const double begin = static_cast<double>(chains[c].second) / n * box.width;
        const double end =
            (c + 1 < chains.size() ? static_cast<double>(chains[c + 1].second) : n) / n * box.width;
        if (c > 0) {
            const picture::Point across[] = {{box.x, box.y + begin}, {box.x + box.width, box.y + begin}};
            const picture::Point down[] = {{box.x + begin, box.y}, {box.x + begin, box.y + box.height}};
            canvas.line(across, picture::kBackground, 1);
            canvas.line(down, picture::kBackground, 1);
        }
        const Color color = picture::groupColor(c, chains.size());
        const double middle = (begin + end) / 2;
        canvas.fill({box.x + begin + 1, box.y - 9, end - begin - 2, 6}, color);
        canvas.fill({box.x - 9, box.y + begin + 1, 6, end - begin - 2}, color);
        canvas.text({box.x + middle, box.y - 14}, chains[c].first,
                    picture::kLabelStyle.anchored(picture::TextAnchor::Middle));
        canvas.text({box.x - 14, box.y + middle + 4}, chains[c].first,
                    picture::kLabelStyle.anchored(picture::TextAnchor::End));
    }
    const picture::Box bar{box.x + box.width + 20, box.y, 16, box.height};
    canvas.image(bar, [&](std::size_t, std::size_t y) {
        return colorOf(1 - (static_cast<double>(y) + 0.5) / bar.height);
    });
    canvas.frame(bar, picture::kFaintInk);
    const double step = picture::niceStep(largest, 6);
    for (double value = 0; value <= largest; value += step)
        canvas.text({bar.x + bar.width + 6, bar.y + (1 - value / largest) * bar.height + 4},
                    fmt::format("{:g}", value), picture::kSmallStyle);
    canvas.text({bar.x, bar.y - 14}, "Å", picture::kSmallStyle);
}

Fields draw(const study::DrawnFigure::Request& request, Progress& progress) {
    const io::Structure structure =
        io::readStructure(request.input, {.model = {}, .heteroAtoms = true, .everyModel = false});
    const view::MoleculeScenes molecule(structure);
    MoleculeBoundsOptions options;
    options.atoms = request.isQuick ? AtomSelection::Ca : AtomSelection::Heavy;
    BoundSet set =
        boundsFromStructure(io::readStructure(request.input), options, NumberFormat::Float32, progress);
    const std::size_t atoms = atomCount(set.matrices());
    const SmoothingRequest smoothing{Variant::Default, NumberFormat::Float32, atoms, Rounding::Nearest,
                                     smallestBound(set.matrices())};
    BackendChoice choice;
    const auto canRun = [&](Backend& backend) { return supportsRequest(backend, smoothing); };
    if (request.backend.empty()) {
        choice = chooseBackend(request.device, canRun,
                               hostSecondsFor(std::pow(double(atoms), 3), 5e9, request.device));
    } else {
        choice.backend = createNamedBackend(request.backend, request.device);
        requireSupport(canRun(*choice.backend));
    }
    const SmoothingReport report = smooth(*choice.backend, set.matrices(), {}, progress);

    const std::unique_ptr<Backend> gl = createNamedBackend("gl", request.device);
    const auto viewer = createImplementation<view::Viewer>(*gl);
    view::Look look;
    look.style = view::Style::Spheres;
    look.color = view::ColoredBy::Chain;
    const view::Image image = viewer->draw(molecule.scene(look), {}, {kSide, kSide});

    constexpr auto side = static_cast<double>(kSide);
    const auto canvas =
        picture::openCanvas(request.output, 3 * kGap + kMarks + 2 * side + 66, kTop + side + 50);
    canvas->text({kGap, 34},
                 fmt::format("{}: the structure, and its distance bounds smoothed", structure.name),
                 picture::kTitleStyle);
    canvas->text(
        {kGap, kTop - 24},
        fmt::format("{}, {}", formatCount(molecule.atoms(), "atom"), formatCount(molecule.chains(), "chain")),
        picture::kNoteStyle);
    canvas->image({kGap, kTop, side, side}, [&](std::size_t x, std::size_t y) {
        const view::Rgb& pixel = image.at(x, y);
        return Color{pixel[0], pixel[1], pixel[2]};
    });
    const double left = 2 * kGap + kMarks + side;
    canvas->text({left, 54}, "upper bounds above the diagonal, lower bounds below", picture::kNoteStyle);
    drawBounds(*canvas, {left, kTop, side, side}, std::get<OwnedBounds<float>>(set.bounds), set.atomNames);
    canvas->text({kGap, kTop + side + 34},
                 fmt::format("{}; {}, {} {}; drawn by {}", set.description, describeBuild(), report.backend,
                             report.variant, gl->device()),
                 picture::kNoteStyle);
    canvas->save();
    return {{"Input", set.description},
            {"Smoothed by", fmt::format("{} {} on {} in {}", report.backend, report.variant, report.device,
                                        formatSeconds(report.times.total()))},
            {"Contradictions", formatCount(report.violationCount)},
            {"Drawn by", gl->device()}};
}

}  // namespace
}  // namespace structure_figure

study::DrawnFigure gems2Structure() {
    study::DrawnFigure figure;
    figure.id = "gems2-figure-43-1";
    figure.title = "Figure 43-1: a mouse antibody (1IGT), here beside its smoothed bounds";
    figure.source =
        "P. Micikevicius, GPU Computing for Protein Structure Prediction, GPU Gems 2 (2005), chapter 43";
    figure.quick = "alpha carbons in place of all heavy atoms";
    figure.input = "entry 1IGT of the Protein Data Bank, https://files.rcsb.org/download/1IGT.pdb (or .cif)";
    figure.draw = structure_figure::draw;
    return figure;
}

}  // namespace glycine::bounds
