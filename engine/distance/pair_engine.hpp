#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/algorithm.hpp"
#include "engine/core/device_matrix.hpp"
#include "engine/core/implementation.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance.hpp"
#include "engine/pairs/pair_run.hpp"

/// Inside the algorithm: what each backend implements. It counts (discrete data) or sums (coordinates) over
/// the attributes of pairs, tile by tile; everything after that (missing values, proportions, files) is the
/// same for all backends and done elsewhere.
namespace glycine::distance {

using pairs::PairTile;
using pairs::tilesBelowDiagonal;

/// Which counts are wanted beside `differing`.
struct CountNeeds {
    bool opposite = false;
    bool valid = false;
    bool operator==(const CountNeeds&) const = default;
};

/// Results of a tile, rows × columns each; a view that is not needed is empty. An attribute counts only where
/// both instances have a value. Elements with column < row must be written, others of a tile on the diagonal
/// may hold anything afterwards; nothing outside the views is touched.
struct PairCounts {
    MatrixView<std::uint32_t> differing;  ///< attributes with different symbols (genotypes: IBS0 + IBS1)
    MatrixView<std::uint32_t> opposite;   ///< attributes with opposite homozygotes (IBS0); genotypes only
    MatrixView<std::uint32_t> valid;      ///< attributes that both instances have
};

/// One request, as far as it decides whether a backend can take it.
struct PairRequest {
    Variant variant = Variant::Default;
    bool isCoordinates = false;
    DiscreteShape shape{};  ///< of coordinates the size alone; 0 instances or attributes: any number
    CountNeeds needs{};
    Precision precision = Precision::Float32;  ///< of coordinates
};

/// What is asked of an engine about the whole of some data. `needs` concern discrete data only.
PairRequest requestFor(const DataView& data, CountNeeds needs, Variant variant,
                       Precision precision = Precision::Float32);

/// Work on one source.
class CountingRun : public pairs::TileRun<std::uint32_t> {
  public:
    virtual Variant variant() const = 0;  ///< the one that runs, never Default
    std::string_view variantName() const final { return toString(variant()); }
    virtual void count(const PairTile& tile, const PairCounts& counts, Progress& progress) = 0;
    /// The digest of the tile's numbers of attributes that differ, of pairs that have `leastInCommon` in
    /// common (more than 0 only where `valid` is counted). Nothing where the engine finds none, or has no
    /// room for all close pairs: then `count` has to do.
    virtual std::optional<pairs::TileDigest> digest(const PairTile& /*tile*/,
                                                    const pairs::DigestWish& /*wish*/,
                                                    std::size_t /*leastInCommon*/, Progress& /*progress*/) {
        return std::nullopt;
    }
    /// `results`: differing, opposite, valid.
    void compute(const PairTile& tile, std::span<const MatrixView<std::uint32_t>> results,
                 Progress& progress) final {
        count(tile, {results[0], results[1], results[2]}, progress);
    }
};
class SummingRun : public pairs::TileRun<double> {
  public:
    virtual Variant variant() const = 0;
    std::string_view variantName() const final { return toString(variant()); }
    virtual void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) = 0;
    void compute(const PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) final {
        sum(tile, results.front(), progress);
    }
};

/// The algorithm on one backend.
class PairEngine {
  public:
    virtual ~PairEngine() = default;
    static constexpr std::string_view kAlgorithm = "distance";
    static ImplementationList<PairEngine>& implementations();
    virtual Support supports(const PairRequest& request) const = 0;
    /// Side of the tiles that suit this backend; the caller may choose less.
    virtual std::size_t preferredTile(const PairRequest& request) const = 0;
    /// For a request that `supports` accepted. `source` outlives the run. Nothing is computed yet, but memory
    /// may be taken.
    virtual std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                                       Variant variant) = 0;
    /// Sums differences of `coordinates` in their own precision. They outlive the run.
    virtual std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term,
                                                     Variant variant) = 0;
    /// Genotypes in the memory of this engine's device, which outlive the source and are packed there. Null
    /// where the device does not take them, and where some are none.
    virtual std::unique_ptr<DiscreteSource> genotypesOnDevice(const DeviceMatrix& /*numbers*/) {
        return nullptr;
    }
    /// Bytes of the host's memory that a run on tiles of this side takes beside the data and the results.
    virtual double hostBytes(const PairRequest& /*request*/, std::size_t /*tile*/) const { return 0; }
    /// The precision of coordinates that this engine takes where `asked` is asked for.
    virtual Precision summingPrecision(Precision asked) const { return asked; }
};

/// Whether the counts of a request mean something and fit 32 bits, whatever the backend. Yes for coordinates.
Support supportsCounts(const PairRequest& request);

/// Sums again in double where float32 terms may have left their range: sums that are not finite, or so small
/// that terms below 2⁻¹²⁶, which lose up to 2⁻¹⁵⁰ each, make up more of them than a rounding does. `sums`:
/// elements with column < row of the tile.
void repairSums(CoordinateView coordinates, SumTerm term, const PairTile& tile, MatrixView<double> sums);

/// Attributes that each instance has. Reads the whole source once; progress under "counting known
/// attributes".
std::vector<std::size_t> knownAttributes(const DiscreteSource& source, Progress& progress);

using PairEngineEntry = Implementation<PairEngine>;
/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const PairRequest& request);
/// Whether it can do this with the whole of some data, in the precision that it takes.
Support supportsData(Backend& backend, const DataView& data, CountNeeds needs,
                     const DistanceOptions& options);
/// precisionOn() of the engine's backend; float32 for symbols.
Precision precisionOf(const PairEngine& engine, const DataView& data, const DistanceOptions& options);

/// What is known of `distance` without running it.
const Algorithm& algorithm();

// One a backend; each is defined beside its implementation.
namespace reference {
PairEngineEntry engine();
}
namespace cpu {
PairEngineEntry engine();
}
namespace gl {
PairEngineEntry engine();
}
namespace cuda {
PairEngineEntry engine();
}

}  // namespace glycine::distance
