#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/part_file.hpp"

/// Several processes that share the tiles of a result.
namespace glycine::pairs {

/// The tiles of a result of tiles of side `side`, in their order; see TileLoop::references.
std::vector<PairTile> tilesOf(std::size_t instances, std::size_t side, std::size_t references);

/// Who shares tiles.
struct Sharers {
    std::size_t devices = 1;
    bool haveHost = false;  ///< and cpu besides
};
/// The tiles as they share them: of the whole ones that `sink` lacks, the last two a device are cut in four,
/// so that all devices end at about the same time; where cpu takes some, the last two in 64, since it takes
/// longer. Tiles of which a stopped run has left pieces are cut as they were, whoever goes on.
std::vector<PairTile> tilesToShare(const std::vector<PairTile>& tiles, std::size_t side,
                                   const Sharers& sharers, const PairSink& sink);

/// How fast those who share tiles are, which decides what cpu takes. Any thread may call it.
class TilePace {
  public:
    /// `pairs`: of all open tiles.
    TilePace(double pairs, std::size_t members) : left_(pairs), members_(members) {}
    void finished(std::size_t member, double pairs, double seconds);
    /// It takes no more tiles.
    void left(std::size_t member);
    /// Whether a member that does `rate` pairs a second will have finished a tile before the others could
    /// have finished all that is left: so that nobody waits for it. Not before each of the others has
    /// finished a tile.
    bool pays(std::size_t member, double pairs, double rate) const;

  private:
    struct Member {
        double pairs = 0;
        double seconds = 0;
        bool isAtWork = true;
    };
    mutable std::mutex mutex_;
    double left_;
    std::vector<Member> members_;
};

/// Of how many parts this process computes one; computeTiles does so while a PartAtWork lives. Set once,
/// before tiles have a side: sharedSide asks for it.
void setParts(std::size_t parts);

/// While it lives, computeTiles passes over the tiles of other parts.
class PartAtWork {
  public:
    explicit PartAtWork(const storage::Part& part);
    PartAtWork(const PartAtWork&) = delete;
    PartAtWork& operator=(const PartAtWork&) = delete;
    ~PartAtWork();
};

}  // namespace glycine::pairs
