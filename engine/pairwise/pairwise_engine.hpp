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

/// Inside the algorithm: what each backend implements.
namespace glycine::pairwise {

/// One request, as far as it decides whether a backend can take it.
struct PairwiseRequest {
    Variant variant = Variant::Default;
    PairScoring scoring{};
    std::size_t sequences = 0;  ///< 0, of these two: any number
    std::size_t longest = 0;    ///< letters of the longest sequence
};
PairwiseRequest requestFor(const Sequences& sequences, const PairwiseOptions& options);

/// Finds two numbers for each pair: its score, and its identities. Work: a unit a pair, whatever its length.
using PairwiseRun = pairs::TileRun<std::int32_t>;
inline constexpr std::size_t kPairQuantities = 2;
/// Puts what was found of a pair where a run is asked for it (empty: nobody asks).
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
    /// Side of the tiles that suit this backend; the caller may choose less.
    virtual std::size_t preferredTile(const PairwiseRequest& request) const = 0;
    /// For a request that `supports` accepted. `sequences` outlive the run. Nothing is computed yet, but
    /// memory may be taken.
    virtual std::unique_ptr<PairwiseRun> start(const Sequences& sequences,
                                               const PairwiseRequest& request) = 0;
    /// Of the kernel of a variant, where it has one that published claims speak of.
    virtual std::optional<KernelUse> kernelOf(Variant /*variant*/) const { return {}; }
};

using PairwiseEngineEntry = Implementation<PairwiseEngine>;
/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const PairwiseRequest& request);

/// Of global and local alignments.
Recurrence recurrenceOf(const PairScoring& scoring);
/// Side of equal tiles of up to `most` sequences; of any number of them (0) `most`.
std::size_t evenTile(std::size_t sequences, std::size_t most);

/// What cells of the recurrences can reach with sequences of at most so many letters.
struct ScoreBounds {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
};
/// Every cell's best score lies between them, and less an opening and an extension what gaps begin with.
ScoreBounds scoreBounds(const PairScoring& scoring, std::size_t shorter, std::size_t longer);
/// Throws UsageError for penalties out of range.
void checkPenalties(const GapPenalties& gaps);
/// Why scores of the request's sequences do not fit 32 bits; yes where they do.
Support scoresFit(const PairwiseRequest& request);

/// Tells the progress of the pairs of a tile, whose lengths differ: a unit a pair in all.
class TileProgress {
  public:
    TileProgress(const Sequences& sequences, const pairs::PairTile& tile, Progress& progress);
    /// So many cells more; in any order, from several threads. Throws CancelledError.
    void advance(double cells) { progress_.advance(cells * unitsPerCell_); }

  private:
    Progress& progress_;
    double unitsPerCell_;
};
/// Some of the sequences in ascending order of length, for backends that align several pairs side by side.
std::vector<std::size_t> placesByLength(const Sequences& sequences, Range range);
/// Cells of the pairs of a tile.
double cellsOf(const Sequences& sequences, const pairs::PairTile& tile);

// One a backend; each is defined beside its implementation.
namespace reference {
PairwiseEngineEntry pairwiseEngine();
}
namespace cpu {
PairwiseEngineEntry pairwiseEngine();
}
namespace gl {
PairwiseEngineEntry pairwiseEngine();
}
namespace cuda {
PairwiseEngineEntry pairwiseEngine();
}

/// `pairwise`, as AlgorithmRegistry takes it.
const Algorithm& pairwiseAlgorithm();

}  // namespace glycine::pairwise
