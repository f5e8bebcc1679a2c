#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/mutualinfo/network/bootstrap.hpp"

/// The files that hold gene networks.
namespace glycine::mutualinfo {

/// What a network file is. Chosen by its name.
enum class NetworkFormat {
    Tsv,        ///< .tsv, .txt: a line an edge, the best first
    Csv,        ///< .csv: the same (RFC 4180)
    ScenicTsv,  ///< .scenic.tsv: TF, target, importance, as pySCENIC's `grn` writes them
    ScenicCsv,  ///< .scenic.csv: the same
    GraphMl,    ///< .graphml: genes that have edges, and these, with all that is known of them
    Sif,        ///< .sif: gene, method, gene
    Adj,        ///< .adj of ARACNE: a line a gene, with its name, then neighbour and information in turn
};
/// Standard output is .tsv. Throws UsageError for a name whose ending stands for no format.
NetworkFormat networkFormat(const std::filesystem::path& path);

/// A network with its names, as it is written.
struct NetworkTable {
    std::span<const Edge> edges;
    std::span<const std::string> genes;
    const Regulators* regulators = nullptr;
    std::string method;                                 ///< "aracne"
    bool hasInformation = true;                         ///< beside the score
    const std::vector<double>* pValues = nullptr;       ///< one an edge, where they are known
    const std::vector<EdgeSupport>* support = nullptr;  ///< one an edge, of bootstraps

    /// What is told before the edges of an .adj file: "MI threshold", "0.07".
    struct Fact {
        std::string name;
        std::string text;
    };
    std::vector<Fact> about{};

    /// Who is written first: of two genes the regulator, of two regulators the one with the smaller number.
    std::pair<std::size_t, std::size_t> ends(const Edge& edge) const;
};

/// Writes it, atomically. .tsv and .csv have the columns regulator, target, score, mi, then p where it is
/// known (or that of bootstraps), and support, the number of bootstraps. Files for pySCENIC name an edge
/// between two regulators in both directions. An .adj file begins with `about`, a line a fact, each behind
/// '>' as ARACNE2 has them, and names each edge twice, in the lines of both genes; neighbours come in the
/// order of the genes. Where a name cannot be written as it is, what separates fields becomes '_'.
void writeNetwork(const std::filesystem::path& path, const NetworkTable& table);

}  // namespace glycine::mutualinfo
