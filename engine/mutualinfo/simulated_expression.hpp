#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"

/// Expression that follows from a gene regulatory network whose edges are known: the same on every machine.
///
/// Topology. Some genes are transcription factors; each of the others has at least one of them as regulator.
/// How many regulators a gene has falls off exponentially, how many genes a factor regulates by a power law
/// (R. Albert, "Scale-free networks in cell biology", J. Cell Science 118 (2005) 4947–4957): factors are
/// drawn with weights (i + T/20)^(−1/(γ − 1)), γ = 2.2, of T factors (K.-I. Goh, B. Kahng, D. Kim, "Universal
/// behavior of load distribution in scale-free networks", Phys. Rev. Lett. 87 (2001) 278701; T/20 keeps the
/// first from regulating a quarter of all genes). Factors regulate each other
/// without cycles, so that there is one steady state.
///
/// Kinetics. Transcription by P. Mendes, W. Sha, K. Ye, "Artificial gene networks for objective comparison of
/// analysis algorithms", Bioinformatics 19 Suppl 2 (2003) ii122–ii129: at steady state the level of gene i is
/// x_i = V_i Π 1/(1 + (x_j/K_ij)^n_ij) Π (1 + f (x_j/K_ij)^n_ij / (1 + (x_j/K_ij)^n_ij)) over inhibitors and
/// activators j, with f = 9 (theirs is 1, which lets a gene double at most).
///
/// Noise. V_i varies among samples log-normally: by `variation` (standard deviation of ln V), and by 1 of
/// factors that nothing regulates, which is what drives the network. A value is log₂ x with normal noise: of
/// intensities a noise that grows with them.
///
/// Cells. The model of L. Zappia, B. Phipson, A. Oshlack, "Splatter: simulation of single-cell RNA sequencing
/// data", Genome Biology 18:174 (2017): a cell's library has L molecules in the mean, log-normal among cells;
/// gene i has a Poisson number of them with mean λ = L x_i / Σ x, and is lost with a probability that is
/// logistic in ln λ with shape −1, which is 1 / (1 + λ / λ₀).
namespace glycine::mutualinfo {

enum class Topology {
    ScaleFree,  ///< any factor may regulate any gene
    Modular,    ///< genes and factors belong to modules, and nine of ten regulators are of the own one
};
constexpr auto namesOf(Topology) {
    return namesAre<Topology>("topology",
                              {{Topology::ScaleFree, "scale-free"}, {Topology::Modular, "modular"}});
}

struct SimulatedNetworkOptions {
    std::size_t genes = 0;
    std::size_t factors = 0;  ///< transcription factors among them; 0: a tenth, at least 1
    double regulators = 2;    ///< that a gene has in the mean, at least 1
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
    std::vector<RegulatoryEdge> edges;  ///< by target; a factor's regulators stand before it
    std::vector<double> rates;          ///< ln V of each gene
};

/// Throws UsageError for less than 2 genes, not as many factors as genes at most, or less than 1 regulator.
SimulatedNetwork simulateNetwork(const SimulatedNetworkOptions& options);

struct SimulatedExpressionOptions {
    std::size_t samples = 0;
    double variation = 0.25;      ///< standard deviation of ln V of a regulated gene
    double noise = 0.1;           ///< standard deviation of what is added to log₂ x
    double missing = 0;           ///< share of the values
    double depth = 0;             ///< median of L, for cells in place of arrays; 0: arrays
    double depthVariation = 0.2;  ///< standard deviation of ln L
    double dropoutMidpoint = 0;   ///< λ₀; 0: no gene is lost
    std::uint64_t seed = 1;
};
/// genes × samples: log₂ x with noise, rounded to four decimals, NaN: missing; of cells numbers of molecules,
/// without noise, none missing. Throws UsageError for no samples, what is negative, or a share that is not in
/// [0, 1); CancelledError.
Matrix<double> simulateExpression(const SimulatedNetwork& network, const SimulatedExpressionOptions& options,
                                  Progress& progress);

/// Expression made from a seed, for tests and measurements: the same on every machine.
struct RandomExpressionOptions {
    std::size_t genes = 0;
    std::size_t samples = 0;
    double missing = 0;  ///< share of the values that are missing
    /// The gene in the middle is constant, the one behind it has no values.
    bool hasIdleGenes = false;
    std::uint64_t seed = 1;
};
/// Every even gene is standard normal; an odd one follows the one before it, bent and with noise. Throws
/// UsageError unless there is a gene and a sample, or for a share that is not in [0, 1).
Matrix<double> randomExpression(const RandomExpressionOptions& options);

}  // namespace glycine::mutualinfo
