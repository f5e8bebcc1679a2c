#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"

/// Simulates expression from a gene regulatory network with known edges, identically on every machine.
///
/// Topology. Some genes are transcription factors; each other gene has at least one factor as regulator. The
/// number of regulators per gene falls off exponentially, the number of genes per factor by a power law (R.
/// Albert, "Scale-free networks in cell biology", J. Cell Science 118 (2005) 4947–4957). Factors are drawn
/// with weights (i + T/20)^(−1/(γ − 1)), γ = 2.2, for T factors (K.-I. Goh, B. Kahng, D. Kim, "Universal
/// behavior of load distribution in scale-free networks", Phys. Rev. Lett. 87 (2001) 278701). T/20 keeps the
/// first factor from regulating a quarter of all genes. Factors regulate each other without cycles, so there
/// is one steady state.
///
/// Kinetics. Transcription as in P. Mendes, W. Sha, K. Ye, "Artificial gene networks for objective comparison
/// of analysis algorithms", Bioinformatics 19 Suppl 2 (2003) ii122–ii129. At steady state the level of gene i
/// is x_i = V_i Π 1/(1 + (x_j/K_ij)^n_ij) Π (1 + f (x_j/K_ij)^n_ij / (1 + (x_j/K_ij)^n_ij)) over inhibitors
/// and activators j, with f = 9 (1 in the paper, where a gene can at most double).
///
/// Noise. V_i varies log-normally among samples. The standard deviation of ln V is `variation`, or 1 for
/// genes without regulators, which drive the network. A value is log₂ x with normal noise, which corresponds
/// to noise that grows with the intensity.
///
/// Cells. The model of L. Zappia, B. Phipson, A. Oshlack, "Splatter: simulation of single-cell RNA sequencing
/// data", Genome Biology 18:174 (2017). A cell's library has L molecules, log-normal among cells. The number
/// of molecules of gene i is a Poisson number with mean λ = L x_i / Σ x. The gene drops out with a
/// probability that is logistic in ln λ with shape −1, which is 1 / (1 + λ / λ₀).
namespace glycine::mutualinfo {

enum class Topology {
    ScaleFree,  ///< any factor may regulate any gene
    Modular,    ///< genes and factors belong to modules; nine of ten regulators are in the gene's own module
};
constexpr auto namesOf(Topology) {
    return namesAre<Topology>("topology",
                              {{Topology::ScaleFree, "scale-free"}, {Topology::Modular, "modular"}});
}

struct SimulatedNetworkOptions {
    std::size_t genes = 0;
    std::size_t factors = 0;  ///< transcription factors among them; 0: a tenth, at least 1
    double regulators = 2;    ///< mean number of regulators per gene, at least 1
    Topology topology = Topology::ScaleFree;
    std::uint64_t seed = 1;
};

struct RegulatoryEdge {
    std::size_t regulator = 0;
    std::size_t target = 0;
    bool isActivating = true;
    double coefficient = 1;  ///< Hill's n, 1 … 4
    double threshold = 0;    ///< ln K
};

struct SimulatedNetwork {
    std::vector<std::string> genes;  ///< factors first: "TF1", …; then "G1", …
    std::size_t factors = 0;
    std::vector<RegulatoryEdge> edges;  ///< by target; a factor's regulators come before the factor
    std::vector<double> rates;          ///< ln V of each gene
};

/// Throws UsageError for fewer than 2 genes, more factors than genes, or a mean number of regulators outside
/// 1 … 100.
SimulatedNetwork simulateNetwork(const SimulatedNetworkOptions& options);

struct SimulatedExpressionOptions {
    std::size_t samples = 0;
    double variation = 0.25;      ///< standard deviation of ln V of a regulated gene
    double noise = 0.1;           ///< standard deviation of the noise added to log₂ x
    double missing = 0;           ///< fraction of missing values
    double depth = 0;             ///< median of L, for cells instead of arrays; 0: arrays
    double depthVariation = 0.2;  ///< standard deviation of ln L
    double dropoutMidpoint = 0;   ///< λ₀; 0: no dropouts
    std::uint64_t seed = 1;
};
/// Returns genes × samples: log₂ x with noise, rounded to four decimals, NaN if missing. For cells, numbers
/// of molecules, without noise and missing values. Throws UsageError for no samples, numbers out of range, or
/// a fraction outside [0, 1); CancelledError.
Matrix<double> simulateExpression(const SimulatedNetwork& network, const SimulatedExpressionOptions& options,
                                  Progress& progress);

/// Expression generated from a seed, for tests and measurements. Identical on every machine.
struct RandomExpressionOptions {
    std::size_t genes = 0;
    std::size_t samples = 0;
    double missing = 0;  ///< fraction of missing values
    /// Makes the middle gene constant, and leaves the next gene without values.
    bool hasIdleGenes = false;
    std::uint64_t seed = 1;
};
/// Every even gene is standard normal; an odd one is a noisy quadratic function of its predecessor. Throws
/// UsageError unless there is a gene and a sample, or for a fraction outside [0, 1).
Matrix<double> randomExpression(const RandomExpressionOptions& options);

}  // namespace glycine::mutualinfo
