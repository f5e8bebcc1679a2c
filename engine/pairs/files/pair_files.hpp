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
#include "engine/pairs/pair_store.hpp"

/// Files of the values of all pairs. Each is written atomically and row by row: nothing the size of the
/// result is copied. `part` says which pairs a file has: Square all and the diagonal, Triangle each once.
/// Names may be changed where the format needs it; InputError is thrown when that makes two of them equal.
namespace glycine::pairs {

struct PairFile {
    const PairStore& store;
    std::span<const std::string> names;  ///< of the instances
    Progress& progress;
};

/// Throws InputError for names that the file cannot hold, as its writer does: before anything is computed.
void checkTsvNames(const std::filesystem::path& path, std::span<const std::string> names);
void checkPhylipNames(const std::filesystem::path& path, std::span<const std::string> names);

/// What stands before the values of a .npy file; throws std::invalid_argument for StoreLayout::Triangle. A
/// PairStore with this header becomes the file itself.
std::string npyHeader(const PairLayout& layout, ValueType type);
/// int32, float32 or float64 as the store. `part`: Square or Condensed.
void writeNpy(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

/// As snp-dists -b: an empty corner and the names in the first line, a line an instance. Triangle,
/// as snp-dists -L: each line ends with the diagonal. Tabs and line breaks in names become '_'.
void writeTsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

/// The same as comma-separated values (RFC 4180); names are quoted where they need it, and stay as they are.
void writeCsv(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

/// NPZ: `values`, as writeNpy writes them; `names`, text; and `more` texts, one each. `part`: Square or
/// Condensed.
void writeNpz(const std::filesystem::path& path, const PairFile& file, StoreLayout part,
              const std::vector<std::pair<std::string, std::string>>& more);

struct MoltenOptions {
    std::optional<double> largest{};         ///< only pairs up to this value
    bool hasHeader = false;                  ///< a first line that names the columns
    bool isSorted = false;                   ///< each pair once, the nearest first
    bool isSimilarity = false;               ///< near instances have large values
    std::string_view quantity = "distance";  ///< in the first line
};

/// As snp-dists -m: name, name, value for all ordered pairs, row by row, an instance with itself among them.
/// Triangle: the pairs below the diagonal only. Sorted: in memory.
void writeMolten(const std::filesystem::path& path, const PairFile& file, StoreLayout part,
                 const MoltenOptions& options);

/// The same file, with `largest` = pairs.largest(), from the pairs that it holds. `diagonal`: value of an
/// instance beside itself.
void writeMolten(const std::filesystem::path& path, ClosePairs& pairs, std::span<const std::string> names,
                 double diagonal, StoreLayout part, const MoltenOptions& options, Progress& progress);

/// name, name, value for each instance and the `count` others that are nearest to it (of a similarity, most
/// similar), the nearest first; of equally near ones that with the smaller number. Pairs without a value are
/// left out. Of a rectangle, the others are its references.
void writeNearest(const std::filesystem::path& path, const PairFile& file, std::size_t count,
                  const MoltenOptions& options);

/// Of a rectangle, whose rows are the instances behind its references and whose columns these: names in the
/// first line and column between `separator`s (a tab or a comma), an .npy array, or a line a pair.
void writeRectangle(const std::filesystem::path& path, const PairFile& file, char separator);
void writeRectangleNpy(const std::filesystem::path& path, const PairFile& file);
void writeRectangleMolten(const std::filesystem::path& path, const PairFile& file,
                          const MoltenOptions& options);

/// A PHYLIP distance matrix: the number of instances, then a line an instance. Names of at most ten bytes are
/// padded to ten, as PHYLIP wants them; if one is longer, all are written in full with two blanks after them
/// (the relaxed form that most programs read). White space in names becomes '_'. Triangle: values
/// left of the diagonal. A pair without a value gets −1, as from PHYLIP's own dnadist and protdist.
void writePhylip(const std::filesystem::path& path, const PairFile& file, StoreLayout part);

}  // namespace glycine::pairs
