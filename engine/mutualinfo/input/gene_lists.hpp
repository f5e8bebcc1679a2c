#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "engine/mutualinfo/network/edges.hpp"
#include "engine/pairs/files/matrix_reader.hpp"

/// What networks are inferred from beside expression: lists of genes and of pairs of genes, by name, and
/// matrices of information.
namespace glycine::mutualinfo {

/// What was read, and how much of it names genes that are not among those given.
struct RegulatorList {
    Regulators regulators;
    std::size_t known = 0;
    std::size_t unknown = 0;
};
/// The first field of each line; lines that begin with '#' are passed over. Throws InputError when none of
/// the names is among the `genes`.
RegulatorList readRegulators(const std::filesystem::path& path, std::span<const std::string> genes);

struct TruthList {
    TruePairs pairs;
    std::size_t unknown = 0;  ///< lines with a gene that is not among those given: a header line, too
};
/// Two genes a line, and behind them a number or text of any meaning: of a 0 the pair is not linked. Fields
/// are separated as in every table; lines that begin with '#' are passed over, and the heading "regulator",
/// "target" that Glycine's own lists have. Directions, a gene with itself, and what is there several times do
/// not count: a pair that is linked in one direction is. Throws InputError for a line with one field, for a
/// pair that is linked in one line and not in another, both in one direction, and when no line names two of
/// the `genes`.
TruthList readTruth(const std::filesystem::path& path, std::span<const std::string> genes);

/// A matrix of mutual information that has been written, by `glycine mutualinfo` or others.
inline pairs::MatrixReader informationMatrix(std::filesystem::path path) {
    return pairs::MatrixReader(std::move(path), {.quantity = "mutual information",
                                                 .instance = "gene",
                                                 .command = "glycine mutualinfo",
                                                 .areDistances = false});
}

}  // namespace glycine::mutualinfo
