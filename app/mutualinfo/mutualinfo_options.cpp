#include "app/mutualinfo/mutualinfo_options.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo {

namespace {

Option& isForExpression(Option& option) {
    return option.readBy("content", {"expression"}, "expression matrices");
}

}  // namespace

void declareEstimatorOptions(Options& options, MutualInformationOptions& information,
                             const std::string& defaultOrder) {
    Heading heading(options, "Estimator");
    heading.decidesResults();
    SplineOptions& splines = information.splines;
    const auto isForSplines = [](Option& option) {
        isForExpression(option).readBy("estimator", {"spline"}, "splines");
    };
    const auto isForInformation = [](Option& option) {
        isForExpression(option).readBy("estimator", {"spline", "bins"}, "mutual information");
    };
    isForInformation(options.value("--bins R", splines.bins, "Number of bins per gene").positive().basic());
    isForSplines(options
                     .value("--spline-order K", splines.order,
                            "Order of the splines, less than the number of bins: a value counts in this many "
                            "neighbouring bins; 1: plain binning")
                     .byDefault(defaultOrder)
                     .positive()
                     .formerly("--order"));
    isForSplines(
        options.choice("--knots KNOTS", splines.knots,
                       "Knots: clamped (as in the paper and TINGe) or uniform (as in Daub's R program)"));
    isForInformation(
        options
            .choice("--rank RULE", splines.transform,
                    "Replace the values of each gene by their ranks first: none, average\n(ties share their "
                    "rank), ordinal (ties follow the order of the samples, as in TINGe)")
            .withoutValue("average")
            .basic());
    isForInformation(options.choice("--unit UNIT", information.unit, "Unit of the result: bits or nats"));
}

void declareGapOptions(Options& options, GapOptions& gaps) {
    Heading heading(options, "Gaps");
    heading.decidesResults();
    options
        .choice("--gaps RULE", gaps.rule,
                "Estimates for pairs with missing samples: standardised, or raw\n(standardised: by "
                "independent genes with as many common samples, so that pairs are comparable; raw: biased "
                "upwards, the more the fewer samples)")
        .basic()
        .readBy("content", {"expression"}, "expression matrices")
        .readBy("estimator", {"spline", "bins"}, "mutual information");
    options
        .value("--min-overlap N", gaps.minOverlap,
               "Minimum number of samples common to a pair; other pairs have no value")
        .byDefault("min(2 R, max(12, M/2), M) of M samples and R bins if standardised, else 1")
        .positive()
        .readBy("content", {"expression"}, "expression matrices");
}

void requireReadersOf(const Options& declared, Estimator estimator) {
    const std::string name(toString(estimator));
    declared.requireReaders({"estimator", {name}, fmt::format("the estimator is {}", name)});
}

void declareExpressionOptions(Options& options, io::ExpressionReading& reading) {
    const Heading heading(options, "Input");
    options
        .choice("--duplicates RULE", reading.duplicates,
                "Genes with the same name: refuse, or max-variance (keep the most variable)")
        .decidesResult()
        .readBy("input", {"table", "anndata"}, "tables, .h5ad and .loom files");
    isForExpression(
        options
            .choice("--missing RULE", reading.missing,
                    "Missing values: pairwise, mean, median, drop-samples, drop-genes\n(left out pair by "
                    "pair, replaced by their gene's mean or median, or left out with their samples or genes)")
            .decidesResult()
            .basic());
    addTableOptions(options, {reading.header, reading.transpose},
                    "Tables: presence of a header line: auto, yes or no",
                    "Tables, .npy and .h5: genes are columns");
    options
        .value("--layer NAME", reading.layer,
               ".h5ad, .loom: layer of the values; .h5ad, raw: raw/X with its genes")
        .byDefault("X")
        .decidesResult()
        .readBy("input", {"anndata"}, ".h5ad and .loom files");
    options
        .value("--dataset NAME", reading.dataset,
               ".h5, .hdf5: path of the matrix in the file: expression/values")
        .byDefault("the only one")
        .decidesResult()
        .readBy("input", {"hdf5"}, ".h5 and .hdf5 files");
}

void requireReadersOf(const Options& declared, const std::filesystem::path& file, const std::string& input) {
    const io::ExpressionFamily family = io::expressionFamily(file);
    declared.requireReaders({"input", family.readers(), fmt::format("{} is {}", input, family.words)});
}

WeightPrecision precisionOn(const Backend& backend, const BackendRequest& request,
                            std::optional<WeightPrecision> requested) {
    return requested.value_or(request.backend.empty() ? WeightPrecision::Float64 : defaultPrecision(backend));
}

namespace {

constexpr double kAracneP = 1e-5;
/// Maximum number of edges in a picture; their layout takes about a minute.
constexpr std::size_t kMaxDrawn = 2000;

void declareMethodOptions(Options& options, NetworkOptions& run) {
    const Heading heading(options, "Network");
    options
        .choice(
            "--method METHOD", run.inference.method,
            "mi (the mutual information itself), aracne (without indirect edges), clr, mrnet, consensus "
            "(of clr and mrnet), correlation, partial, forest\n(clr: z-scores among the pairs of either "
            "gene, without the gene itself, of deviations with divisor n: √(z² + z²), z < 0 as 0; without "
            "information: correlation, absolute, of ranks unless --rank none; partial, the same of shrunk "
            "partial correlations; forest, regression by random forests, GENIE3)")
        .basic();
    options
        .value("--pvalue P", run.p,
               "Maximum probability that independent genes reach an edge's mutual information")
        .byDefault("1e-5 for aracne, else all pairs")
        .above(0, 1)
        .basic()
        .readBy("content", {"expression"}, "expression matrices");
    options
        .value("--threshold I", run.threshold, "Minimum mutual information of an edge, in the unit of --unit")
        .notNegative();
    options
        .choice("--null MODEL", run.nullModel,
                "Null distribution of --pvalue: permutation (of the samples of each gene), analytic (of "
                "ranks), aracne (the constants that ARACNE prints: for comparisons only)")
        .byDefault("analytic for ranks with few ties and no gaps, else permutation")
        .readBy("content", {"expression"}, "expression matrices");
    options.value("--null-pairs N", run.nullPairs, "Number of pairs of permuted genes")
        .byDefault("10 / P, at least 100,000")
        .positive()
        .readBy("content", {"expression"}, "expression matrices");
    options
        .value("--dpi TAU", run.inference.tolerance,
               "Tolerance of the data-processing inequality: an edge is removed if both edges through "
               "another gene have its information divided by 1 − TAU")
        .within(0, 1)
        .readBy("method", {"aracne"});
    options
        .value("--selections L", run.inference.selections,
               "Genes that mrnet selects one by one per target\n(all others are scored at once, by their "
               "mean redundancy with these)")
        .positive()
        .readBy("method", {"mrnet", "consensus"});
    options.value("--trees N", run.forest.trees, "Number of trees per target")
        .positive()
        .readBy("method", {"forest"});
    options
        .value("--node-candidates K", run.forest.candidates,
               "Number of regulators that a node of a tree chooses from")
        .byDefault("the square root of their number")
        .positive()
        .readBy("method", {"forest"});
    options
        .value("--tf FILE", run.regulators,
               "Genes that may regulate others, one name per line\n(other pairs are no edges, and the "
               "data-processing inequality applies only to paths through these)")
        .basic();
    options.value("--top N", run.inference.most, "Number of best edges to keep")
        .byDefault("all")
        .positive()
        .basic();
    options
        .value(
            "--bootstraps N", run.bootstraps.count,
            "Number of networks of bootstrap samples\n; only edges in significantly many of them are written")
        .byDefault("none")
        .positive()
        .basic()
        .readBy("method", {"aracne", "mi"})
        .readBy("content", {"expression"}, "expression matrices");
    options
        .value("--significance P", run.bootstraps.significance,
               "Significance level of bootstrap edges, Bonferroni-corrected for all pairs")
        .within(0, 1)
        .onlyWith("--bootstraps");
    options.value("--seed S", run.seed, "Random seed of permutations, bootstraps and trees")
        .readBy("content", {"expression"}, "expression matrices");
    options
        .value("--gold FILE", run.truth,
               "Compare with true edges, two genes per line: AUPR, AUROC\n, true and false edges")
        .basic();
}

void declareComputationOptions(Options& options, NetworkOptions& run) {
    const Heading heading(options, "Computation");
    addBackendChoice(options, run.backend, {algorithm()});
    options
        .value("--tile N", run.information.tile,
               "Side of the tiles in which mutual information is computed and stored")
        .byDefault("depends on the backend")
        .positive();
    options.choice("--precision P", run.precision, "Precision of the information, as in glycine mutualinfo")
        .decidesResult()
        .readBy("content", {"expression"}, "expression matrices");
    addRestartOption(options, run.restart);
}

}  // namespace

void declareNetworkOptions(Options& options, NetworkOptions& run) {
    options
        .value("INPUT", run.input,
               "Expression matrix, as glycine mutualinfo reads it; with --matrix, mutual information that it "
               "wrote: .npy, .npz, .csv, .tsv")
        .required();
    options
        .value("-o,--output NET", run.outputs,
               "Output, by file ending: .tsv, .csv (ranked edges), .scenic.tsv, .scenic.csv (TF, target, "
               "importance, as pySCENIC reads them), .graphml, .sif (Cytoscape), .adj (ARACNE); a picture of "
               "the best edges: .png, .svg, .pdf\n(- is .tsv to standard output; can be given several times)")
        .repeated()
        .required()
        .notASetting()
        .formerly("--png", "-o FILE.png");
    options.value("--drawn-edges N", run.drawnEdges, "Maximum number of edges in the picture")
        .within(1, kMaxDrawn)
        .advanced()
        .formerly("--png-edges");
    options
        .value("--groups FILE", run.groups,
               "Table of genes and labels, such as modules: colours of the picture, and in .graphml")
        .advanced();
    addJsonOption(options, run.json);
    declareMethodOptions(options, run);
    declareEstimatorOptions(options, run.information,
                            "3; 4 where values are missing and --gaps is standardised");
    declareGapOptions(options, run.gaps);
    declareComputationOptions(options, run);
    {
        const Heading heading(options, "Input");
        options.flag("--matrix", run.isMatrix, "Read a symmetric matrix of mutual information").basic();
        options.lacks(
            "--part",
            "compute the mutual information in parts (glycine mutualinfo INPUT --rank average -o MI.npy "
            "--part K/N), merge them (glycine merge MI.npy.part-*), and give the matrix to glycine network "
            "MI.npy --matrix");
    }
    declareExpressionOptions(options, run.reading);
    addBackendOptions(options, run.backend.device);
    options.footer(
        "Without --pvalue, --threshold and --top, all pairs with a score above 0 are ranked. Mutual\n"
        "information has no direction; with --tf, the regulator precedes its target. A matrix\n"
        "(--matrix) does not contain the number of samples of each pair. If the data have gaps, write\n"
        "the matrix by glycine mutualinfo with --gaps standardised.\n\n"
        "Examples:\n"
        "  glycine network expression.tsv.gz -o net.tsv --top 10000\n"
        "  glycine network expression.tsv.gz -o net.graphml --method aracne --tf factors.txt --bootstraps "
        "100\n"
        "  glycine network mi.npy --matrix -o net.tsv --method clr --gold known.tsv");
}

void checkNetworkOptions(const Options& declared, NetworkOptions& run) {
    const std::string method(toString(run.inference.method));
    declared.requireReaders({"method", {method}, fmt::format("--method is {}", method)});
    declared.requireReaders({"content",
                             {run.isMatrix ? "matrix" : "expression"},
                             fmt::format("{} is mutual information (--matrix)", run.input)});
    if (!isOfInformation(run.inference.method))
        for (const char* const option : {"--bins", "--spline-order", "--knots", "--unit", "--gaps"})
            if (declared.isGiven(option))
                throw UsageError(fmt::format("{} is for mutual information, which --method {} does not use",
                                             option, method));
    checkNetworkOptions(run);
}

void checkNetworkOptions(NetworkOptions& run) {
    const NetworkMethod method = run.inference.method;
    if (!isOfInformation(method) && (run.isMatrix || run.p))
        throw UsageError(fmt::format("{} is for mutual information, which --method {} does not use",
                                     run.isMatrix ? "--matrix" : "--pvalue", toString(method)));
    if (!isOfInformation(method)) run.gaps.rule = GapRule::Raw;
    run.forest.seed = run.seed;
    if (run.p && run.threshold)
        throw UsageError("--pvalue and --threshold exclude each other: both say what an edge needs");
    if (run.p && !(*run.p > 0 && *run.p < 1))
        throw UsageError(fmt::format("--pvalue: {}; expected a probability above 0 and below 1", *run.p));
    if (!(run.inference.tolerance >= 0 && run.inference.tolerance < 1))
        throw UsageError(fmt::format("--dpi: {}; expected a tolerance of at least 0 and below 1",
                                     run.inference.tolerance));
    if (!run.p && !run.threshold && !run.isMatrix && run.inference.method == NetworkMethod::Aracne)
        run.p = kAracneP;
    if (run.bootstraps.count > 0 && !run.p && !run.threshold)
        throw UsageError(
            "--bootstraps needs --pvalue or --threshold: without a limit, every network has the edges of all "
            "pairs");
    if (!run.p && (run.nullModel || run.nullPairs))
        throw UsageError(fmt::format("{} needs --pvalue", run.nullModel ? "--null" : "--null-pairs"));
    if (run.nullPairs && run.nullModel && *run.nullModel != NullModel::Permutation)
        throw UsageError("--null-pairs is for --null permutation");
    if (run.nullModel == NullModel::Analytic && run.information.splines.transform == Transform::None)
        throw UsageError("--null analytic is for ranks: give --rank, or --null permutation");
}

}  // namespace glycine::mutualinfo
