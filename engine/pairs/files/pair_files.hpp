#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "engine/pairs/nearest_pairs.hpp"
#include "engine/pairs/pair_store.hpp"

/// Files of all-pairs values. Each is written atomically and row by row, so the result is never copied as a
/// whole. `part` selects the pairs: Square has all of them and the diagonal, Triangle each pair once. Names
/// are changed if the format requires it; throws InputError if that makes two names equal.
namespace glycine::pairs {

struct PairFile {
    const PairStore& store;
    std::span<const std::string> names;  ///< of the instances
    Progress& progress;
};

/// Throws InputError for names that the file cannot hold, as its writer does. Call it before computing.
void checkTsvNames(const std::filesystem::path& path, std::span<const std::string> names);
void checkPhylipNames(const std::filesystem::path& path, std::span<const std::string> names);

/// The header of a .npy file. Throws std::invalid_argument for StoreLayout::Triangle. A PairStore with this
/// header becomes the file itself.
std::string npyHeader(const PairLayout& layout, ValueType type);
/// Writes int32, float32 or float64, as the store has it, and the names file (io::npyNamesFile). `part`:
/// Square or Condensed.
void writeNpy(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

/// Same format as snp-dists -b: an empty corner and the names in the first line, then a line per instance.
/// Triangle matches snp-dists -L: each line ends with the diagonal. Tabs and line breaks in names become '_'.
void writeTsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

/// The same as comma-separated values (RFC 4180). Names are quoted if necessary and otherwise unchanged.
void writeCsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

/// NPZ: `values` as in the file of writeNpy, `names` as text, and one text per entry of `more`. `part`:
/// Square or Condensed.
void writeNpz(const std::filesystem::path& path, const PairFile& file, StoreLayout part,
              const std::vector<std::pair<std::string, std::string>>& more);

struct MoltenOptions {
    std::optional<double> largest{};         ///< only pairs up to this value
    bool hasHeader = false;                  ///< a first line that names the columns
    bool isSorted = false;                   ///< each pair once, nearest first
    bool isSimilarity = false;               ///< large values mean near instances
    std::string_view quantity = "distance";  ///< column name in the first line
};

/// Same format as snp-dists -m: name, name, value for all ordered pairs, row by row, including each instance
/// with itself. Triangle: only the pairs below the diagonal. Rectangle: each instance with each reference.
/// Sorted: in memory.
void writeMolten(const std::filesystem::path& path, const PairFile& file, StoreLayout part,
                 const MoltenOptions& options);

/// The same file with `largest` = pairs.largest(), from kept pairs. `diagonal`: value of an instance paired
/// with itself.
void writeMolten(const std::filesystem::path& path, ClosePairs& pairs, std::span<const std::string> names,
                 double diagonal, StoreLayout part, const MoltenOptions& options, Progress& progress);

/// For each instance, writes name, name, value of the `count` nearest others (for a similarity, the most
/// similar), nearest first; ties by the smaller number. Pairs without a value are left out. In a rectangle,
/// the others are the references.
void writeNearest(const std::filesystem::path& path, const PairFile& file, std::size_t count,
                  const MoltenOptions& options);

/// The same file from kept neighbours.
void writeNearest(const std::filesystem::path& path, const NearestPairs& nearest,
                  std::span<const std::string> names, const MoltenOptions& options, Progress& progress);

/// Files of a rectangle: its columns are the references, its rows the instances after them. Either names in
/// the first line and column, separated by `separator` (tab or comma), or an .npy array.
void writeRectangle(const std::filesystem::path& path, const PairFile& file, char separator);
void writeRectangleNpy(const std::filesystem::path& path, const PairFile& file);

/// A PHYLIP distance matrix: the number of instances, then a line per instance. Names of at most ten bytes
/// are padded to ten, as PHYLIP requires. If one is longer, all names are written in full and followed by two
/// blanks (the relaxed form that most programs read). White space in names becomes '_'. Triangle: values left
/// of the diagonal. A pair without a value becomes −1, as in PHYLIP's own dnadist and protdist.
void writePhylip(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

}  // namespace glycine::pairs
