#include <fmt/format.h>

#include <cmath>

#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/view/input/molecule_scene.hpp"
#include "engine/view/viewer.hpp"

/// Figure 43-1 of GPU Gems 2, a structure, next to the bounds that the chapter computes from it.
namespace glycine::bounds {

namespace {

Fields draw(const study::DrawnFigure::Request& request, Progress& progress) {
    const io::Structure structure = io::readStructure(request.input);
    const view::MoleculeScenes molecule(structure);
    MoleculeBoundsOptions options;
    options.atoms = request.isQuick ? AtomSubset::Ca : AtomSubset::Heavy;
    BoundSet set = boundsFromStructure(structure, options, {}, progress);
    const std::size_t atoms = atomCount(set.matrices());
    const SmoothingRequest smoothing{Variant::Default, NumberFormat::Float32, atoms, Rounding::Nearest,
                                     [&] { return smallestBound(set.matrices()); }};
    const BackendChoice choice =
        request.choose([&](Backend& backend) { return supportsRequest(backend, smoothing); },
                       hostSecondsFor(std::pow(double(atoms), 3), 5e9, request.device));
    const SmoothingReport report = smooth(*choice.backend, set.matrices(), {}, progress);

    const std::unique_ptr<Backend> gl = createNamedBackend("gl", request.device);
    const auto viewer = createImplementation<view::Viewer>(*gl);
    view::Look look;
    look.style = view::Style::Spheres;
    look.color = view::ColoredBy::Chain;
    picture::HeatMapPage page{
        .title = fmt::format("{}, {}: the structure, and its distance bounds smoothed", structure.name,
                             formatCount(molecule.chains(), "chain")),
        .footer = fmt::format("{}; {}, {} {}; drawn by {}", set.description, describeBuild(), report.backend,
                              report.variant, gl->device()),
        .rowLabel = "residue",
        .columnLabel = "residue"};
    const view::Image image = viewer->draw(molecule.scene(look), {}, {page.plotSide, page.plotSide});
    page.aside = [&image](picture::Canvas& canvas, const picture::Box& box) {
        canvas.image(box, [&](std::size_t x, std::size_t y) {
            const view::Rgb& pixel = image.at(x, y);
            return picture::Color{pixel[0], pixel[1], pixel[2]};
        });
    };
    const std::vector<picture::HeatMapPanel> panels = boundPanels("smoothed", set.matrices(), set.atomNames);
    picture::writeHeatMaps(request.output, {panels, panels.size(), {.valueLabel = "Å"}}, page);
    return {{"Input", set.description},
            {"Smoothed by", fmt::format("{} {} on {} in {}", report.backend, report.variant, report.device,
                                        formatSeconds(report.times.total()))},
            {"Contradictions", formatCount(report.violationCount)},
            {"Drawn by", gl->device()}};
}

}  // namespace

study::DrawnFigure gems2Structure() {
    study::DrawnFigure figure;
    figure.id = "gems2-figure-43-1";
    figure.title = "Figure 43-1: a mouse antibody (1IGT), next to its smoothed bounds";
    figure.source =
        "P. Micikevicius, GPU Computing for Protein Structure Prediction, GPU Gems 2 (2005), chapter 43";
    figure.quick = "alpha carbons in place of all heavy atoms";
    figure.input = "entry 1IGT of the Protein Data Bank, https://files.rcsb.org/download/1IGT.pdb (or .cif)";
    figure.draw = draw;
    return figure;
}

}  // namespace glycine::bounds
