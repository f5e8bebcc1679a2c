#include <utility>

#include "app/alignment/align_options.hpp"
#include "app/pairwise/pair_recount.hpp"
#include "app/pairwise/scoring.hpp"
#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/newick.hpp"
#include "engine/trees/rooting.hpp"
#include "engine/trees/tree_algorithm.hpp"
#include "engine/trees/tree_engine.hpp"
#include "python/src/arrays.hpp"

namespace glycine::python {

namespace {

/// Reads names and letters as from a FASTA file, by way of FASTA text in memory. `seconds`: adds their time.
ReadSequences sequencesIn(const std::vector<std::string>& names, const std::vector<std::string>& letters,
                          SequenceReading reading, double& seconds) {
    constexpr std::string_view kEnds = "\r\n>";
    ReadSequences read;
    // Reading starts threads, which a forked process lacks.
    seconds += unlocked([&](Progress&) {
        std::string text;
        for (std::size_t i = 0; i < letters.size(); ++i) {
            if (names[i].find_first_of(" \t\r\n\v\f") != std::string::npos)
                throw InputError(fmt::format("the name '{}' has blanks; expected one word", names[i]));
            if (letters[i].find_first_of(kEnds) != std::string::npos)
                throw InputError(
                    fmt::format("sequence {} ('{}') has the end of a line or '>'; expected letters and gaps",
                                i + 1, names[i]));
            text += fmt::format(">{}\n{}\n", names[i], letters[i]);
        }
        io::TextStream stream(io::openMemory(std::as_bytes(std::span(text)), "sequences"));
        read = readSequences(stream, reading);
    });
    return read;
}

py::tuple pairwiseOf(const std::vector<std::string>& names, const std::vector<std::string>& letters,
                     const py::dict& given) {
    using namespace pairwise;
    Keywords keywords(given);
    Request request(keywords, pairwiseAlgorithm());
    request.readFormat(keywords);
    PairwiseOptions options;
    ScoringRequest scoring;
    SequenceReading reading;
    Options declared;
    declareScoringOptions(declared, scoring);
    declareTileOption(declared, options.tile);
    keywords.parse(declared, {"matrix", "gap_open", "gap_extend", "method", "tile"});
    keywords.read("measure", options.measure, "alphabet", reading.alphabet);
    checkScoringOptions(declared, scoring, options.measure);
    PairTarget result(keywords);
    keywords.finish();
    double readSeconds = 0;
    const ReadSequences read = sequencesIn(names, letters, reading, readSeconds);
    const Sequences& sequences = read.sequences;
    options.scoring = scoringOf(scoring, sequences.alphabet);
    options.variant = fromString<Variant>(request.variant);
    result.settle(sequences.size(), options.measure == PairMeasure::Score ? pairs::ValueType::Int32
                                                                          : pairs::ValueType::Float64);
    PairwiseReport report;
    std::optional<RecountReport> counted;
    Computed computed = compute(
        request, [&](Backend& backend) { return supportsPairwise(backend, sequences, options); },
        [&](Backend& backend, Progress& progress) {
            pairs::PairStore& store = result.openOnHost(0, diagonalOf(sequences, options));
            report = computePairwise(backend, sequences, options, store, progress);
            Recount recount(backend, request, "pair", "with reference and cpu");
            recountPairs(recount, {sequences, options, report.variant, report.times.total(), store},
                         progress);
            counted = recount.report();
        });
    computed.seconds += readSeconds;
    py::dict run = describe(report, computed, counted);
    addItems(run, "measure", options.measure, "alphabet", sequences.alphabet, "cells", report.cells, "notes",
             read.notes, "is_similarity",
             options.measure == PairMeasure::Score || options.measure == PairMeasure::Identity);
    return py::make_tuple(result.array(), run);
}

py::dict dictOf(const MultipleAlignment& alignment) {
    py::dict result;
    result["names"] = alignment.names;
    result["rows"] = alignment.rows;
    result["order"] = alignment.order;
    result["confidence"] = arrayOf(alignment.confidence);
    std::vector<double> residues;
    for (std::size_t row = 0; row < alignment.residueConfidence.size(); ++row)
        std::ranges::copy(confidenceOfRow(alignment, row), std::back_inserter(residues));
    const std::size_t columns = residues.empty() ? 0 : alignment.columns();
    result["residue_confidence"] =
        arrayOf(std::move(residues), {alignment.residueConfidence.size(), columns});
    result["alphabet"] = std::string(toString(alignment.alphabet));
    result["tree"] =
        alignment.hasGuideTree()
            ? py::cast(trees::newickTree(alignment.guideTree, alignment.names, trees::NewickForm::RoundTrip))
            : py::object(py::none());
    return result;
}

py::tuple alignmentOf(const std::vector<std::string>& names, const std::vector<std::string>& letters,
                      const py::dict& given) {
    using namespace align;
    Keywords keywords(given);
    AlignRun run;
    AlignOptions& options = run.options;
    Options declared;
    declareAlignOptions(declared, run);
    declared.remove("--output");
    keywords.parse(declared,
                   {"method", {"tree_method", "--guide-tree"}, "budget", "alphabet", "tile", "variant"});
    refuseLackedOptions(declared, run);
    keywords.read("consistency", options.consistencyRounds, "refinements", options.refinements, "seed",
                  options.seed);
    const bool alignsPairs =
        options.method != AlignMethod::Auto && methodOf(options.method).traits().alignsPairs;
    Request request(keywords, alignsPairs ? pairwise::pairwiseAlgorithm() : alignAlgorithm());
    request.readFormat(keywords);
    keywords.finish();
    options.variant = fromString<pairwise::Variant>(request.variant);
    double readSeconds = 0;
    const ReadSequences read = sequencesIn(names, letters, run.reading, readSeconds);
    const Sequences& sequences = read.sequences;
    AlignmentResult result;
    pairs::RunOutcome outcome;
    Seconds stages;
    std::optional<RecountReport> counted;
    Computed computed = compute(
        request, [&](Backend& backend) { return supportsAlignment(backend, sequences, options); },
        [&](Backend& backend, Progress& progress) {
            Recount recount(backend, request, "pair", "with reference and cpu");
            options.recount = &recount;
            if (alignsPairs) {
                const pairwise::PairwiseOptions pairwise = pairsOf(sequences, options);
                pairs::PairStore store({.layout = {sequences.size(), pairs::StoreLayout::Triangle}});
                const auto pairs = pairwise::computePairwise(backend, sequences, pairwise, store, progress);
                stages = {{"pairs", pairs.times.total()}};
                outcome.variant = pairs.variant;
                recount.enter("pairs", "distance", pairs.variant);
                pairwise::recountPairs(
                    recount, {sequences, pairwise, pairs.variant, pairs.times.total(), store}, progress);
                options.distances = distancesOf(sequences, options.method, store);
            }
            result = computeAlignment(backend, sequences, options, progress);
            counted = recount.report();
            outcome.backend = backend.name();
            outcome.device = backend.device();
        });
    computed.seconds += readSeconds;
    if (!alignsPairs) outcome.variant = result.report.variant;
    stages.insert(stages.end(), result.report.stages.begin(), result.report.stages.end());
    py::dict facts = describe(outcome, computed, counted, stages);
    addItems(
        facts, "note", result.report.note, "method",
        result.report.choice ? result.report.choice->method : options.method, "choice",
        result.report.choice ? py::object(py::str(result.report.choice->reason)) : py::object(py::none()),
        "notes", read.notes);
    return py::make_tuple(dictOf(result.alignment), facts);
}

py::dict readRows(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    AlignmentReading reading;
    keywords.read("alphabet", reading.alphabet);
    keywords.finish();
    ReadAlignment read;
    unlocked([&](Progress&) { read = readAlignment(path, reading); });
    return dictOf(read.alignment);
}

/// Returns (names, letters, alphabet, notes).
py::tuple readLetters(const std::string& path, const py::dict& given) {
    Keywords keywords(given);
    SequenceReading reading;
    reading.fewest = 1;
    keywords.read("alphabet", reading.alphabet);
    keywords.finish();
    ReadSequences read;
    unlocked([&](Progress&) { read = readUnaligned(path, reading); });
    return py::make_tuple(read.sequences.names, read.sequences.letters,
                          std::string(toString(read.sequences.alphabet)), read.notes);
}

/// Distances of an alignment's rows, below the diagonal: (1,0), (2,0), (2,1), …
py::array rowDistances(const std::vector<std::string>& names, const std::vector<std::string>& rows,
                       const py::dict& given) {
    Keywords keywords(given);
    SequenceReading reading;
    reading.areAligned = true;
    align::AlignmentDistanceOptions options;
    keywords.read("alphabet", reading.alphabet, "correction", options.correction, "leave_out_gaps",
                  options.leavesOutGaps);
    keywords.finish();
    double seconds = 0;
    Sequences sequences = sequencesIn(names, rows, reading, seconds).sequences;
    MultipleAlignment alignment;
    alignment.alphabet = sequences.alphabet;
    alignment.names = std::move(sequences.names);
    alignment.rows = std::move(sequences.letters);
    std::vector<double> distances;
    unlocked(
        [&](Progress& progress) { distances = align::alignmentDistances(alignment, options, {}, progress); });
    return arrayOf(std::move(distances));
}

/// The distances below the diagonal, row by row. `given`: these already, or a square of all pairs.
std::vector<double> belowDiagonal(const py::array& given) {
    if (given.ndim() == 1) {
        const py::array_t<double, py::array::c_style | py::array::forcecast> values(given);
        return {values.data(), values.data() + values.size()};
    }
    const NumpyMatrix<double> square = matrixOf<double>("the distances", given);
    const MatrixView<const double> values = square.view;
    requireAllPairs("the distances", values);
    std::vector<double> distances;
    unlocked([&](Progress& progress) {
        distances.reserve(values.rows() * (std::max<std::size_t>(values.rows(), 1) - 1) / 2);
        for (std::size_t i = 0; i < values.rows(); ++i) {
            progress.throwIfCancelled();
            distances.insert(distances.end(), values.row(i), values.row(i) + i);
        }
    });
    return distances;
}

/// Returns (Newick text, facts about the run) of a tree from distances of all pairs, or below the diagonal.
py::tuple tree(const std::vector<std::string>& names, const py::array& given, const py::dict& how) {
    Keywords keywords(how);
    Request request(keywords, trees::treeAlgorithm());
    request.readFormat(keywords);
    trees::TreeMethod method = trees::TreeMethod::NeighbourJoining;
    keywords.read("method", method);
    const bool isMidpoint = keywords.flag("midpoint");
    keywords.finish();
    std::vector<double> distances = belowDiagonal(given);
    if (names.size() * (names.size() - 1) / 2 != distances.size())
        throw UsageError(fmt::format("{} names; expected one for each leaf", names.size()));
    pairs::requireDistinctNames("names", "sequence", names);
    std::string reason;
    if (request.backend.empty() && request.variant == "default") reason = trees::reasonForHost(names.size());
    if (!reason.empty()) request.backend = "cpu";
    pairs::RunOutcome outcome;
    std::string text;
    Seconds stages;
    std::optional<RecountReport> counted;
    Computed computed = compute(
        request, [&](Backend& backend) { return trees::supportsTrees(backend, request.variant); },
        [&](Backend& backend, Progress& progress) {
            Recount recount(backend, request, "round", "on the host");
            trees::TreeDevice device(backend, &recount);
            device.takeSmallTrees();
            const Stopwatch watch;
            trees::Tree made =
                trees::treeOfDistances(method, names.size(), std::move(distances), progress, &device);
            if (isMidpoint) made = trees::rootAtMidpoint(made);
            stages = {{"tree", watch.seconds()}};
            text = trees::newickTree(made, names, trees::NewickForm::RoundTrip);
            counted = recount.report();
            outcome.backend = backend.name();
            outcome.device = backend.device();
            outcome.variant = trees::treeVariantOn(backend);
        });
    if (!reason.empty()) computed.reason = reason;
    return py::make_tuple(text, describe(outcome, computed, counted, stages));
}

const Function sequenceFunctions[] = {{"pairwise", &pairwiseOf},        {"align", &alignmentOf},
                                      {"read_rows", &readRows},         {"read_letters", &readLetters},
                                      {"row_distances", &rowDistances}, {"tree", &tree}};

}  // namespace

}  // namespace glycine::python
