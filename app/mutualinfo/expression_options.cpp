#include "app/mutualinfo/expression_options.hpp"

#include "engine/command/common_options.hpp"

namespace glycine::mutualinfo {

namespace {

Option& isForExpression(Option& option) {
    return option.readBy("content", {"expression"}, "expression matrices");
}

}  // namespace

void declareEstimatorOptions(Options& options, MutualInformationOptions& information,
                             const std::string& usualOrder) {
    Heading heading(options, "Estimator");
    heading.decidesResults();
    SplineOptions& splines = information.splines;
    const auto isForSplines = [](Option& option) {
        isForExpression(option).readBy("estimator", {"spline"}, "splines");
    };
    const auto isForInformation = [](Option& option) {
        isForExpression(option).readBy("estimator", {"spline", "bins"}, "mutual information");
    };
    options.choice(
        "--estimator E", splines.estimator,
        "Mutual information by B-splines (spline) or plain bins (bins: order 1); for comparison the "
        "correlation r of values (pearson) or of their ranks (spearman)");
    isForInformation(options.value("--bins R", splines.bins, "Number of bins of each gene").positive());
    isForSplines(options
                     .value("--order K", splines.order,
                            "Order of the splines, below the number of bins: a value counts in so many "
                            "neighbouring bins; 1: plain binning")
                     .byDefault(usualOrder)
                     .positive());
    isForSplines(options.choice("--knots KNOTS", splines.knots,
                                "clamped (as the paper and TINGe) or uniform (as Daub's program for R)"));
    isForInformation(
        options
            .choice("--rank RULE", splines.transform,
                    "Replace the values of each gene by their ranks first: none, average (equal values share "
                    "their rank), ordinal (they follow the order of the samples, as in TINGe)")
            .withoutValue("average"));
    isForInformation(options.choice("--unit UNIT", information.unit, "bits or nats"));
}

void declareExpressionOptions(Options& options, io::ExpressionReading& reading) {
    const Heading heading(options, "Input");
    options
        .choice("--duplicates RULE", reading.duplicates,
                "Genes of one name: refuse, or max-variance: keep the one that varies most")
        .decidesResult()
        .readBy("input", {"table", "anndata"}, "tables and .h5ad files");
    isForExpression(options
                        .choice("--missing RULE", reading.missing,
                                "Missing values: left out pair by pair (pairwise), filled with their gene's "
                                "mean or median, or left out with their samples or genes (drop-samples, "
                                "drop-genes)")
                        .decidesResult());
    addTableOptions(options, {reading.header, reading.transpose},
                    "Tables: whether there is a header line: auto, yes, no",
                    "Tables, .npy and .h5: genes are columns");
    options
        .value("--layer NAME", reading.layer,
               ".h5ad: the values of this layer, or raw: those of raw/X with its genes")
        .byDefault("X")
        .decidesResult()
        .readBy("input", {"anndata"}, ".h5ad files");
    options
        .value("--dataset NAME", reading.dataset, ".h5, .hdf5: the matrix within the file: expression/values")
        .byDefault("the only one")
        .decidesResult()
        .readBy("input", {"hdf5"}, ".h5 and .hdf5 files");
}

Precision precisionOn(const Backend& backend, const BackendRequest& request, std::optional<Precision> asked) {
    return asked.value_or(request.backend.empty() ? Precision::Float64 : usualPrecision(backend));
}

}  // namespace glycine::mutualinfo
