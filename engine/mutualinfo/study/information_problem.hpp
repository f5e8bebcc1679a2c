#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/comparison.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "engine/study/subject.hpp"

/// Compares backends with the reference, within allowedDifference().
namespace glycine::mutualinfo {

struct ExpressionNetworkOptions {
    MutualInformationOptions information{};  ///< in bits
    GapOptions gaps{};
    NullModel null = NullModel::Analytic;  ///< not Permutation
    double p = 1e-5;                       ///< P-value of independent genes at the threshold
    /// All settings except the threshold, which follows from the P-value.
    InferenceOptions inference{.method = NetworkMethod::Aracne, .tolerance = 0.01};
};

struct ExpressionNetwork {
    std::optional<GapCorrection> correction;
    std::unique_ptr<pairs::PairStore> information;  ///< corrected for gaps, and tied (TiedInformationSink)
    InferenceOptions inference;                     ///< with the threshold that was used
    Network network;
    MutualInformationReport report;
    double informationSeconds = 0;
    double networkSeconds = 0;
};

/// Infers a network from expression in one call: information, threshold and inference, all in memory, with 8
/// bytes for each of genes × genes in float64, else 4. `paths`: as for inferNetwork. Throws UsageError for
/// permutations, and as computeMutualInformation and inferNetwork do.
ExpressionNetwork networkOfExpression(Backend& backend, ExpressionView expression,
                                      const ExpressionNetworkOptions& options, PathEngine* paths,
                                      Progress& progress);

/// Compares some pairs of the information with the reference's, and all edges with those that the reference
/// finds in the same information. `found`: computed with these options.
Comparison compareWithReference(const ExpressionNetwork& found, ExpressionView expression,
                                const ExpressionNetworkOptions& options, Progress& progress);

/// For large data, the reference recomputes all pairs among this many genes.
inline constexpr std::size_t kCheckedGenes = 16;

/// The unit of work: N² · M, or N² · M · R². With the latter, the kernels of a run are also reported as
/// stages.
enum class Work { Samples, Products };
/// All pairs of the genes. `checked`: the number of genes (the first, the last, others drawn with `seed`)
/// among which all pairs are compared; 0: all.
std::unique_ptr<study::Problem> informationProblem(std::shared_ptr<const io::ExpressionTable> expression,
                                                   const SplineOptions& splines, std::size_t checked = 0,
                                                   std::uint64_t seed = 1, Work work = Work::Samples);

/// Network inference from expression with a known truth. Precision and variant come from the configuration.
struct NetworkCase {
    std::string method;  ///< "TINGe"
    std::shared_ptr<const io::ExpressionTable> expression;
    std::shared_ptr<const TruePairs> truth;
    ExpressionNetworkOptions options{};
};
/// Scores: TP, FP, FN (edges), sensitivity, specificity, precision. Compares information of some pairs with
/// the reference's, and the edges with those that the reference finds in the same information.
std::unique_ptr<study::Problem> networkProblem(NetworkCase input);

/// Tables 2 to 5 of the paper.
std::vector<study::PublishedFigure> publishedFigures();

/// `mutualinfo` as the study harness sees it.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::mutualinfo
