#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/storage/input_file.hpp"
#include "engine/storage/tile_store.hpp"

/// A result that several runs compute, each its part, perhaps on different machines: a part is a file of its
/// own, and says by itself what it holds.
namespace glycine::storage {

/// Number 1 … `of`.
struct Part {
    std::size_t number = 1;
    std::size_t of = 1;
    /// Whether something at this place of a list, counted from 0, belongs to the part: every `of`th one does.
    bool has(std::size_t place) const { return place % of == number - 1; }
    bool operator==(const Part&) const = default;
};
/// "3/8". Throws UsageError for anything else, and unless 1 <= 3 <= 8.
Part parsePart(const std::string& text);
std::string toString(const Part& part);

/// The file of a part of `output`: "OUT.part-3-of-8".
std::filesystem::path partFile(const std::filesystem::path& output, const Part& part);

/// What a part file says of itself.
struct PartHead {
    Part part;
    std::string command;   ///< how it was made, on one line
    std::string identity;  ///< of the run (TileJournal); the same for all parts
};

/// A tile of a part and the bytes of its values.
struct PartTile {
    Range rows;
    Range columns;
    std::size_t bytes = 0;
};

/// A part while its tiles come in. It survives a stop as a TileStore does.
///
/// The file: a title, "part: 3/8", "tiles: 12", "command: …", the identity, an empty line, zeros up to a
/// multiple of 64 bytes; for each tile six numbers of 64 bits (rows and columns from and to, bytes, XXH3 of
/// the values); then the values, tile by tile, each at a multiple of 64 bytes.
class PartStore {
  public:
    /// Begins, or goes on with what an earlier run has left, also where that is complete; `restart` forgets
    /// it. Throws as TileStore.
    PartStore(const std::filesystem::path& output, const PartHead& head, std::vector<PartTile> tiles,
              bool restart);

    const std::filesystem::path& path() const { return path_; }
    const std::vector<PartTile>& tiles() const { return tiles_; }
    bool has(Range rows, Range columns) const { return store_->has(rows, columns); }
    /// Takes the values of a tile. Throws std::logic_error for one of another part or size.
    void store(Range rows, Range columns, std::span<const std::byte> values);
    /// Values of a tile that is there.
    std::span<const std::byte> values(std::size_t tile) const;
    std::span<const std::byte> values(Range rows, Range columns) const {
        return values(placeOf(rows, columns));
    }

    bool outlivesStop() const { return store_->outlivesStop(); }
    void discard() { store_->discard(); }
    /// All tiles are there: the file takes its name.
    void finish();

  private:
    std::size_t placeOf(Range rows, Range columns) const;

    std::filesystem::path path_;
    std::vector<PartTile> tiles_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_;  ///< by the begins of a tile
    std::vector<std::size_t> offsets_;                                   ///< of the values; the end
    std::size_t table_ = 0;                                              ///< offset of the tiles' numbers
    std::unique_ptr<TileStore> store_;
};

/// A part that is complete.
class PartFile {
  public:
    /// Throws InputError for a file that is no part, or is cut short.
    explicit PartFile(std::filesystem::path path);

    const std::filesystem::path& path() const { return path_; }
    const PartHead& head() const { return head_; }
    const std::vector<PartTile>& tiles() const { return tiles_; }
    /// Whether the values of a tile are what was written.
    bool isIntact(std::size_t tile) const;
    std::span<const std::byte> values(std::size_t tile) const;

  private:
    std::filesystem::path path_;
    MappedFile file_;
    PartHead head_;
    std::vector<PartTile> tiles_;
    std::vector<std::size_t> offsets_;
    std::vector<std::uint64_t> checksums_;
};

/// Throws InputError unless these are all parts of one result, each once and intact; says which are missing.
void requireWhole(std::span<const std::unique_ptr<PartFile>> parts);

}  // namespace glycine::storage
