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

/// A result that several runs compute in parts, perhaps on different machines. Each part is a file of its own
/// that describes its contents.
namespace glycine::storage {

/// Number 1 … `of`.
struct Part {
    std::size_t number = 1;
    std::size_t of = 1;
    /// Whether the element at this index of a list (from 0) belongs to the part: every `of`th one does.
    bool has(std::size_t place) const { return place % of == number - 1; }
    bool operator==(const Part&) const = default;
};
/// "3/8". Throws UsageError for anything else, and unless 1 <= 3 <= 8.
Part parsePart(const std::string& text);
std::string toString(const Part& part);

/// The file of a part of `output`: "OUT.part-3-of-8".
std::filesystem::path partFile(const std::filesystem::path& output, const Part& part);

/// Head of a part file.
struct PartHead {
    Part part;
    std::string command;   ///< the command that made it, on one line
    std::string identity;  ///< of the run (TileJournal); the same for all parts
};

/// A tile of a part and the bytes of its values.
struct PartTile {
    Range rows;
    Range columns;
    std::size_t bytes = 0;
};

/// A part while its tiles are computed. It survives a stop as a TileStore does.
///
/// The file has a title, "part: 3/8", "tiles: 12", "command: …", the identity, an empty line, and zeros up to
/// a multiple of 64 bytes. A table follows with six 64-bit numbers per tile: begin and end of rows and
/// columns, bytes, and XXH3 of the values. The values of the tiles follow, each at a multiple of 64 bytes.
class PartStore {
  public:
    /// Starts, or continues what an earlier run has left, even if that is complete; `restart` discards it.
    /// Throws as TileStore does.
    PartStore(const std::filesystem::path& output, const PartHead& head, std::vector<PartTile> tiles,
              bool restart);

    const std::filesystem::path& path() const { return path_; }
    const std::vector<PartTile>& tiles() const { return tiles_; }
    bool has(Range rows, Range columns) const { return store_->has(rows, columns); }
    /// Stores the values of a tile. Throws std::logic_error for a tile of another part or size.
    void store(Range rows, Range columns, std::span<const std::byte> values);
    /// Values of a finished tile.
    std::span<const std::byte> values(std::size_t tile) const;
    std::span<const std::byte> values(Range rows, Range columns) const {
        return values(placeOf(rows, columns));
    }

    bool outlivesStop() const { return store_->outlivesStop(); }
    void discard() { store_->discard(); }
    /// Call after the last tile: gives the file its name.
    void finish();

  private:
    std::size_t placeOf(Range rows, Range columns) const;

    std::filesystem::path path_;
    std::vector<PartTile> tiles_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_;  ///< by the begins of rows and
                                                                         ///< columns
    std::vector<std::size_t> offsets_;                                   ///< of the values, then of the end
    std::size_t table_ = 0;                                              ///< offset of the table of tiles
    std::unique_ptr<TileStore> store_;
};

/// A complete part.
class PartFile {
  public:
    /// Throws InputError for a file that is not a part, or is truncated.
    explicit PartFile(std::filesystem::path path);

    const std::filesystem::path& path() const { return path_; }
    const PartHead& head() const { return head_; }
    const std::vector<PartTile>& tiles() const { return tiles_; }
    /// Whether the checksum of a tile's values matches.
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

/// Throws InputError unless these are all parts of one result, each once and intact; the message lists
/// missing parts.
void requireComplete(std::span<const std::unique_ptr<PartFile>> parts);

}  // namespace glycine::storage
