#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/kernel_use.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairwise/pairwise.hpp"
#include "engine/pairwise/recurrences.hpp"

/// Internal to the algorithm: the interface that each backend implements.
namespace glycine::pairwise {

/// The part of a request that determines whether a backend supports it.
struct PairwiseRequest {
    Variant variant = Variant::Default;
    PairScoring scoring{};
    std::size_t sequences = 0;  ///< 0: any number
    std::size_t longest = 0;    ///< letters of the longest sequence
};
PairwiseRequest requestFor(const Sequences& sequences, const PairwiseOptions& options);

/// Computes two numbers for each pair: its score and its identities. Each pair counts as one unit of work,
/// whatever its length.
using PairwiseRun = pairs::TileRun<std::int32_t>;
inline constexpr std::size_t kPairQuantities = 2;
/// Stores the results of a pair in those views that are requested (not empty).
inline void putResult(std::span<const MatrixView<std::int32_t>> results, std::size_t row, std::size_t column,
                      const PairResult& found) {
    if (!results[0].empty()) results[0](row, column) = static_cast<std::int32_t>(found.score);
    if (!results[1].empty()) results[1](row, column) = static_cast<std::int32_t>(found.identities);
}

/// The algorithm on one backend.
class PairwiseEngine {
  public:
    virtual ~PairwiseEngine() = default;
    static constexpr std::string_view kAlgorithm = "pairwise";
    static ImplementationList<PairwiseEngine>& implementations();
    virtual Support supports(const PairwiseRequest& request) const = 0;
    /// Tile side that suits this backend; the caller may choose less.
    virtual std::size_t preferredTile(const PairwiseRequest& request) const = 0;
    /// Starts a run for a request that `supports` accepted. `sequences` must outlive the run. Nothing is
    /// computed yet, but memory may be allocated.
    virtual std::unique_ptr<PairwiseRun> start(const Sequences& sequences,
                                               const PairwiseRequest& request) = 0;
    /// Facts about the kernel of a variant, if published claims refer to it.
    virtual std::optional<KernelUse> kernelOf(Variant /*variant*/) const { return {}; }
};

/// Whether `backend` can take the request; also "no" if it has no implementation at all.
Support supportsRequest(Backend& backend, const PairwiseRequest& request);
/// Side of the tiles of a run for such a request, as the other tileSide (pairwise.hpp). Needs no data.
std::size_t tileSide(Backend& backend, const PairwiseRequest& request);

/// The recurrence of global and local alignments.
Recurrence recurrenceOf(const PairScoring& scoring);
/// Side of equal tiles of at most `most` sequences; for an unknown number of sequences (0), `most`.
std::size_t evenTile(std::size_t sequences, std::size_t most);

/// Bounds of the cells' scores for sequences up to these lengths.
struct ScoreBounds {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
};
/// The best score of every cell lies within the bounds. The scores of gaps may be lower by an opening and an
/// extension.
ScoreBounds scoreBounds(const PairScoring& scoring, std::size_t shorter, std::size_t longer);
/// Throws UsageError for penalties out of range.
void checkPenalties(const GapPenalties& gaps);
/// Whether scores of the request's sequences fit in 32 bits, or why not.
Support scoresFit(const PairwiseRequest& request);

/// Reports progress on the pairs of a tile, whose lengths differ; the total is one unit per pair.
class TileProgress {
  public:
    TileProgress(const Sequences& sequences, const pairs::PairTile& tile, Progress& progress);
    /// Adds cells; callable in any order and from several threads. Throws CancelledError.
    void advance(double cells) { progress_.advance(cells * unitsPerCell_); }

  private:
    Progress& progress_;
    double unitsPerCell_;
};
/// The sequences of a range by ascending length, for backends that align several pairs in parallel.
std::vector<std::size_t> placesByLength(const Sequences& sequences, Range range);
/// The number of cells of a tile's pairs.
double cellsOf(const Sequences& sequences, const pairs::PairTile& tile);

// One per backend; each is defined next to its implementation.
namespace reference {
Implementation<PairwiseEngine> pairwiseEngine();
}
namespace cpu {
Implementation<PairwiseEngine> pairwiseEngine();
}
namespace gl {
Implementation<PairwiseEngine> pairwiseEngine();
}
namespace cuda {
Implementation<PairwiseEngine> pairwiseEngine();
}

/// The `pairwise` algorithm as AlgorithmRegistry describes it.
const Algorithm& pairwiseAlgorithm();

}  // namespace glycine::pairwise
