#define XXH_INLINE_ALL
#include "engine/storage/part_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "engine/core/error.hpp"
#include "engine/storage/identity.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPartTitle = "Glycine part of a result, version 1\n";
constexpr std::size_t kPartAlignment = 64;

/// The table entry of a tile in the file.
using TileNumbers = std::array<std::uint64_t, 6>;

std::string headText(const PartHead& head, std::size_t tiles) {
    std::string text = fmt::format("{}part: {}\ntiles: {}\ncommand: {}\n{}\n", kPartTitle,
                                   toString(head.part), tiles, head.command, head.identity);
    text.resize(roundUp(text.size(), kPartAlignment), '\0');
    return text;
}

/// Offsets of the values of tiles, and the end of the file.
std::vector<std::size_t> offsetsOf(const std::vector<PartTile>& tiles, std::size_t table) {
    std::vector<std::size_t> offsets{roundUp(table + tiles.size() * sizeof(TileNumbers), kPartAlignment)};
    for (const PartTile& tile : tiles)
        offsets.push_back(offsets.back() + roundUp(tile.bytes, kPartAlignment));
    return offsets;
}

TileNumbers numbersOf(const PartTile& tile, std::uint64_t checksum) {
    return {tile.rows.begin, tile.rows.end, tile.columns.begin, tile.columns.end, tile.bytes, checksum};
}

}  // namespace

Part parsePart(const std::string& text) {
    Part part;
    const char* const end = text.data() + text.size();
    const auto [slash, first] = std::from_chars(text.data(), end, part.number);
    const bool hasSlash = first == std::errc() && slash != end && *slash == '/';
    const auto [stop, second] = std::from_chars(hasSlash ? slash + 1 : end, end, part.of);
    if (!hasSlash || second != std::errc() || stop != end || part.number == 0 || part.number > part.of)
        throw UsageError(
            fmt::format("--part {}: expected the number of a part and of all parts, as in 3/8", text));
    return part;
}

std::string toString(const Part& part) {
    return fmt::format("{}/{}", part.number, part.of);
}

fs::path partFile(const fs::path& output, const Part& part) {
    return fs::path(output) += fmt::format(".part-{}-of-{}", part.number, part.of);
}

PartStore::PartStore(const fs::path& output, const PartHead& head, std::vector<PartTile> tiles, bool restart)
    : path_(partFile(output, head.part)), tiles_(std::move(tiles)) {
    for (std::size_t t = 0; t < tiles_.size(); ++t)
        places_.emplace(std::pair(tiles_[t].rows.begin, tiles_[t].columns.begin), t);
    const std::string text = headText(head, tiles_.size());
    table_ = text.size();
    offsets_ = offsetsOf(tiles_, table_);
    store_ = std::make_unique<TileStore>(
        path_, fmt::format("part: {}\n{}", toString(head.part), head.identity), offsets_.back(),
        [this](Range rows, Range columns, const std::function<void(Range)>& visit) {
            const auto place = places_.find({rows.begin, columns.begin});
            if (place == places_.end()) return false;
            const std::size_t t = place->second;
            const std::size_t numbers = table_ + t * sizeof(TileNumbers);
            visit({numbers, numbers + sizeof(TileNumbers)});
            visit({offsets_[t], offsets_[t] + tiles_[t].bytes});
            return tiles_[t].rows == rows && tiles_[t].columns == columns;
        },
        restart);
    std::memcpy(store_->data(), text.data(), text.size());
    if (restart || !store_->kept().empty() || !fs::is_regular_file(path_)) return;
    // Tiles of a complete part need not be computed again.
    try {
        const PartFile earlier(path_);
        if (earlier.head().part != head.part || earlier.head().identity != head.identity) return;
        for (std::size_t t = 0; t < earlier.tiles().size(); ++t) {
            const PartTile& tile = earlier.tiles()[t];
            if (earlier.isIntact(t)) store(tile.rows, tile.columns, earlier.values(t));
        }
    } catch (const InputError&) {
        // This run replaces any such file, as every output does.
    }
}

std::size_t PartStore::placeOf(Range rows, Range columns) const {
    const auto place = places_.find({rows.begin, columns.begin});
    if (place == places_.end() || tiles_[place->second].rows != rows ||
        tiles_[place->second].columns != columns)
        throw std::logic_error("a part was given a tile that it does not have");
    return place->second;
}

void PartStore::store(Range rows, Range columns, std::span<const std::byte> values) {
    const std::size_t t = placeOf(rows, columns);
    if (values.size() != tiles_[t].bytes) throw std::logic_error("a tile of a part has another size");
    store_->put(offsets_[t], values);
    const TileNumbers numbers = numbersOf(tiles_[t], XXH3_64bits(values.data(), values.size()));
    std::memcpy(store_->data() + table_ + t * sizeof(TileNumbers), numbers.data(), sizeof(TileNumbers));
    store_->finish(rows, columns);
}

std::span<const std::byte> PartStore::values(std::size_t tile) const {
    return {store_->data() + offsets_[tile], tiles_[tile].bytes};
}

void PartStore::finish() {
    for (const PartTile& tile : tiles_)
        if (!has(tile.rows, tile.columns)) throw std::logic_error("a part lacks a tile");
    store_->becomeOutput();
}

PartFile::PartFile(fs::path path) : path_(std::move(path)), file_(path_) {
    const std::span<const std::byte> bytes = file_.bytes();
    const auto refuse = [this](std::string_view found) {
        throw InputError(fmt::format("{}: {}; expected a complete part, which a command with --part writes",
                                     path_.string(), found));
    };
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = text.find("\n\n");
    if (!text.starts_with(kPartTitle) || end == std::string_view::npos) refuse("no part of a result");
    const std::size_t table = roundUp(end + 2, kPartAlignment);
    text = text.substr(kPartTitle.size(), end + 1 - kPartTitle.size());
    const auto take = [&](std::string_view name) {
        std::string_view line = takeLine(text).value_or("");
        if (!line.starts_with(name)) refuse("a damaged part");
        line.remove_prefix(name.size());
        return std::string(line);
    };
    head_.part = parsePart(take("part: "));
    std::size_t tiles = 0;
    const std::string count = take("tiles: ");
    std::from_chars(count.data(), count.data() + count.size(), tiles);
    head_.command = take("command: ");
    head_.identity = text;
    if (tiles > (bytes.size() - std::min(bytes.size(), table)) / sizeof(TileNumbers))
        refuse("a damaged part");
    for (std::size_t t = 0; t < tiles; ++t) {
        TileNumbers numbers;
        std::memcpy(numbers.data(), bytes.data() + table + t * sizeof(numbers), sizeof(numbers));
        if (numbers[0] >= numbers[1] || numbers[2] >= numbers[3] || numbers[4] > bytes.size())
            refuse("a damaged part");
        tiles_.push_back({{numbers[0], numbers[1]}, {numbers[2], numbers[3]}, numbers[4]});
        checksums_.push_back(numbers[5]);
    }
    offsets_ = offsetsOf(tiles_, table);
    if (offsets_.back() != bytes.size()) refuse("a part that is cut short or damaged");
}

bool PartFile::isIntact(std::size_t tile) const {
    return XXH3_64bits(values(tile).data(), values(tile).size()) == checksums_[tile];
}

std::span<const std::byte> PartFile::values(std::size_t tile) const {
    return file_.bytes().subspan(offsets_[tile], tiles_[tile].bytes);
}

void requireComplete(std::span<const std::unique_ptr<PartFile>> parts) {
    const PartHead& first = parts.front()->head();
    std::vector<const PartFile*> found(first.part.of, nullptr);
    for (const auto& part : parts) {
        const PartHead& head = part->head();
        if (head.part.of != first.part.of || head.identity != first.identity)
            throw InputError(fmt::format("{} and {} are parts of different results: {}",
                                         parts.front()->path().string(), part->path().string(),
                                         head.part.of != first.part.of
                                             ? fmt::format("{} and {} parts", first.part.of, head.part.of)
                                             : identityDifferences(first.identity, head.identity)));
        const PartFile*& place = found[head.part.number - 1];
        if (place != nullptr)
            throw InputError(fmt::format("part {} is given twice: {} and {}", toString(head.part),
                                         place->path().string(), part->path().string()));
        place = part.get();
    }
    std::vector<std::string> missing;
    for (std::size_t p = 0; p < found.size(); ++p)
        if (found[p] == nullptr) missing.push_back(fmt::format("{}", p + 1));
    if (!missing.empty())
        throw InputError(fmt::format("{} of {} parts {} missing: {}; run the command with --part {}/{}",
                                     missing.size(), first.part.of, missing.size() == 1 ? "is" : "are",
                                     fmt::join(missing, ", "), missing.front(), first.part.of));
    // Checked before anything is written.
    for (const auto& part : parts) {
        std::size_t damaged = 0;
        for (std::size_t t = 0; t < part->tiles().size(); ++t) damaged += part->isIntact(t) ? 0 : 1;
        if (damaged > 0)
            throw InputError(fmt::format(
                "{}: {} of {} tiles are damaged; run the command with --part {} "
                "again, which recomputes them",
                part->path().string(), damaged, part->tiles().size(), toString(part->head().part)));
    }
}

}  // namespace glycine::storage
