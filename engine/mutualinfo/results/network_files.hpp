#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/mutualinfo/network/bootstrap.hpp"
#include "engine/pairs/files/instance_groups.hpp"

/// Files of gene networks.
namespace glycine::mutualinfo {

/// Format of a network file. The file name determines it.
enum class NetworkFormat {
    Tsv,        ///< .tsv, .txt: one line per edge, best first
    Csv,        ///< .csv: the same (RFC 4180)
    ScenicTsv,  ///< .scenic.tsv: TF, target, importance, as written by pySCENIC's `grn`
    ScenicCsv,  ///< .scenic.csv: the same
    GraphMl,    ///< .graphml: genes with edges, and the edges, with all their columns
    Sif,        ///< .sif: gene, method, gene
    Adj,        ///< .adj of ARACNE: one line per gene: name, then neighbours and information, alternating
};
/// Standard output is .tsv. Throws UsageError if the extension is unknown.
NetworkFormat networkFormat(const std::filesystem::path& path);

/// A network with names, ready to be written.
struct NetworkTable {
    std::span<const Edge> edges;
    std::span<const std::string> genes;
    const Regulators* regulators = nullptr;
    std::string method;                                 ///< "aracne"
    bool hasInformation = true;                         ///< in addition to the score
    const std::vector<double>* pValues = nullptr;       ///< one per edge, if known
    const std::vector<EdgeSupport>* support = nullptr;  ///< one per edge, for bootstraps
    const pairs::InstanceGroups* groups = nullptr;      ///< of the genes, if known

    /// A header line of an .adj file: "MI threshold", "0.07".
    struct Fact {
        std::string name;
        std::string text;
    };
    std::vector<Fact> about{};

    /// Source and target of an edge: the regulator comes first; of two regulators the one with the smaller
    /// number.
    std::pair<std::size_t, std::size_t> ends(const Edge& edge) const;
};

/// Writes the network atomically. .tsv and .csv have the columns regulator, target, score, mi, then p if
/// known (or that of bootstraps), and support, the number of bootstraps with the edge. Files for pySCENIC
/// list an edge between two regulators in both directions. An .adj file begins with `about`, one fact per
/// line after '>', as in ARACNE2. It lists each edge twice, in the lines of both genes; neighbours are in the
/// order of the genes. If a name cannot be written as it is, separators in it become '_'.
void writeNetwork(const std::filesystem::path& path, const NetworkTable& table);

}  // namespace glycine::mutualinfo
