#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <ostream>
#include <queue>
#include <string>
#include <vector>

#include "app/restraint_options.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/input/restraint_bounds.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/error.hpp"
#include "engine/core/inspect_advice.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/core/time_line.hpp"
#include "engine/io/restraints/restraint_file.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/text/json.hpp"
#include "engine/picture/canvas.hpp"
#include "engine/view/input/molecule_scene.hpp"
#include "engine/view/viewer.hpp"

namespace glycine::view {

namespace {

namespace fs = std::filesystem;

enum class Axes { Principal, File };
constexpr auto namesOf(Axes) {
    return namesAre<Axes>("choice of axes", {{Axes::Principal, "principal"}, {Axes::File, "file"}});
}

struct RunOptions {
    std::vector<std::string> inputs;
    std::string picture;
    ImageSize size;
    Look look;
    Camera camera;
    Axes axes = Axes::Principal;
    bool superpose = false;
    std::string bounds;
    bool smoothing = false;
    std::optional<std::size_t> pass;
    std::string variant = "packed";
    std::optional<double> white;  ///< Å
    bounds::MoleculeBoundsOptions molecule;
    bounds::RestraintBoundsOptions restraints;
    std::optional<std::size_t> frames;
    BackendOptions device;
    bool json = false;
};

/// The report of a `glycine view` run.
struct RunReport final : RunHead {
    void print(std::ostream& out) const override {
        Fields all = fields;
        addDeviceFields(all, *this, what);
        addTimeField(all, *this);
        addFileFields(all, files);
        printFields(out, all, terminalWidth());
    }
    Json json() const override {
        Json json = runHeadJson("view", *this);
        json["shows"] = what;
        json.update(facts);
        json["files"] = fileNames(files);
        return json;
    }
    std::string what;  ///< "molecule", or the name of the variant
    Fields fields;
    Json facts = Json::object();
};

ImageSize parseSize(const std::string& text) {
    ImageSize size{0, 0};
    const char* const end = text.data() + text.size();
    const auto [cross, error] = std::from_chars(text.data(), end, size.width);
    if (error == std::errc() && cross != end && *cross == 'x') {
        const auto [stop, second] = std::from_chars(cross + 1, end, size.height);
        const auto isSide = [](std::size_t side) { return side >= 16 && side <= 8192; };
        if (second == std::errc() && stop == end && isSide(size.width) && isSide(size.height)) return size;
    }
    throw UsageError(fmt::format("--size: '{}'; expected WIDTHxHEIGHT in pixels, 16 to 8192 each", text));
}

std::array<double, 3> parseTurn(const std::vector<std::string>& words) {
    std::array<double, 3> turn{};
    bool isGood = words.size() == turn.size();
    for (std::size_t k = 0; isGood && k < turn.size(); ++k) {
        const char* const end = words[k].data() + words[k].size();
        const auto [stop, error] = std::from_chars(words[k].data(), end, turn[k]);
        isGood = error == std::errc() && stop == end && std::abs(turn[k]) <= 360;
    }
    if (isGood) return turn;
    throw UsageError(
        fmt::format("--turn: '{}'; expected three angles X,Y,Z within ± 360°", fmt::join(words, ",")));
}

void declareOptions(Options& options, RunOptions& run) {
    options
        .value("FILE", run.inputs,
               "A molecule (.pdb, .ent, .cif, .mmcif, also with .gz), or input of `glycine bounds`, to see "
               "it smoothed: bounds (.npz), restraints (.nef, .str, .tbl, .upl, .lol, .aco), tables")
        .required();
    options
        .value("-o,--output FILE.png", run.picture,
               "Draw a picture without a window; no display is needed (.svg and .pdf hold the same picture)")
        .notASetting()
        .formerly("--offscreen", "-o FILE.png");
    options.parsed(
        "--size WxH", [&run](const std::string& text) { run.size = parseSize(text); },
        [&run] { return fmt::format("{}x{}", run.size.width, run.size.height); },
        "Size of the picture or the window in pixels");
    {
        const Heading heading(options, "Molecule");
        const auto isRead = [](Option& option) -> Option& { return option.readBy("show", {"molecule"}); };
        isRead(options.choice("--style HOW", run.look.style,
                              "Style: trace (of the backbone), sticks or spheres"))
            .basic();
        isRead(options.choice("--color WHAT", run.look.color,
                              "Colours: residue (blue to red along the chain), chain, model, element"))
            .basic();
        isRead(options.flag("--hydrogens", run.look.hydrogens, "Show hydrogens, too")).basic();
        isRead(options.value("--model N", run.look.model, "Number of the model to show, from 1; 0: all"))
            .within(0, 100000)
            .basic();
        isRead(options.flag("--superpose", run.superpose,
                            "Superpose all models onto the first one by CA (or P)\n; by default they keep "
                            "the file's positions"));
        isRead(options.value("--bounds FILE.npz", run.bounds,
                             "Also show bounds of this molecule, as from -o smoothed.npz: lines, darkest "
                             "where upper - lower is least"))
            .basic();
        isRead(options.value(
                   "--lines N", run.look.bounds,
                   "Number of bounds to show: the tightest of pairs that are not neighbours in the chain"))
            .within(0, 20000)
            .onlyWith("--bounds")
            .basic();
        isRead(options.parsedList(
                   "--turn X,Y,Z",
                   [&run](const std::vector<std::string>& words) { run.camera.turn = parseTurn(words); },
                   [&run] { return fmt::format("{}", fmt::join(run.camera.turn, ",")); },
                   "Rotation in degrees about the horizontal and the vertical axis, and in the plane"))
            .basic();
        isRead(
            options.value("--zoom F", run.camera.zoom, "Magnification; at 1, the molecule fills the picture"))
            .within(0.01, 1000);
        isRead(
            options.choice("--axes WHICH", run.axes,
                           "principal: the longest extent is horizontal; file: x to the right, y upwards"));
    }
    {
        const Heading heading(options, "Smoothing");
        const auto isRead = [](Option& option) -> Option& { return option.readBy("show", {"smoothing"}); };
        options
            .flag("--smoothing", run.smoothing, "Smooth the bounds of a structure, too, and show each pass")
            .basic();
        isRead(options.value("--variant NAME", run.variant, "Variant of gl; `glycine list` shows all"))
            .basic();
        isRead(options.value("--pass K", run.pass, "Show pass K in the picture instead of the result"))
            .positive()
            .onlyWith("--output")
            .basic();
        isRead(options.value("--white Å", run.white, "Bound from which on all are drawn white"))
            .byDefault("the largest known bound")
            .above(0, bounds::kLargestOptionAngstrom);
        isRead(options.choice("--atoms WHICH", run.molecule.atoms, "Atoms of a structure: all, heavy or ca"))
            .basic();
        isRead(options.value("--known SHARE", run.molecule.known,
                             "Share of a structure's pairs below 6 Å that are known"))
            .within(0, 1);
        isRead(options.value("--sequence FASTA", run.restraints.sequence, "The molecule of restraints"))
            .basic();
        isRead(options.value("--topology FILE", run.restraints.topology,
                             "The molecule of restraints, from a structure"))
            .basic();
        isRead(addFirstResidueOption(options, run.restraints.mapping));
        isRead(options.flag("--skip-unknown", run.restraints.mapping.skipUnknown,
                            "Skip restraints on unknown atoms"));
    }
    options.value("--frames N", run.frames, "Close the window after this many frames")
        .positive()
        .notASetting()
        .advanced();
    addBackendOptions(options, run.device);
    options.remove("--visible");
    addJsonOption(options, run.json);
    options.footer(
        "In the window: drag to turn, drag with the right button to move, use the wheel to zoom; the\n"
        "space bar stops and continues, → does one pass.\n\n"
        "Examples:\n"
        "  glycine view models.pdb\n"
        "  glycine view model.pdb --bounds smoothed.npz --style sticks -o model.png\n"
        "  glycine view bounds.npz --variant triangle-packed");
}

void writeImage(const fs::path& file, const Image& image) {
    const auto canvas = picture::openCanvas(file, static_cast<double>(image.size.width),
                                            static_cast<double>(image.size.height));
    canvas->image({0, 0, static_cast<double>(image.size.width), static_cast<double>(image.size.height)},
                  [&](std::size_t x, std::size_t y) {
                      const Rgb& pixel = image.at(x, y);
                      return picture::Color{pixel[0], pixel[1], pixel[2]};
                  });
    canvas->save();
}

/// The tightest bounds between atoms of the molecule, tightest first.
std::vector<BoundLine> tightestBounds(const MoleculeScenes& molecule, bounds::BoundSet& set,
                                      const std::string& file, std::size_t count, Progress& progress) {
    const auto& matrices = std::get<bounds::OwnedBounds<float>>(set.bounds);
    if (set.atomNames.empty())
        throw InputError(
            fmt::format("{}: the bounds have no names of atoms (array atoms), so that nothing says which "
                        "atoms of the molecule they are about",
                        file));
    std::vector<std::optional<std::size_t>> atoms;
    for (const std::string& name : set.atomNames) atoms.push_back(molecule.find(name));
    if (std::ranges::none_of(atoms, [](const auto& atom) { return atom.has_value(); }))
        throw InputError(fmt::format("{}: the molecule has none of its {} atoms; the first is called {}",
                                     file, formatCount(atoms.size()), set.atomNames[0]));
    const auto isTighter = [](const BoundLine& a, const BoundLine& b) { return a.slack() < b.slack(); };
    std::priority_queue<BoundLine, std::vector<BoundLine>, decltype(isTighter)> tightest(isTighter);
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        progress.throwIfCancelled();
        for (std::size_t j = i + 1; atoms[i] && j < atoms.size(); ++j) {
            const double upper = matrices.upper(i, j);
            if (!atoms[j] || upper >= bounds::kUnknownUpper<float>) continue;
            const BoundLine line{*atoms[i], *atoms[j], matrices.lower.empty() ? 0 : matrices.lower(i, j),
                                 upper};
            if (tightest.size() == count && !isTighter(line, tightest.top())) continue;
            if (molecule.areNeighbours(line.i, line.j)) continue;
            tightest.push(line);
            if (tightest.size() > count) tightest.pop();
        }
    }
    std::vector<BoundLine> lines;
    for (; !tightest.empty(); tightest.pop()) lines.push_back(tightest.top());
    std::ranges::reverse(lines);
    return lines;
}

/// The work, prepared before a device is started.
struct Work {
    RunReport report;
    std::unique_ptr<MoleculeScenes> molecule;
    bounds::BoundSet bounds;
};

bool hasDisplay() {
    const auto isSet = [](const char* name) {
        const char* const value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
}

void readMolecule(Work& work, RunOptions& run, bool isStyleGiven, Progress& progress) {
    if (run.inputs.size() > 1)
        throw UsageError(fmt::format("{} is a molecule; expected it as the only input", run.inputs[0]));
    io::StructureOptions reading;
    reading.heteroAtoms = reading.everyModel = true;
    work.molecule = std::make_unique<MoleculeScenes>(io::readStructure(run.inputs[0], reading));
    MoleculeScenes& molecule = *work.molecule;
    if (run.look.model > molecule.models())
        throw UsageError(fmt::format("--model {}: {} has {}", run.look.model, run.inputs[0],
                                     formatCount(molecule.models(), "model")));
    if (!molecule.hasBackbone() && !isStyleGiven) run.look.style = Style::Sticks;
    Fields& fields = work.report.fields;
    fields.emplace_back(
        "Molecule",
        fmt::format("{}: {} of {}, {}, {}, {}", run.inputs[0], formatCount(molecule.models(), "model"),
                    formatCount(molecule.atoms(), "atom"), formatCount(molecule.residues(), "residue"),
                    formatCount(molecule.chains(), "chain"), formatCount(molecule.bonds(), "bond")));
    work.report.facts = {{"models", molecule.models()},
                         {"atoms", molecule.atoms()},
                         {"residues", molecule.residues()},
                         {"chains", molecule.chains()},
                         {"bonds", molecule.bonds()}};
    if (run.superpose && molecule.models() > 1) {
        const double rmsd = molecule.superpose();
        fields.emplace_back("Superposed", fmt::format("on the first model; at most {:.2f} Å rms", rmsd));
        work.report.facts["superposedRmsd"] = rmsd;
    }
    if (run.bounds.empty()) return;
    bounds::BoundFileOptions lenient;
    lenient.allowInconsistent = true;
    requireExtension("--bounds", run.bounds, ".npz");
    bounds::BoundSet set = bounds::loadBounds(run.bounds, lenient);
    molecule.setBounds(tightestBounds(molecule, set, run.bounds, run.look.bounds, progress));
    const std::vector<BoundLine>& lines = molecule.bounds();
    fields.emplace_back(
        "Bounds", lines.empty() ? "none between atoms of the molecule that are no neighbours"
                                : fmt::format("{}, upper - lower from {:.2f} Å (dark) to {:.2f} Å (light)",
                                              formatCount(lines.size(), "line"), lines.front().slack(),
                                              lines.back().slack()));
    Json drawn = Json::array();
    for (const BoundLine& line : lines)
        drawn.push_back({{"i", line.i}, {"j", line.j}, {"lower", line.lower}, {"upper", line.upper}});
    work.report.facts["bounds"] = std::move(drawn);
}

void readBounds(Work& work, const RunOptions& run, Progress& progress) {
    if (io::isRestraintFile(run.inputs[0])) {
        const std::vector<fs::path> files(run.inputs.begin(), run.inputs.end());
        work.bounds = std::move(bounds::boundsFromRestraints(files, run.restraints, progress).set);
    } else {
        if (run.inputs.size() > 1)
            throw UsageError(
                fmt::format("{} is one of several inputs; expected it alone, or several files of restraints",
                            run.inputs[0]));
        bounds::InputFileOptions reading;
        reading.molecule = run.molecule;
        work.bounds = bounds::loadInputFile(run.inputs[0], reading, progress);
    }
    work.report.fields.emplace_back("Bounds", work.bounds.description);
    for (const std::string& warning : work.bounds.warnings)
        work.report.fields.emplace_back("Warning", warning);
    work.report.facts = {{"atoms", bounds::atomCount(work.bounds.matrices())},
                         {"knownPairs", work.bounds.knownPairs}};
}

/// Shows the variants of gl that this device supports for these bounds; the requested one is `variant`.
PassShow passShow(Backend& backend, Work& work, const RunOptions& run, Progress& progress) {
    const bounds::AnyBoundMatrices matrices = work.bounds.matrices();
    PassShow show;
    show.title = fs::path(run.inputs[0]).filename().string();
    show.white = run.white.value_or(std::max(bounds::largestFiniteBound(matrices), 1e-3));
    const auto& known = findImplementation<bounds::SmoothingEngine>(backend)->variants;
    const auto requestOf = [&](const std::string& variant) {
        return bounds::SmoothingRequest{fromString<bounds::Variant>(variant), bounds::NumberFormat::Float32,
                                        bounds::atomCount(matrices), bounds::Rounding::Nearest,
                                        [&] { return bounds::smallestBound(matrices); }};
    };
    const std::string missing = missingVariant(backend.name(), run.variant, known);
    if (!missing.empty()) throw UsageError(missing);
    requireSupport(bounds::supportsRequest(backend, requestOf(run.variant)));
    for (const VariantInfo& info : known) {
        if (!bounds::supportsRequest(backend, requestOf(info.name))) continue;
        if (info.name == run.variant) show.variant = show.variants.size();
        show.variants.push_back(info.name);
    }
    show.run = [&backend, &progress, matrices](const std::string& variant) {
        bounds::AnyOwnedBounds copy = bounds::cloneBounds(matrices);
        bounds::SmoothingOptions options;
        options.variant = fromString<bounds::Variant>(variant);
        bounds::smooth(backend, bounds::viewBounds(copy), options, progress);
        // Lower bounds below the diagonal and upper bounds above, subsampled by rows and columns.
        const auto& smoothed = std::get<bounds::OwnedBounds<float>>(copy);
        constexpr std::size_t kMaxRows = 2048;
        const std::size_t n = smoothed.upper.rows();
        const std::size_t step = (n + kMaxRows - 1) / kMaxRows;
        Matrix<float> result(n / step, n / step);
        for (std::size_t i = 0; i < result.rows(); ++i)
            for (std::size_t j = 0; j < result.columns(); ++j)
                result(i, j) = j < i && !smoothed.lower.empty() ? smoothed.lower(step * i, step * j)
                                                                : smoothed.upper(step * i, step * j);
        return result;
    };
    return show;
}

int runView(CommandContext& context, const Options& declared, RunOptions& run) {
    const bool isMolecule = io::isStructureFile(run.inputs[0]) && !run.smoothing;
    const bool isRestraints = io::isRestraintFile(run.inputs[0]);
    if (!isMolecule && !isRestraints && !io::isStructureFile(run.inputs[0]) &&
        !lowerCase(run.inputs[0]).ends_with(".npz"))
        throw UsageError(
            fmt::format("{}: unknown kind of file; expected a molecule (.pdb, .ent, .cif, .mmcif), bounds "
                        "(.npz) or restraints (.nef, .str, .tbl, .upl, .lol, .aco){}",
                        run.inputs[0], inspectAdvice(run.inputs[0])));
    declared.requireReaders({"show",
                             {isMolecule ? "molecule" : "smoothing"},
                             isMolecule ? fmt::format("{} is shown as a molecule", run.inputs[0])
                                        : "the passes of a smoothing are shown"});
    checkBackendOptions(declared, {"gl"});
    if (!run.picture.empty()) {
        picture::requirePictureFile("-o", run.picture);
        std::vector<fs::path> inputs(run.inputs.begin(), run.inputs.end());
        for (const std::string* more : {&run.bounds, &run.restraints.sequence, &run.restraints.topology})
            if (!more->empty()) inputs.emplace_back(*more);
        checkOutputFiles({run.picture}, inputs);
        if (run.frames) throw UsageError("--frames is for windows; -o opens none");
    } else {
        if (run.device.context == ContextKind::Egl)
            throw UsageError("--context egl has no windows; -o FILE.png draws without one");
        if (!hasDisplay())
            throw UnavailableError(
                "there is no display for a window (DISPLAY is not set); -o FILE.png draws without "
                "one");
        run.device.context = ContextKind::Glfw;
        run.device.visibleWindow = true;
    }
    TimeLine& times = context.times();
    times.end("startUp");
    Work work;
    if (isMolecule)
        readMolecule(work, run, declared.isGiven("--style"), context.progress());
    else
        readBounds(work, run, context.progress());
    times.end("read");
    const std::unique_ptr<Backend> backend = createNamedBackend("gl", run.device);
    const std::unique_ptr<Viewer> viewer = createImplementation<Viewer>(*backend);
    RunReport& report = work.report;
    report.options = &declared;
    report.times = &times;
    report.device = describeDevice(*backend);
    report.what = isMolecule ? "molecule" : run.variant;
    times.end("startUp");

    const WindowOptions window{run.size, run.frames, context.progress()};
    if (isMolecule) {
        const MoleculeScenes& molecule = *work.molecule;
        const bool ownAxes = run.axes == Axes::File;
        if (run.picture.empty())
            viewer->show({fs::path(run.inputs[0]).filename().string(), run.look, run.camera,
                          molecule.models(), molecule.hasHydrogens(), molecule.bounds().size(),
                          [&molecule, ownAxes](const Look& look) { return molecule.scene(look, ownAxes); }},
                         window);
        else {
            const Image image = viewer->draw(molecule.scene(run.look, ownAxes), run.camera, run.size);
            report.fields.emplace_back("Scale", fmt::format("{:.2f} pixels an Å", image.pixelsPerAngstrom));
            report.facts["pixelsPerAngstrom"] = image.pixelsPerAngstrom;
            writeImage(run.picture, image);
        }
    } else {
        const PassShow show = passShow(*backend, work, run, context.progress());
        if (run.picture.empty())
            viewer->show(show, window);
        else {
            const ShownPass shown = viewer->drawPass(show, run.pass, run.size);
            report.fields.emplace_back(
                "Shown", run.pass
                             ? fmt::format("pass {}: {} into {}", shown.pass, shown.program, shown.target)
                             : fmt::format("the result of {} passes", formatCount(shown.pass)));
            report.fields.emplace_back(
                "Colours", fmt::format("black 0 Å, by red and yellow to white {:.4g} Å", show.white));
            report.facts.update({{"pass", shown.pass},
                                 {"program", shown.program},
                                 {"target", shown.target},
                                 {"white", show.white}});
            writeImage(run.picture, shown.image);
        }
    }
    context.clearProgressLine();
    times.end("draw");
    if (!run.picture.empty()) report.files = {run.picture};
    printRunReport(context, report, run.json);
    return 0;
}

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareOptions(options, *run);
    return [run, &options](CommandContext& context) { return runView(context, options, *run); };
}

}  // namespace

}  // namespace glycine::view

namespace glycine {

void register_view();
void register_view() {
    CommandRegistry::instance().add({"", "view", "Commands",
                                     "Show molecules, ensembles and bounds, and how bounds are smoothed",
                                     view::declareRun});
}

}  // namespace glycine
