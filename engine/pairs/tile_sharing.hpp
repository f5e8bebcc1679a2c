#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/core/process_team.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/part_file.hpp"

/// Processes and devices that share the tiles of a result.
namespace glycine::pairs {

/// All tiles of side `side`, in order; see TileLoop::references.
std::vector<PairTile> tilesOf(std::size_t instances, std::size_t side, std::size_t references);

/// Cuts tiles for `devices` that share them. Of the whole tiles that `sink` lacks, the last two per device
/// are cut in four, so that all devices end at about the same time. If a stopped run has begun a tile in
/// pieces, any run that continues cuts it the same way.
std::vector<PairTile> tilesToShare(const std::vector<PairTile>& tiles, std::size_t side, std::size_t devices,
                                   const PairSink& sink);

/// The pieces in which cpu takes a tile: 1, 4 or 16, the fewest whose first one pays; none if it does not.
std::vector<PairTile> piecesForHost(const PairTile& tile, const std::function<bool(double pairs)>& pays);

/// The speeds of the devices that share tiles, which decide which tiles cpu computes. Thread-safe.
class TilePace {
  public:
    /// `pairs`: number of pairs in all open tiles.
    TilePace(double pairs, std::size_t members) : left_(pairs), members_(members) {}
    void finished(std::size_t member, double pairs, double seconds);
    /// The member takes no more tiles.
    void left(std::size_t member);
    /// Whether a member at `rate` pairs per second would finish a tile of `pairs` pairs before the others
    /// could finish all that is left, so that no one waits for it. False until each of the others has
    /// finished a tile, and for less than a tenth of all rates, which costs them more than it saves: threads,
    /// and larger tiles.
    bool pays(std::size_t member, double pairs, double rate) const;
    /// How long the other members will take for all that is left: infinity if none is at work. Nothing until
    /// each of them has finished a tile.
    std::optional<double> secondsOfOthers(std::size_t member) const;
    /// Waits until each of the others has finished a tile. Returns whether they will then take so long for
    /// what is left that it pays the member to measure its rate.
    bool paysToMeasure(std::size_t member, OpenShares& open) const;

  private:
    struct Member {
        double pairs = 0;
        double seconds = 0;
        bool isAtWork = true;
    };
    std::optional<double> ratesOfOthers(std::size_t member) const;

    mutable std::mutex mutex_;
    double left_;
    std::vector<Member> members_;
};

/// Throws UnavailableError if cpu cannot share work with devices. `isExact`: its values are identical to
/// theirs to the bit. `team`: null without one.
void requireSharedWithHost(bool isExact, const ProcessTeam* team);

/// The number of parts of the result, of which this process computes one while a PartAtWork lives. Set once,
/// before tiles get their side: sharedSide uses it.
void setParts(std::size_t parts);

/// During its lifetime, computeTiles skips the tiles of other parts.
class PartAtWork {
  public:
    explicit PartAtWork(const storage::Part& part);
    PartAtWork(const PartAtWork&) = delete;
    PartAtWork& operator=(const PartAtWork&) = delete;
    ~PartAtWork();
};

}  // namespace glycine::pairs
