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

namespace glycine::pairs {

/// Where the time of a backend went, in seconds of a steady clock, over all tiles.
struct PairTimes {
    double pack = 0;      ///< reading the input and packing it on the host
    double upload = 0;    ///< to the device and into its layout
    double compute = 0;   ///< comparing the pairs
    double download = 0;  ///< back into host memory
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

/// A backend at work on one input.
class PairRun {
  public:
    virtual ~PairRun() = default;
    /// Of the variant that runs, never "default".
    virtual std::string_view variantName() const = 0;
    /// Seconds so far, each stage ending with the device idle.
    virtual PairTimes times() const = 0;
    /// What was decided on the way; may be empty.
    virtual std::string note() const { return {}; }
    /// Of `compute`, what each kernel has taken so far, by the device's own clock, in the order in which they
    /// run; empty where they are not told apart.
    virtual std::vector<KernelTime> kernelTimes() const { return {}; }
};

/// What became of a run on all tiles.
struct RunOutcome : TileCount {
    std::string backend;
    std::string variant;  ///< the one that ran, never "default"
    std::string device;
    PairTimes times;
    std::string note;

    RunOutcome() = default;
    RunOutcome(const Backend& ranOn, const PairRun& run, const TileCount& count)
        : TileCount(count),
          backend(ranOn.name()),
          variant(run.variantName()),
          device(ranOn.device()),
          times(run.times()),
          note(run.note()) {}
};

/// A pair that was found once more.
struct RecountedPair {
    std::size_t row = 0;
    std::size_t column = 0;  ///< below the row
    double value = 0;
    double allowed = 0;  ///< difference that a right value may have
};

/// A run that finds numbers of type T for each pair, one for each quantity that is asked about. Tiles come
/// one after another from one thread; what can be kept between them (operands on a device) may be.
template <class T>
class TileRun : public PairRun {
  public:
    /// `results`: a matrix a quantity, rows × columns of the tile; empty where nobody asks. Elements with
    /// column < row must be written, others of a tile on the diagonal may hold anything afterwards; nothing
    /// outside the matrices is touched. `progress` advances by tile.pairs() × attributes in all, in portions
    /// of some tenths of a second.
    virtual void compute(const PairTile& tile, std::span<const MatrixView<T>> results,
                         Progress& progress) = 0;
    /// The same of the first quantity, whose values stay on the device; false where the host has to do
    /// something.
    virtual bool keep(const PairTile& /*tile*/, DeviceStore& /*store*/, DeviceFinish /*finish*/,
                      Progress& /*progress*/) {
        return false;
    }
};

}  // namespace glycine::pairs
