#include "engine/mutualinfo/network/check_network.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine::mutualinfo {

void checkRegulators(const Regulators& regulators, std::size_t genes) {
    if (!regulators.flags.empty())
        checkCount("the flags of regulators", regulators.flags.size(), genes, "one for each gene, or none");
}

void checkInference(const InferenceOptions& options, std::size_t genes, bool hasPaths) {
    checkKnown(options.method);
    checkNumber("the threshold of information", options.threshold,
                std::isfinite(options.threshold) && options.threshold >= 0, "a finite number of at least 0");
    if (!(options.tolerance >= 0 && options.tolerance < 1))
        throw UsageError(
            fmt::format("a tolerance of the data-processing inequality is at least 0 and below 1, "
                        "not {}",
                        options.tolerance));
    checkRegulators(options.regulators, genes);
    if (options.method == NetworkMethod::Aracne && !hasPaths)
        throw UsageError("the method aracne needs a path engine; there is none (createPathEngine)");
}

void checkConsensus(ExpressionView expression, const MutualInformationOptions& options,
                    const InferenceOptions& inference, bool hasPaths, const BootstrapPlan& plan,
                    std::size_t genesOfInformation) {
    if (plan.count == 0) throw UsageError("0 bootstraps; expected at least one");
    checkProbability("the significance of an edge", plan.significance);
    checkInformation(expression, options);
    checkCount("the genes of the information", genesOfInformation, expression.rows(), "those of the data");
    checkInference(inference, expression.rows(), hasPaths);
}

void checkTruth(std::span<const Edge> edges, const TruePairs& truth, std::size_t genes,
                const Regulators& regulators) {
    checkRegulators(regulators, genes);
    const auto check = [&](const char* what, std::size_t row, std::size_t column) {
        if (row >= genes || column >= row)
            throw UsageError(fmt::format("{} links genes {} and {}; expected two of the {}, the larger first",
                                         what, row, column, genes));
    };
    for (const Edge& edge : edges) check("an edge", edge.row, edge.column);
    for (const auto& [row, column] : truth) check("a true pair", row, column);
}

}  // namespace glycine::mutualinfo
