#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/fold/ensemble_picture.hpp"
#include "app/fold/fold_molecule.hpp"
#include "app/fold/fold_report.hpp"
#include "app/fold/fold_violations.hpp"
#include "app/fold/generate_restraints.hpp"
#include "app/fold/restraint_check.hpp"
#include "app/restraint_options.hpp"
#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/time_line.hpp"
#include "engine/io/restraints/molecule_restraints.hpp"
#include "engine/io/structures/structure.hpp"
#include "engine/io/structures/write_models.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/structure/ensemble.hpp"
#include "engine/structure/study/fold_subject.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::structure {

namespace {

namespace fs = std::filesystem;

/// Å; largest backbone RMSF of ordered residues in a reference ensemble.
constexpr double kSteady = 1.5;

enum class ColoredBy { Residue, Violation };
constexpr auto namesOf(ColoredBy) {
    return namesAre<ColoredBy>("colour",
                               {{ColoredBy::Residue, "residue"}, {ColoredBy::Violation, "violation"}});
}

struct RunOptions {
    std::vector<std::string> inputs;
    MoleculeOptions molecule;
    std::string reference;
    std::optional<int> referenceModel;
    std::string ordered;
    std::size_t best = 10;
    std::vector<std::string> outputs;
    std::string picture;     ///< one of the outputs
    std::string violations;  ///< one of the outputs
    ColoredBy color = ColoredBy::Residue;
    FoldOptions folding;
    std::optional<std::size_t> steps;
    double pull = 0.05;
    BackendRequest backend;
    double violationTolerance = 0.1;  ///< Å
    bool allowInconsistent = false;
    bool json = false;
};

void declareOptions(Options& options, RunOptions& run) {
    options
        .value("RESTRAINTS", run.inputs,
               "Restraint files: NEF, NMR-STAR 3 (.str), X-PLOR or CNS (.tbl), CYANA (.upl, .lol, .aco), "
               "tables; also with .gz")
        .required();
    options
        .value("-o,--output MODELS", run.outputs,
               "The models, best first: .pdb or .cif; the best models superposed: .png, .svg, .pdf; the "
               "restraints that each model breaks: .violations.tsv; can be given several times")
        .repeated()
        .required()
        .notASetting()
        .formerly("--picture", "-o FILE.png");
    MoleculeOptions& molecule = run.molecule;
    options.value("--sequence FASTA", molecule.sequence,
                  "The protein's sequence; not needed with NEF, which contains it");
    options.value("--topology FILE", molecule.topology,
                  "Structure instead of --sequence (.pdb, .cif): only its residues, disulfides and cis "
                  "peptide bonds are used");
    addFirstResidueOption(options, molecule.mapping);
    options.flag("--skip-unknown", molecule.mapping.skipUnknown, "Skip restraints on unknown atoms");
    options.value("--cis RESIDUE,…", molecule.cis,
                  "Residues after a cis peptide bond: 82 or A/82; also as NEF (cis_peptide) and --topology "
                  "(CISPEP, _struct_mon_prot_cis) state, and for prolines detected from short HA-HA "
                  "restraints, and from the shifts of CB and CG");
    options.value("--disulfide PAIR,…", molecule.disulfides,
                  "Disulfide bonds: 6-36 or A/6-B/36; detected from --topology (SSBOND, _struct_conn), NEF's "
                  "covalent links, NMR-STAR's _Bond, and restraints that put two SG within 2.5 Å");
    options
        .choice("--color WHAT", run.color,
                "Colours of the picture: residue, or violation (of a residue's distances)")
        .notASetting();
    {
        const Heading heading(options, "Computation");
        options.value("-n,--models N", run.folding.models, "Number of models").within(1, 9999).basic();
        options.value("--seed S", run.folding.seed, "Random seed; the same seed gives the same models")
            .basic();
        options.value("--steps N", run.steps, "Number of steps of the dynamics, a fifth of them hot")
            .within(10, 1e7)
            .byDefault("8000, and 170 for each residue of the longest chain beyond 100");
        options
            .value("--restarts N", run.folding.restarts,
                   "How often models that have not converged start again, unless these are at most 2 %")
            .within(0, 100);
        options
            .value("--pull WEIGHT", run.pull,
                   "Weight of pulling distances below 0.8 of their upper limits (2.6 to 8 Å); 0: off")
            .within(0, 10);
    }
    addBackendChoice(options, run.backend, {algorithm()});
    options.lacks("--part", "its models are averaged and compared in one run");
    {
        const Heading heading(options, "Contradictions");
        options
            .value(
                "--violation-tolerance Å", run.violationTolerance,
                "Excess of a lower bound over the upper bounds that contradict it, beyond which restraints "
                "are refused")
            .within(0, 1000);
        options.flag("--allow-inconsistent", run.allowInconsistent,
                     "Fold restraints that contradict each other, too");
    }
    {
        const Heading heading(options, "Comparison");
        options
            .value("--reference FILE", run.reference,
                   "Structure (.pdb, .cif) to compare the models with: RMSD of the backbone, TM-score, GDT")
            .basic();
        options.value("--reference-model N", run.referenceModel, "Number of the model in --reference")
            .positive()
            .onlyWith("--reference")
            .byDefault("the first one");
        options.value("--ordered RANGES", run.ordered, "Residues to compare: 5-40,46-70 or A/5-40")
            .byDefault(
                "if --reference is an ensemble, residues whose backbone moves by at most 1.5 Å (RMSF) in it; "
                "else residues whose phi, psi and places agree among the best");
        options.value("--best N", run.best, "Number of models to average, by target function").positive();
    }
    addBackendOptions(options, run.backend.device);
    addJsonOption(options, run.json);
    options.footer(
        "Folds a protein from NMR restraints by torsion-angle dynamics, and writes all models,\n"
        "superposed, best first. The same seed, backend and program give the same bytes with any\n"
        "number of threads.\n\n"
        "Example:\n"
        "  glycine fold restraints.nef -n 20 --seed 1 -o models.pdb");
}

/// Positions of the reference's atoms in the molecule's order; `which` keeps those that both have. Chains are
/// matched by name, or regardless of names if both have a single one.
std::vector<Vector> referencePositions(const Molecule& molecule, const std::vector<io::StructureAtom>& atoms,
                                       const std::string& name, std::vector<AtomIndex>& which) {
    std::vector<Vector> result(molecule.atoms.size());
    std::vector<AtomIndex> found;
    const bool isAlone = molecule.residues.front().chain == molecule.residues.back().chain &&
                         atoms.front().chain == atoms.back().chain;
    for (const AtomIndex a : which) {
        const Residue& residue = molecule.residues[molecule.atoms[a].residue];
        const std::string number = fmt::format("{}", residue.number);
        for (const io::StructureAtom& atom : atoms)
            if (atom.name == molecule.atoms[a].name && atom.residueNumber == number &&
                (isAlone || atom.chain == residue.chain)) {
                if (atom.residueName != residue.name)
                    throw InputError(fmt::format("{}: residue {} is {}; expected {} as in the sequence", name,
                                                 number, atom.residueName, residue.name));
                result[a] = {atom.position[0], atom.position[1], atom.position[2]};
                found.push_back(a);
                break;
            }
    }
    if (found.size() < 3)
        throw InputError(
            fmt::format("{}: has no backbone atoms (N, CA, C) of the residues that are compared", name));
    which = std::move(found);
    return result;
}

/// Residues that stay in place within the reference ensemble; empty if the reference is not an ensemble.
std::vector<std::size_t> steadyInReference(const Molecule& molecule, const io::Structure& reference) {
    std::vector<std::size_t> all(molecule.residues.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<AtomIndex> known = backboneAtoms(molecule, all);
    for (const auto& atoms : reference.ensemble) referencePositions(molecule, atoms, reference.name, known);
    std::vector<std::vector<Vector>> models;
    for (const auto& atoms : reference.ensemble)
        models.push_back(referencePositions(molecule, atoms, reference.name, known));
    return steadyResidues(molecule, models, known, kSteady);
}

/// For each residue, the mean over models of its distance violations; each end of a restraint gets one half.
std::vector<double> violationsByResidue(const FoldProblem& problem, std::span<const FoldedModel> models) {
    const Molecule& molecule = *problem.molecule;
    std::vector<double> result(molecule.residues.size());
    for (const FoldedModel& model : models)
        for (const RestraintViolation& one : violations(problem, model, 0)) {
            const AtomPair& pair = problem.restraints.distances[one.restraint].pairs[0];
            for (const AtomIndex a : {pair.first, pair.second})
                result[molecule.atoms[a].residue] +=
                    0.5 * std::abs(one.violation) / static_cast<double>(models.size());
        }
    return result;
}

std::vector<double> compare(std::vector<FoldedModel>& models, std::span<const Vector> onto,
                            std::span<const AtomIndex> which) {
    std::vector<double> result;
    for (FoldedModel& model : models) result.push_back(superpose(model.positions, onto, which));
    return result;
}

/// Superposes all models on the mean of the best ones, starting from the first.
std::vector<double> superposeOnMean(std::vector<FoldedModel>& models, std::size_t best,
                                    const std::vector<AtomIndex>& which) {
    std::vector<Vector> mean = models[0].positions;
    std::vector<double> result;
    for (int round = 0; round < 4; ++round) {
        result = compare(models, mean, which);
        mean.assign(mean.size(), {});
        for (std::size_t m = 0; m < best; ++m)
            for (const AtomIndex a : which)
                mean[a] += (1 / static_cast<double>(best)) * models[m].positions[a];
    }
    return result;
}

/// Evaluates each model, on all threads.
template <class Evaluate>
auto ofEach(const std::vector<FoldedModel>& models, const Evaluate& evaluate) {
    std::vector<decltype(evaluate(models[0]))> results(models.size());
    parallelFor(omp_get_max_threads(), models.size(),
                [&](std::size_t m, std::size_t) { results[m] = evaluate(models[m]); });
    return results;
}

int runFold(CommandContext& context, const Options& declared, RunOptions& options) {
    options.violations = takeTable(options.outputs, ".violations.tsv");
    options.picture = takePicture(options.outputs);
    if (declared.isGiven("--color") && options.picture.empty())
        throw UsageError("--color is about a picture; add one: -o FILE.png");
    for (const std::string& output : options.outputs)
        if (!io::isModelFile(output))
            throw UsageError(fmt::format(
                "-o: '{}' is no file of models; expected .pdb, .cif, .violations.tsv, or a picture: .png, "
                ".svg, .pdf",
                output));
    std::vector<fs::path> inputs(options.inputs.begin(), options.inputs.end());
    for (const std::string& file : {options.molecule.sequence, options.molecule.topology, options.reference})
        if (!file.empty()) inputs.emplace_back(file);
    std::vector<fs::path> outputs(options.outputs.begin(), options.outputs.end());
    for (const std::string& output : {options.picture, options.violations})
        if (!output.empty()) outputs.emplace_back(output);
    checkOutputFiles(outputs, inputs);
    checkBackendUse(declared, algorithm(), options.backend);
    TimeLine& times = context.times();
    times.end("startUp");

    RunReport report;
    std::vector<io::RestraintFile> files;
    for (const std::string& file : options.inputs) files.push_back(io::readRestraintFile(file));
    RestrainedMolecule read = readRestrainedMolecule(files, options.molecule);
    const Molecule& molecule = read.molecule;
    const RestraintSet& restraints = read.restraints;
    report.cis = std::move(read.cis);
    report.disulfides = std::move(read.disulfides);
    report.counts = std::move(read.counts);
    std::optional<io::Structure> reference;
    if (!options.reference.empty()) {
        io::StructureOptions reading;
        reading.model = options.referenceModel;
        reading.everyModel = options.ordered.empty();
        reference = io::readStructure(options.reference, reading);
    }
    // Rejected before the work starts.
    std::vector<std::size_t> ordered;
    if (!options.ordered.empty()) {
        ordered = parseRanges(molecule, options.ordered);
        report.orderedBy = "as given";
    } else if (reference && reference->ensemble.size() > 1) {
        ordered = steadyInReference(molecule, *reference);
        report.orderedBy = fmt::format("backbone RMSF of at most {} Å among the {} models of {}", kSteady,
                                       reference->ensemble.size(), reference->name);
    }
    times.end("read");

    const std::size_t count = options.folding.models;
    const EnergyRequest request{fromString<EnergyVariant>(options.backend.variant), count,
                                molecule.atoms.size()};
    const BackendChoice choice = selectBackend(
        declared, options.backend, [&](Backend& backend) { return supportsRequest(backend, request); });
    times.end("startUp");
    const ThreadsOf ofBackend(*choice.backend);
    report.check =
        checkRestraints(*choice.backend, options.backend, molecule, restraints, times, context.progress());
    context.clearProgressLine();
    if (!options.allowInconsistent && report.check.isRefused(options.violationTolerance))
        throw InputError(
            fmt::format("{}: the restraints contradict each other by more than {:g} Å: {}\n"
                        "--allow-inconsistent folds them all the same; `glycine bounds` with --explain N "
                        "shows more",
                        fmt::join(options.inputs, ", "), options.violationTolerance,
                        report.check.describeContradictions()));
    const FoldProblem problem(molecule, restraints, options.pull);
    FoldOptions folding = options.folding;
    const std::size_t steps = options.steps.value_or(defaultSteps(molecule));
    folding.hotSteps = steps / 5;
    folding.coolingSteps = steps - folding.hotSteps;
    FoldedEnsemble ensemble = foldUntilConverged(
        problem,
        [&](std::size_t some) {
            return startEnergy(*choice.backend, problem, some, options.backend.isUnchecked);
        },
        folding, omp_get_max_threads(), context.progress());
    std::vector<FoldedModel>& models = ensemble.models;
    report.startedAgain = ensemble.startedAgain;
    context.clearProgressLine();
    times.end("fold");
    StageRecount recount(*choice.backend, options.backend.isUnchecked, "model");
    recountModels(recount, *choice.backend, problem, models);
    report.recount = reportOf(recount);
    times.end("recount");

    report.options = &declared;
    report.times = &times;
    report.device = describeDevice(*choice.backend);
    report.stages = stagesOfFold(reference.has_value());
    report.backendReason = choice.reason;
    report.variant = findImplementation<EnergyEngine>(*choice.backend)->variants[0].name;
    report.input = fmt::format("{}", fmt::join(options.inputs, ", "));
    report.atoms = molecule.atoms.size();
    report.residues = molecule.residues.size();
    report.distances = restraints.distances.size();
    report.dihedrals = restraints.dihedrals.size();
    report.swappable = restraints.swappable.size();
    report.warnings = restraints.warnings;
    report.best = std::min(options.best, count);
    for (const FoldedModel& model : models) report.energies.push_back(model.energy);
    report.qualities = ofEach(models, [&](const FoldedModel& model) { return judge(problem, model); });
    const std::span<const FoldedModel> best = std::span(models).first(report.best);
    if (report.orderedBy.empty()) {
        ordered = orderedResidues(molecule, best);
        report.orderedBy = fmt::format("phi, psi and places agree among the {} best", report.best);
    }
    report.ordered = describeRanges(molecule, ordered);
    report.orderedCount = ordered.size();
    if (!ordered.empty()) {
        std::vector<AtomIndex> which = backboneAtoms(molecule, ordered);
        report.toMean = superposeOnMean(models, report.best, which);
        if (reference) {
            const std::vector<Vector> onto =
                referencePositions(molecule, reference->atoms, reference->name, which);
            report.toReference = compare(models, onto, which);
            std::erase_if(which, [&](AtomIndex a) { return molecule.atoms[a].name != "CA"; });
            report.likeReference = ofEach(models, [&](const FoldedModel& model) {
                return compareShapes(model.positions, onto, which);
            });
            report.reference = reference->name;
        }
    }
    report.violated =
        ofEach(models, [&](const FoldedModel& model) { return listViolations(problem, model); });
    context.progress().throwIfCancelled();
    times.end("summarize");

    ResidueColors colors;
    if (!options.picture.empty()) {
        if (options.color == ColoredBy::Violation) {
            colors = {violationsByResidue(problem, best), "violation, Å", 0, 0, false};
            colors.most = std::max(*std::max_element(colors.values.begin(), colors.values.end()), 0.01);
        } else {
            for (std::size_t r = 0; r < molecule.residues.size(); ++r)
                colors.values.push_back(static_cast<double>(r));
            colors.label = "residue";
            colors.most = static_cast<double>(molecule.residues.size() - 1);
            colors.areResidues = true;
        }
    }
    std::vector<std::vector<Vector>> positions;
    for (FoldedModel& model : models) positions.push_back(std::move(model.positions));
    const std::vector<std::string> remarks{
        fmt::format("FOLDED FROM NMR RESTRAINTS BY GLYCINE, SEED {}", folding.seed),
        "MODELS ASCEND BY THEIR TARGET FUNCTION"};
    for (const std::string& output : options.outputs) io::writeModels(output, molecule, positions, remarks);
    if (!options.violations.empty()) writeViolations(options.violations, report.violated);
    times.end("write");
    if (!options.picture.empty())
        drawEnsemble(options.picture, molecule, std::span(positions).first(report.best), colors,
                     {fmt::format("{}: the {} best of {} models",
                                  fs::path(options.inputs[0]).filename().string(), report.best, count),
                      fmt::format("{}, seed {}", describeBuild(), folding.seed)});
    times.end("draw");
    report.files = outputs;
    printRunReport(context, report, options.json);
    return 0;
}

CommandAction declareRun(Options& options) {
    auto run = std::make_shared<RunOptions>();
    declareOptions(options, *run);
    return [run, &options](CommandContext& context) { return runFold(context, options, *run); };
}

}  // namespace

}  // namespace glycine::structure

namespace glycine {

void register_fold();
void register_fold() {
    AlgorithmRegistry::instance().add(structure::algorithm());
    study::addSubject(structure::subject());
    CommandRegistry::instance().add({"", "fold", "Commands",
                                     "Fold a protein from NMR restraints: models in torsion angles",
                                     structure::declareRun});
    CommandRegistry::instance().add({"generate", "restraints", "",
                                     "Generate NMR restraints of a helix of any length, for fold",
                                     structure::declareGenerate});
}

}  // namespace glycine
