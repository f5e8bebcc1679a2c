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
#include "engine/core/process_team.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/pair_counts.hpp"
#include "engine/pairs/pair_run.hpp"

/// Internal interface that each backend implements. It counts (discrete data) or sums (coordinates) over the
/// attributes of pairs, tile by tile. All later steps (missing values, proportions, files) are shared by the
/// backends.
namespace glycine::distance {

using pairs::PairTile;
using pairs::tilesBelowDiagonal;

/// The part of a request that determines whether a backend supports it.
struct PairRequest {
    Variant variant = Variant::Default;
    bool isCoordinates = false;
    DiscreteShape shape{};  ///< for coordinates only the size; 0 instances or attributes: any number
    CountNeeds needs{};
    Precision precision = Precision::Float32;  ///< for coordinates
};

/// The request to an engine for a whole data set. `needs` apply only to discrete data.
PairRequest requestFor(const DataView& data, CountNeeds needs, Variant variant,
                       Precision precision = Precision::Float32);

/// Counting on one source.
class CountingRun : public pairs::TileRun<std::uint32_t> {
  public:
    virtual Variant variant() const = 0;  ///< the variant that runs, never Default
    std::string_view variantName() const final { return toString(variant()); }
    virtual void count(const PairTile& tile, const PairCounts& counts, Progress& progress) = 0;
    /// The digest of the tile's differing attributes, over pairs with at least `leastInCommon` in common
    /// (only above 0 if `valid` is counted). Nothing if the engine cannot compute it, or has no room for all
    /// close pairs; the caller must then use `count`.
    virtual std::optional<pairs::TileDigest> digest(const PairTile& /*tile*/,
                                                    const pairs::DigestRequest& /*digestRequest*/,
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
class DistanceEngine {
  public:
    virtual ~DistanceEngine() = default;
    static constexpr std::string_view kAlgorithm = "distance";
    static ImplementationList<DistanceEngine>& implementations();
    virtual Support supports(const PairRequest& request) const = 0;
    /// Tile side that suits this backend; the caller may choose a smaller one.
    virtual std::size_t preferredTile(const PairRequest& request) const = 0;
    /// For a request that `supports` accepted. `source` must outlive the run. Computes nothing yet, but may
    /// allocate memory.
    virtual std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                                       Variant variant) = 0;
    /// Sums differences of `coordinates` in their own precision. The coordinates must outlive the run.
    virtual std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term,
                                                     Variant variant) = 0;
    /// Genotypes in the memory of this engine's device, packed there. The memory must outlive the source.
    /// Null if the device does not support it, and if some numbers are not genotypes.
    virtual std::unique_ptr<DiscreteSource> genotypesOnDevice(const DeviceMatrix& /*numbers*/) {
        return nullptr;
    }
    /// Bytes of host memory that a run with tiles of this side needs, besides the data and the results.
    virtual double hostBytes(const PairRequest& /*request*/, std::size_t /*tile*/) const { return 0; }
    /// The precision of sums of coordinates if `requested` is wanted.
    virtual Precision summingPrecision(Precision requested) const { return requested; }
};

/// Whether the counts of a request are meaningful and fit into 32 bits, on any backend. Yes for coordinates.
Support supportsCounts(const PairRequest& request);

/// Recomputes sums in double if float32 terms may have left their range. These are sums that are not finite,
/// and sums so small that terms below 2⁻¹²⁶, which lose up to 2⁻¹⁵⁰ each, contribute more than rounding does.
/// `sums`: elements with column < row of the tile.
void repairSums(CoordinateView coordinates, SumTerm term, const PairTile& tile, MatrixView<double> sums);

/// Number of known attributes of each instance. Reads the whole source once; progress under "counting known
/// attributes". If all processes of a `team` call it for the same source, each reads its part of the
/// attributes.
std::vector<std::size_t> knownAttributes(const DiscreteSource& source, Progress& progress,
                                         ProcessTeam* team = nullptr);

/// Whether `backend` supports the request; "no" if it has no implementation.
Support supportsRequest(Backend& backend, const PairRequest& request);
/// Side of the tiles of a run for such a request, as the other tileSide (distance.hpp). Needs no data.
std::size_t tileSide(Backend& backend, const PairRequest& request);
/// Whether the backend supports this for a whole data set, in the precision that it uses.
Support supportsData(Backend& backend, const DataView& data, CountNeeds needs,
                     const DistanceOptions& options);
/// precisionOn() for the engine's backend; float32 for symbols.
Precision precisionOf(const DistanceEngine& engine, const DataView& data, const DistanceOptions& options);

/// The description of `distance` for lists and help.
const Algorithm& algorithm();

// One per backend, each defined next to its implementation.
namespace reference {
Implementation<DistanceEngine> engine();
}
namespace cpu {
Implementation<DistanceEngine> engine();
}
namespace gl {
Implementation<DistanceEngine> engine();
}
namespace cuda {
Implementation<DistanceEngine> engine();
}

}  // namespace glycine::distance
