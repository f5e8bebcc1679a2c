#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/storage/atomic_file.hpp"

/// Functions shared by all files of pair values.
namespace glycine::pairs {

/// The rows of a result, or of a part of it, in blocks that are read and formatted together.
class RowBlocks {
  public:
    /// As many rows a block as fit into a cache, but enough to read columns of a triangle in whole cache
    /// lines. `references`: of a rectangle; else 0.
    RowBlocks(std::size_t instances, std::size_t references);

    std::size_t count() const { return blocks_.size(); }
    /// Number of rows in all blocks.
    std::size_t rows() const { return instances_ - references_; }
    Range operator[](std::size_t block) const { return blocks_[block]; }
    /// Reads a block into `buffer`, which threads may reuse. values(row − first row, j) is the value in
    /// column j; for a triangle only j ≤ row, for the condensed form only j ≥ row, for a rectangle
    /// j < references.
    MatrixView<const double> read(const PairStore& store, StoreLayout part, std::size_t block,
                                  std::vector<double>& buffer) const;

  private:
    std::size_t instances_;
    std::size_t references_;
    std::vector<Range> blocks_;
};

/// Passes the result to `format`, row by row, and writes what it appends to `text` in row order, compressed
/// if the file's name ends in .gz. `values` are a row of RowBlocks::read; `part` is Rectangle if and only if
/// the store's layout is. Several threads call `format`; a few rows at a time are in memory. Progress counts
/// rows, under the stage "writing NAME".
void writeRows(storage::AtomicFile& file, const PairStore& store, StoreLayout part, Progress& progress,
               const std::function<void(std::size_t row, const double* values, std::string& text)>& format);

/// More threads would only wait for the disk, and each takes memory.
inline constexpr int kMaxWritingThreads = 16;

/// Appends the text of a piece or row; threads 0 … kMaxWritingThreads − 1 call it at the same time.
using FormatText = std::function<void(std::size_t index, std::size_t thread, std::string& text)>;

/// Writes `pieces` texts one after another, each compressed if the file's name ends in .gz. `onWritten`
/// follows each piece, in order and on one thread at a time.
void writeInOrder(
    storage::AtomicFile& file, std::size_t pieces, const FormatText& format,
    const std::function<void(std::size_t piece)>& onWritten = [](std::size_t) {});

/// Writes what `format` appends for each row, in order, a block at a time. Progress as that of writeRows.
void writeRowTexts(storage::AtomicFile& file, const RowBlocks& blocks, Progress& progress,
                   const std::function<void(std::size_t row, std::string& text)>& format);

/// Writes a text about all pairs, in the order (1, 0), (2, 0), (2, 1), …, while they are computed: from tiles
/// in any order. The text of a row waits in memory until all tiles of the row and of the rows before are
/// there. If one tile has all pairs, only a few rows wait.
class TextOfPairs {
  public:
    /// `file` must outlive it, and is compressed if its name ends in .gz.
    TextOfPairs(storage::AtomicFile& file, std::size_t instances) : file_(file), rows_(instances) {}
    /// `format` appends the text of the pairs in row `row` of the tile.
    void add(const PairTile& tile, const FormatText& format);

  private:
    struct Row {
        std::size_t pairs = 0;                       ///< so far
        std::map<std::size_t, std::string> texts{};  ///< by their first column
    };
    storage::AtomicFile& file_;
    std::vector<Row> rows_;
    std::size_t written_ = 0;  ///< number of rows
};

/// The text as a file of this name holds it: compressed by gzip if the name ends in .gz.
std::string packedFor(const std::filesystem::path& file, std::string text);

/// Writes `value` as a number of this type, as io::writeShortest does; at most io::kNumberChars bytes.
char* writeValue(char* out, double value, ValueType type);

/// `name` with each of the `separators` turned into '_'.
std::string nameWithout(std::string_view separators, std::string name);

/// The names as a file can hold them: each of the `separators` becomes '_'. Throws InputError if that makes
/// two names equal or leaves one empty.
std::vector<std::string> namesWithout(std::string_view separators, std::span<const std::string> names,
                                      const std::filesystem::path& file);

}  // namespace glycine::pairs
