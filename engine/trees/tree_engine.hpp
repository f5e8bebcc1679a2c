#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/trees/joining_types.hpp"
#include "engine/trees/tree.hpp"

/// Trees of distances on a device. A device runs the rounds of a method; the host builds the tree from what
/// they joined. The result is the host's to the last bit: the device does the same operations in the same
/// order, except for the search for the smallest value, which no order changes.
namespace glycine::trees {

// ---- neighbour joining

/// Sums of distances of the clusters at all places, as neighbour joining keeps and updates them. Empty places
/// have the sum 0.
struct JoiningSums {
    std::vector<double> all;  ///< distances to all other clusters
    double total = 0;         ///< of all pairs
    /// ClustalW's sums of distances to clusters with larger and with smaller names; empty if not requested.
    std::vector<double> behind, before;
};

/// The sums of instances. `distances`: below the diagonal, (1,0), (2,0), (2,1), …
JoiningSums joiningSumsOf(std::size_t instances, std::span<const double> distances, bool roundsAsClustalW);

/// The difference by which equal criteria may differ; `total`: the sum of all distances.
inline double roundingOf(double total) {
    return kCriterionRounding * (std::abs(total) + 1);
}

/// Results of a device for the search of a round; one number per place.
struct JoiningSearch {
    JoiningSums sums;
    double clustalTotal = 0;     ///< the sum of `behind`, in the order of the places
    double least = 0;            ///< the smallest criterion
    std::vector<double> ofRows;  ///< the smallest of each row; rows of empty places have infinity
    std::vector<RowChoice> choices;
};

/// Rounds of neighbour joining on a device. Clusters have places, as on the host; a joined pair keeps the
/// lower one.
class JoiningRounds {
  public:
    virtual ~JoiningRounds() = default;
    /// Runs as many rounds as `found` has elements, which must leave at least three clusters.
    virtual void join(std::span<JoinedPair> found) = 0;
    /// Moves the clusters at these places, in ascending order, to the first places. They must be all that are
    /// left, and fewer than three quarters of the places.
    virtual void compact(std::span<const std::uint32_t> places) = 0;
    /// Searches the next round without joining.
    virtual JoiningSearch search() = 0;
    /// Distances of the cluster at a place to those at lower places.
    virtual std::vector<double> row(std::size_t place) = 0;
};

// ---- average linkage

/// The nearest-neighbour chain of average linkage on a device (clustering.hpp).
class LinkageMerges {
  public:
    virtual ~LinkageMerges() = default;
    /// Makes as many merges as `found` has elements.
    virtual void merge(std::span<MergedPair> found) = 0;
};

// ---- backends

/// Trees on one backend. Host backends have no engine.
class TreeEngine {
  public:
    virtual ~TreeEngine() = default;
    static constexpr std::string_view kAlgorithm = "tree";
    static ImplementationList<TreeEngine>& implementations();
    /// With fewer instances, the host finishes first.
    virtual std::size_t leastInstances(TreeMethod method) const = 0;
    /// Loads distances below the diagonal. Null: the device has no room.
    virtual std::unique_ptr<JoiningRounds> startJoining(std::span<const double> distances,
                                                        const JoiningSums& sums) = 0;
    virtual std::unique_ptr<LinkageMerges> startLinkage(std::size_t instances,
                                                        std::span<const float> distances) = 0;
    virtual std::unique_ptr<LinkageMerges> startLinkage(std::size_t instances,
                                                        std::span<const double> distances) = 0;
};

namespace cuda {
Implementation<TreeEngine> treeEngine();
}

/// The device of one run that builds trees where that is faster. The backend and the recount must outlive it.
class TreeDevice {
  public:
    /// `recount` may be null: only indices are checked then.
    TreeDevice(const Backend& backend, std::unique_ptr<TreeEngine> engine, StageRecount* recount)
        : backend_(backend), engine_(std::move(engine)), recount_(recount) {}
    TreeDevice(Backend& backend, StageRecount* recount);

    /// Takes trees of any size: for comparisons with the host.
    void takeSmallTrees() { takesSmall_ = true; }
    /// Null if the host is to build the tree; reason() then says why.
    TreeEngine* engineFor(TreeMethod method, std::size_t instances);
    const Backend& backend() const { return backend_; }
    StageRecount* recount() const { return recount_; }
    /// Why the host built the last tree; empty: the device did.
    std::string_view reason() const { return reason_; }
    void leaveToHost(std::string_view reason) { reason_ = reason; }

  private:
    const Backend& backend_;
    std::unique_ptr<TreeEngine> engine_;
    StageRecount* recount_;
    bool takesSmall_ = false;
    std::string_view reason_;
};

inline constexpr std::string_view kNoTreeKernels = "one join after another";
inline constexpr std::string_view kSmallTree = "sooner done than sent";
inline constexpr std::string_view kNoRoomForTree = "the device has no room";
inline constexpr std::string_view kTreeOfUnusualDistances = "distances are negative or huge";

}  // namespace glycine::trees
