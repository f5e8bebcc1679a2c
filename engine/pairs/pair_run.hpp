#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine {
class ProcessTeam;
}

namespace glycine::pairs {

/// Where a backend's time went, in seconds of a steady clock, over all tiles.
struct PairTimes {
    double pack = 0;      ///< reading the input and packing it on the host
    double upload = 0;    ///< to the device, and into the device's layout
    double compute = 0;   ///< comparing the pairs
    double download = 0;  ///< back to host memory
    double total() const { return pack + upload + compute + download; }
    PairTimes& operator+=(const PairTimes& more) {
        pack += more.pack;
        upload += more.upload;
        compute += more.compute;
        download += more.download;
        return *this;
    }
};

/// Seconds that a kernel took.
using KernelTime = std::pair<std::string_view, double>;

/// A stage that a run on a device left to the host, and why.
struct HostStage {
    std::string_view stage;  ///< "sums over blocks of attributes"
    std::string_view reason;
};

/// A backend working on one input.
class PairRun {
  public:
    virtual ~PairRun() = default;
    /// Called before the first tile by all processes of a team that shares the tiles, whose rows and columns
    /// begin at multiples of `side`: the run may share with the other processes of its host what it makes of
    /// the input.
    virtual void beginShared(ProcessTeam& /*team*/, std::size_t /*side*/) {}
    /// Name of the variant that runs, never "default".
    virtual std::string_view variantName() const = 0;
    /// Seconds so far. Each stage ends with the device idle.
    virtual PairTimes times() const = 0;
    /// Decisions made on the way, for reports; may be empty.
    virtual std::string note() const { return {}; }
    /// Stages so far that depend on the input and that the host ran instead of the device.
    virtual std::vector<HostStage> hostStages() const { return {}; }
    /// Each kernel's share of `compute` so far, by the device's own clock, in execution order. Empty if
    /// kernels are not timed separately.
    virtual std::vector<KernelTime> kernelTimes() const { return {}; }
};

/// The outcome of a run over all tiles.
struct RunOutcome : TileCount {
    std::string backend;
    std::string variant;  ///< the one that ran, never "default"
    std::string device;
    PairTimes times;
    std::string note;
    std::vector<HostStage> hostStages;

    RunOutcome() = default;
    RunOutcome(const Backend& ranOn, const PairRun& run, const TileCount& count)
        : TileCount(count),
          backend(ranOn.name()),
          variant(run.variantName()),
          device(ranOn.device()),
          times(run.times()),
          note(run.note()),
          hostStages(run.hostStages()) {}
};

/// A pair that was counted again.
struct RecountedPair {
    std::size_t row = 0;
    std::size_t column = 0;  ///< less than the row
    double value = 0;
    double allowed = 0;  ///< difference that rounding may cause
};

/// A run that computes numbers of type T for each pair, one per requested quantity. Tiles come one at a time
/// from one thread, so operands may be kept on a device between them.
template <class T>
class TileRun : public PairRun {
  public:
    /// `results`: one matrix per quantity, rows × columns of the tile; empty if not requested. Elements with
    /// column < row must be written; other elements of a diagonal tile are undefined afterwards. Nothing
    /// outside the matrices is written. `progress` advances by tile.pairs() × attributes in all, in steps of
    /// a few tenths of a second.
    virtual void compute(const PairTile& tile, std::span<const MatrixView<T>> results,
                         Progress& progress) = 0;
    /// The same for the first quantity, whose values stay on the device. Returns false if the host must do
    /// part of it.
    virtual bool keep(const PairTile& /*tile*/, DeviceStore& /*store*/, DeviceFinish /*finish*/,
                      Progress& /*progress*/) {
        return false;
    }
};

}  // namespace glycine::pairs
