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

/// Symmetric all-pairs problems: one value per pair of N instances, computed tile by tile.
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
    /// Number of pairs in row `row` of the tile: the pairs with its first columns.
    std::size_t columnsOf(std::size_t row) const { return isDiagonal() ? row : columns.size(); }
    bool operator==(const PairTile&) const = default;
};

/// Pair `number` in the sequence (1, 0), (2, 0), (2, 1), … of all pairs with column < row, as a tile.
PairTile pairNumber(std::size_t number);

/// All tiles of side `side` (the last ones smaller) on and below the diagonal, row by row.
std::vector<PairTile> tilesBelowDiagonal(std::size_t instances, std::size_t side);

/// Cuts a tile into tiles with sides of at most `side`; together they hold the same pairs.
std::vector<PairTile> cutTile(const PairTile& tile, std::size_t side);

/// The block of `whole`, a result of `tile`, that belongs to its piece `piece`; empty if `whole` is.
template <class T>
MatrixView<T> partOf(MatrixView<T> whole, const PairTile& tile, const PairTile& piece) {
    if (whole.empty()) return whole;
    return whole.block(piece.rows.begin - tile.rows.begin, piece.columns.begin - tile.columns.begin,
                       piece.rows.size(), piece.columns.size());
}

/// A view of the tile's size into `memory`, which is reused from tile to tile and grows as needed.
template <class T>
MatrixView<T> fitTile(Matrix<T>& memory, const PairTile& tile) {
    const std::size_t rows = tile.rows.size();
    const std::size_t columns = tile.columns.size();
    if (memory.size() < rows * columns) memory = Matrix<T>(rows, columns);
    return {memory.data(), rows, columns};
}

class DeviceStore;

/// How values are computed from the numbers of a device.
struct DeviceFinish {
    bool isRoot = false;  ///< square root of the number; otherwise number × factor
    double factor = 1;
    /// Smaller numbers have lost digits; the host must compute them again.
    double least = -std::numeric_limits<double>::infinity();
};

/// Receives finished tiles of the symmetric N × N result, one at a time.
class PairSink {
  public:
    virtual ~PairSink() = default;
    /// Whether an earlier run has finished this tile and it is intact.
    virtual bool has(const PairTile&) const { return false; }
    /// `values`: rows × columns of the tile; in a diagonal tile, elements with column ≥ row mean nothing. The
    /// sink itself provides the diagonal of the result (0, or 1 for a similarity). Tiles without a pair (one
    /// instance with itself) are passed, too.
    virtual void store(const PairTile& tile, MatrixView<const double> values) = 0;

    /// A digest that suffices instead of a tile's values; nothing if all values are needed.
    virtual std::optional<DigestRequest> digestRequest() const { return std::nullopt; }
    /// Called only if digestRequest() returns a request.
    virtual void store(const PairTile& /*tile*/, const TileDigest& /*digest*/) {}

    /// Whether whole numbers suffice instead of a tile's values, if the values are whole.
    virtual bool acceptsWholeNumbers() const { return false; }
    /// Called only if acceptsWholeNumbers().
    virtual void store(const PairTile& /*tile*/, const WholeTile& /*whole*/) {}

    /// The store that keeps values on the computing device (pairs/device_store.hpp), or null.
    virtual DeviceStore* onDevice() { return nullptr; }
};

/// A loop over the tiles of a result.
struct TileLoop {
    std::size_t instances = 0;
    std::size_t side = 0;    ///< of the tiles
    std::string_view stage;  ///< for progress: "counting"
    double workPerPair = 0;  ///< progress that TileSteps::compute reports per pair
    std::size_t sets = 1;    ///< see tileSets
    /// If above 0, the result has only pairs of an instance at or after this index with one before it, in
    /// their own tiles.
    std::size_t references = 0;
    /// The value of a pair is identical to the bit in whichever tile it lies, so tiles may be cut for devices
    /// that share them.
    bool isExact = false;
};
/// Work of one of several devices.
struct DeviceShare {
    int device = 0;  ///< index, or DeviceCrew::kHost
    std::size_t tiles = 0;
    double pairs = 0;
    std::vector<PairTile> done{};
    std::string failure{};  ///< why it stopped; others computed the rest. Usually empty.
};
/// The outcome of a loop.
struct TileCount {
    std::size_t tiles = 0;
    std::size_t tilesResumed = 0;       ///< of these, kept from an earlier run
    std::vector<DeviceShare> shares{};  ///< empty if one device computed all tiles
    double storeSeconds = 0;    ///< that computing waited for memory, or for tiles to be finished and stored
    double overlapSeconds = 0;  ///< more of that, overlapping the backend's work
};

/// A tile being computed.
struct TileWork {
    const PairTile& tile;
    std::size_t set;            ///< index of the memory set for this tile, below TileLoop::sets
    MatrixView<double> values;  ///< rows × columns of the tile
};
/// How the values of a tile are computed.
struct TileSteps {
    /// Runs the backend, on the thread that calls computeTiles.
    std::function<void(const TileWork&)> compute;
    /// The host's part, if any. May overlap `compute` of the next tile, which uses another set of memory.
    std::function<void(const TileWork&)> finish = {};
    /// Instead of `finish`, for sinks that take whole numbers: the values as whole numbers, or nothing if
    /// they are not whole. Empty if they never are.
    std::function<std::optional<WholeTile>(const TileWork&)> whole = {};
    /// Instead of the values, for sinks that want one: the digest of a tile, or nothing if the backend cannot
    /// compute it; then its values are computed. Empty if no backend can.
    std::function<std::optional<TileDigest>(const PairTile& tile, const DigestRequest& digestRequest)>
        digest = {};
    /// Instead of all of these, leaves the values of a tile on the device. Returns false if the host must do
    /// part of it. Empty if it always must.
    std::function<bool(const PairTile& tile, DeviceStore& store)> keep = {};
    /// Called once the values or the digest of a tile are in the sink, one tile of a device at a time. A tile
    /// that could not be stored goes to another device, which counts it then. `set`: that of the tile, or
    /// kOfDigest.
    std::function<void(std::size_t set)> stored = {};
    static constexpr std::size_t kOfDigest = 2;
    /// Called after the last tile that the device computed, even if it failed; for one of several devices at
    /// a time. An exception ends the run after the last tile of all devices.
    std::function<void()> end = {};
};
/// Creates the steps of a device, on the thread that runs them.
using StepsOn = std::function<TileSteps(Backend& device)>;

/// 2 if the host finishes and stores a tile while the backend computes the next one: on devices with several
/// tiles. Else 1, because `cpu` and `reference` use all threads for every step.
std::size_t tileSets(const Backend& backend, std::size_t instances, std::size_t side);
/// Tiles in host memory at once: the sets of all devices.
std::size_t tilesAtOnce(const Backend& backend, std::size_t instances, std::size_t side);
/// `preferred`, or a smaller side that gives each device several tiles, so that the devices end together.
std::size_t sharedSide(const Backend& backend, std::size_t instances, std::size_t preferred);
/// The same for so many devices that share the tiles.
std::size_t sideForDevices(std::size_t devices, std::size_t instances, std::size_t preferred);

/// Computes all tiles that `sink` lacks and passes them on one after another. Throws CancelledError between
/// tiles, and rethrows the exceptions of the steps and the sink.
TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, const TileSteps& steps);
/// The same on all devices of the backend's crew; each takes the next tile when it has finished one. A device
/// that fails gives its tile back; throws DeviceError if none is left.
TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress, Backend& backend,
                       const StepsOn& stepsOn);

}  // namespace glycine::pairs
