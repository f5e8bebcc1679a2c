#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "engine/mutualinfo/network/edges.hpp"
#include "engine/pairs/files/matrix_reader.hpp"

/// Inputs of network inference other than expression: lists of genes and of pairs of genes, by name, and
/// matrices of information.
namespace glycine::mutualinfo {

/// Regulators, with the number of names that are among the given genes, and of names that are not.
struct RegulatorList {
    Regulators regulators;
    std::size_t known = 0;
    std::size_t unknown = 0;
};
/// Reads the first field of each line and skips lines that begin with '#'. Throws InputError if none of the
/// names is among `genes`.
RegulatorList readRegulators(const std::filesystem::path& path, std::span<const std::string> genes);

struct TruthList {
    TruePairs pairs;
    std::size_t unknown = 0;  ///< lines with a gene that is not given, including a header line
};
/// Reads two genes per line, optionally followed by a number or text; 0 means that the pair is not linked.
/// Fields are separated as in every table. Lines that begin with '#' are skipped, and so is the heading
/// "regulator", "target" of Glycine's own lists. Directions, self-links and repetitions are ignored: a pair
/// linked in one direction is linked. Throws InputError for a line with one field, for contradicting lines
/// about the same direction of a pair, and if no line names two of the `genes`.
TruthList readTruth(const std::filesystem::path& path, std::span<const std::string> genes);

/// A matrix of mutual information in a file, written by `glycine mutualinfo` or another program.
inline pairs::MatrixReader informationMatrix(std::filesystem::path path) {
    return pairs::MatrixReader(std::move(path), {.quantity = "mutual information",
                                                 .instance = "gene",
                                                 .command = "glycine mutualinfo",
                                                 .areDistances = false});
}

}  // namespace glycine::mutualinfo
