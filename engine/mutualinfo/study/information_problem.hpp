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

/// Backends against the reference, within allowedDifference().
namespace glycine::mutualinfo {

struct ExpressionNetworkOptions {
    MutualInformationOptions information{};  ///< in bits
    GapOptions gaps{};
    NullModel null = NullModel::Analytic;  ///< not Permutation
    double p = 1e-5;                       ///< what independent genes may reach the threshold with
    /// But the threshold, which follows from the P-value.
    InferenceOptions inference{.method = NetworkMethod::Aracne, .tolerance = 0.01};
};

struct ExpressionNetwork {
    std::optional<GapCorrection> correction;
    std::unique_ptr<pairs::PairStore> information;  ///< corrected for gaps, and tied (TiedInformation)
    InferenceOptions inference;                     ///< with its threshold
    Network network;
    MutualInformationReport report;
    double informationSeconds = 0;
    double networkSeconds = 0;
};

/// A network of expression, in one call: information, threshold and inference, all of it in memory, 8 bytes
/// for each of genes × genes. `paths` as inferNetwork has it. Throws UsageError for permutations, and
/// as computeMutualInformation and inferNetwork do.
ExpressionNetwork networkOfExpression(Backend& backend, ExpressionView expression,
                                      const ExpressionNetworkOptions& options, PathEngine* paths,
                                      Progress& progress);

/// Some pairs of the information beside the reference's, and all edges beside those that it finds in the same
/// information. `found`: of these options.
Comparison compareWithReference(const ExpressionNetwork& found, ExpressionView expression,
                                const ExpressionNetworkOptions& options, Progress& progress);

/// Shared by problems.
using StudyExpression = io::ExpressionTable;

/// Of large data, all pairs among so many genes are computed again.
inline constexpr std::size_t kCheckedGenes = 16;

/// What is counted as work: N² · M, or N² · M · R², where the kernels of a run that tells them are stages,
/// too.
enum class Work { Samples, Products };
/// All pairs of the genes. `checked`: of so many genes (the first, the last, others drawn with `seed`) all
/// pairs are compared; 0: of all.
std::unique_ptr<study::Problem> informationProblem(std::shared_ptr<const StudyExpression> expression,
                                                   const SplineOptions& splines, std::size_t checked = 0,
                                                   std::uint64_t seed = 1, Work work = Work::Samples);

/// A network that is to be inferred from expression whose truth is known. Precision and variant are those of
/// the configuration.
struct NetworkCase {
    std::string method;  ///< "TINGe"
    std::shared_ptr<const StudyExpression> expression;
    std::shared_ptr<const TruePairs> truth;
    ExpressionNetworkOptions options{};
};
/// Scores: TP, FP, FN (edges), sensitivity, specificity, precision. Information of some pairs is compared
/// with the reference's, and the edges with those that the reference finds in the same information.
std::unique_ptr<study::Problem> networkProblem(NetworkCase input);

/// Tables 2 to 5 of the paper.
std::vector<study::PublishedFigure> publishedFigures();

/// `mutualinfo` as the study harness sees it.
std::unique_ptr<study::Subject> subject();

}  // namespace glycine::mutualinfo
