#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/tile_digest.hpp"

/// Symmetric all-pairs problems: a value for each pair of N instances, computed tile by tile.
namespace glycine::pairs {

/// Pairs (row, column) of instances. Either rows == columns (a tile on the diagonal: only the pairs with
/// column < row count), or all columns come before all rows.
struct PairTile {
    Range rows;
    Range columns;
    bool isDiagonal() const { return rows == columns; }
    /// Number of pairs with column < row.
    std::size_t pairs() const {
        return isDiagonal() ? rows.size() * (rows.size() - 1) / 2 : rows.size() * columns.size();
    }
    /// How many pairs row `row` of the tile has: those with its first so many columns.
    std::size_t columnsOf(std::size_t row) const { return isDiagonal() ? row : columns.size(); }
    bool operator==(const PairTile&) const = default;
};

/// Number `number` of all pairs with column < row: (1, 0), (2, 0), (2, 1) …, as a tile of its own.
PairTile pairNumber(std::size_t number);

/// All tiles of side `side` (the last ones smaller) on and below the diagonal, row by row.
std::vector<PairTile> tilesBelowDiagonal(std::size_t instances, std::size_t side);

/// Cuts a tile into tiles with sides of at most `side`; together they hold the same pairs.
std::vector<PairTile> cutTile(const PairTile& tile, std::size_t side);

/// The part of `whole`, a result of `tile`, that belongs to `piece` of it; empty if `whole` is.
template <class T>
MatrixView<T> partOf(MatrixView<T> whole, const PairTile& tile, const PairTile& piece) {
    if (whole.empty()) return whole;
    return whole.block(piece.rows.begin - tile.rows.begin, piece.columns.begin - tile.columns.begin,
                       piece.rows.size(), piece.columns.size());
}

/// A view of the tile's size into `memory`, which is used again from tile to tile and grows where it is too
/// small.
template <class T>
MatrixView<T> fitTile(Matrix<T>& memory, const PairTile& tile) {
    const std::size_t rows = tile.rows.size();
    const std::size_t columns = tile.columns.size();
    if (memory.size() < rows * columns) memory = Matrix<T>(rows, columns);
    return {memory.data(), rows, columns};
}

class DeviceStore;

/// How values follow from the numbers that a device has computed.
struct DeviceFinish {
    bool isRoot = false;  ///< the square root of a number, else:
    double factor = 1;
    /// Smaller numbers have lost digits, and are for the host to repair.
    double least = -std::numeric_limits<double>::infinity();
};

/// Takes finished tiles of the symmetric N × N result, one at a time.
class PairSink {
  public:
    virtual ~PairSink() = default;
    /// Whether an earlier run has left this tile finished and intact.
    virtual bool has(const PairTile&) const { return false; }
    /// `values`: rows × columns of the tile; elements with column ≥ row of a tile on the diagonal mean
    /// nothing. The diagonal of the result is the sink's to know (0, or 1 for a similarity). Tiles that hold
    /// no pair (one instance beside itself) are handed over, too.
    virtual void store(const PairTile& tile, MatrixView<const double> values) = 0;

    /// What would do in place of a tile's values; nothing where all of them are needed.
    virtual std::optional<DigestWish> digestWish() const { return std::nullopt; }
    /// Called only where digestWish() gives something.
    virtual void store(const PairTile& /*tile*/, const TileDigest& /*digest*/) {}

    /// Whether whole numbers would do in place of a tile's values, where these are some.
    virtual bool takesWhole() const { return false; }
    /// Called only where takesWhole().
    virtual void store(const PairTile& /*tile*/, const WholeTile& /*whole*/) {}

    /// Where values can stay on the device that computes them (pairs/device_store.hpp); null: nowhere.
    virtual DeviceStore* onDevice() { return nullptr; }
};

/// A result on its way, tile by tile.
struct TileLoop {
    std::size_t instances = 0;
    std::size_t side = 0;    ///< of the tiles
    std::string_view stage;  ///< for progress: "counting"
    double workPerPair = 0;  ///< that TileSteps::compute tells the progress
    std::size_t sets = 1;    ///< see tileSets
    /// More than 0: only the pairs of an instance from this one on with one before it, as tiles of their own.
    std::size_t references = 0;
    /// A pair has the same value, to the bit, in whichever tile it lies: tiles may be cut for devices that
    /// share them.
    bool isExact = false;
};
/// What one of several devices did.
struct DeviceShare {
    int device = 0;  ///< index, or DeviceCrew::kHost
    std::size_t tiles = 0;
    double pairs = 0;
    std::vector<PairTile> done{};
    std::string failure{};  ///< why it could not go on; others computed the rest. Mostly empty.
};
/// What became of it.
struct TileCount {
    std::size_t tiles = 0;
    std::size_t tilesResumed = 0;       ///< of these, kept from an earlier run
    std::vector<DeviceShare> shares{};  ///< empty where one device computed all
    double storeSeconds = 0;   ///< that computing waited for tiles: for memory, and to be finished and stored
    double besideSeconds = 0;  ///< more of that, while the backend was at work
};

/// A tile at work.
struct TileWork {
    const PairTile& tile;
    std::size_t set;            ///< of memory that the steps keep for a tile, below TileLoop::sets
    MatrixView<double> values;  ///< rows × columns of the tile
};
/// How the values of a tile are found.
struct TileSteps {
    /// By the backend, on the thread that calls computeTiles.
    std::function<void(const TileWork&)> compute;
    /// What is left for the host, if anything; may run beside `compute` of the next tile, which has another
    /// set of memory.
    std::function<void(const TileWork&)> finish = {};
    /// In place of `finish`, the values as whole numbers, for sinks that take them; nothing where they are
    /// none. Empty: they never are.
    std::function<std::optional<WholeTile>(const TileWork&)> whole = {};
    /// The digest of a tile instead of its values, for sinks that wish for one; nothing where the backend
    /// cannot find it: then its values are computed. Empty: no backend can.
    std::function<std::optional<TileDigest>(const PairTile& tile, const DigestWish& wish)> digest = {};
    /// Instead of all this, leaves the values of a tile on the device; false where the host has to do
    /// something. Empty: it always has.
    std::function<bool(const PairTile& tile, DeviceStore& store)> keep = {};
    /// After the last tile that the device computed, also where it failed then; of several devices one at a
    /// time.
    std::function<void()> end = {};
};
/// Makes the steps of a device, on the thread that takes them.
using StepsOn = std::function<TileSteps(Backend& device)>;

/// 2 where the host finishes and stores a tile while the backend is at work on the next: on devices, when
/// there are several tiles. Else 1: `cpu` and `reference` use all threads for every step.
std::size_t tileSets(const Backend& backend, std::size_t instances, std::size_t side);
/// Tiles in the host's memory at once: the sets of all devices.
std::size_t tilesAtOnce(const Backend& backend, std::size_t instances, std::size_t side);
/// `preferred`, or a smaller side that gives each of several devices some tiles, so that they end together.
std::size_t sharedSide(const Backend& backend, std::size_t instances, std::size_t preferred);

/// Computes all tiles that `sink` lacks and hands them over one after another. Throws CancelledError between
/// tiles; what the steps and the sink throw is thrown here.
TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, const TileSteps& steps);
/// The same on all devices of the backend's crew, which take the next tile when they have computed one. A
/// device that fails gives its tile back; throws DeviceError when none is left.
TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, Backend& backend,
                       const StepsOn& stepsOn);

}  // namespace glycine::pairs
