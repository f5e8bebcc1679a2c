#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/block_layout.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/process_team.hpp"

/// Smoothing by several workers, which are the devices of one process or the processes of glycine-mpi. Each
/// worker keeps its own blocks of the matrices and runs the same rounds.
///
/// Upper bounds, round k of blocked Floyd-Warshall: the owner of block (k, k) closes it; the owners of the
/// blocks in row and column k relax them through it (the panel); each worker relaxes its other blocks through
/// the panel. The blocks of the next panel go first, so that it is made and exchanged during the rest. A
/// panel is one row of blocks, since the matrix is symmetric. A worker receives the panel's blocks in its own
/// rows and columns of blocks.
///
/// Lower bounds: the products T_qi = max over p of l_pq − U_pi and L_ji = max over q of T_qi − U_qj, in
/// rounds as well, each with a panel of either operand.
///
/// A worker whose blocks do not fit the memory that computes goes through several rounds at a time: it makes
/// their panels one after the other, with the blocks in their rows and columns, and sends each other block
/// through all of them at once. Every block goes through the rounds in the same order, so that the depth of
/// one worker concerns no other and no bit of the result.
///
/// Pivots are as deep as the tiles of the same backend alone, and sums are taken in the same order: results
/// have the same bits, whatever the number of workers.
///
/// With N = atoms rounded up to blocks, and a grid of r × c workers, panels of N² numbers go to r + c − 2
/// workers each: N² (r + c − 2) numbers for the upper bounds, and four times as many for the lower ones.
namespace glycine::bounds {

enum class SharedMatrix { Upper, Lower, HalfWay };

/// Block `block` of the panel of round k: of row k of a matrix.
struct PanelBlock {
    SharedMatrix matrix = SharedMatrix::Upper;
    std::size_t k = 0;
    std::size_t block = 0;
};

/// Block (row, column) of a matrix.
struct BlockPlace {
    SharedMatrix matrix = SharedMatrix::Upper;
    std::size_t row = 0, column = 0;
};

/// One worker's blocks, and the arithmetic on them. Blocks of HalfWay are kept on both sides of the diagonal.
/// Panels of 2 · depth() successive rounds exist at a time. Work that has begun may
/// run until wait(). Meanwhile, rounds use their own panels, and the next panels are made.
class BlockWorker {
  public:
    virtual ~BlockWorker() = default;
    /// Fills own blocks. `cut` writes block `index` of `places`, side × side numbers in host memory; several
    /// threads call it at once.
    virtual void load(const std::vector<BlockPlace>& places,
                      const std::function<void(std::size_t index, std::byte* block)>& cut) = 0;
    /// The reverse: `paste` reads them.
    virtual void store(const std::vector<BlockPlace>& places,
                       const std::function<void(std::size_t index, const std::byte* block)>& paste) = 0;
    /// Whether another thread may load and store blocks during rounds that do not use them, without slowing
    /// the rounds.
    virtual bool canCopyDuringRounds() const { return false; }

    /// Own blocks of row k become blocks of the panel, turned where they stand below the diagonal.
    virtual void gather(SharedMatrix matrix, std::size_t k) = 0;
    /// Where block (k, k) is an own one: closes it in the panel.
    virtual void closePivot(std::size_t k) = 0;
    /// Relaxes own blocks of the panel through the pivot, which is there, and puts them back.
    virtual void finishPanel(std::size_t k) = 0;
    /// The panel (or both panels that raise `raised`) is complete.
    virtual void preparePanel(SharedMatrix raised, std::size_t k) = 0;
    /// Relaxes own blocks in rows and columns `next` through the panels of `rounds`, those in row or column k
    /// of these through the rounds after k alone.
    virtual void relaxAhead(Range rounds, Range next) = 0;
    /// Begins to relax all others, likewise.
    virtual void beginRest(Range rounds, Range next) = 0;
    /// Before the rounds that raise HalfWay or Lower. HalfWay begins as the lower bounds: on and above the
    /// diagonal they are there, below it they were loaded.
    virtual void beginProduct(SharedMatrix raised) = 0;
    /// Begins to raise own blocks by the terms of the panels of `rounds`.
    virtual void beginRaise(SharedMatrix raised, Range rounds) = 0;
    virtual void wait() = 0;

    // Exchange of panels. Given blocks stay unchanged until the next call.
    /// Waits until all blocks made here can be given.
    virtual void settle() {}
    virtual const std::byte* give(const PanelBlock& block) = 0;
    virtual std::byte* room(const PanelBlock& block) = 0;
    virtual void received(const PanelBlock& /*block*/) {}
    /// From a worker of the same process.
    virtual void copyFrom(BlockWorker& other, const PanelBlock& block);
    std::size_t blockBytes() const { return blockBytes_; }
    /// Rounds at a time, at least 1.
    std::size_t depth() const { return depth_; }
    /// Describes blocks outside the memory that computes; empty if there are none.
    virtual std::string note() const { return {}; }
    /// Of the host, for work on its blocks.
    int threads() const { return threads_; }

  protected:
    BlockWorker(std::size_t blockBytes, int threads) : blockBytes_(blockBytes), threads_(threads) {}

    void setDepth(std::size_t depth) { depth_ = depth; }

  private:
    std::size_t blockBytes_;
    std::size_t depth_ = 1;
    int threads_;
};

/// Parameters of one worker.
struct WorkerPart {
    NumberFormat format = NumberFormat::Float32;
    BlockLayout layout;
    std::size_t self = 0;
    bool hasLower = false;
    std::size_t workersOnHost = 1;  ///< which share its threads
    std::uint64_t hostBytes = 0;    ///< of memory that this worker may take for its blocks
};

/// Parameters that the lead sends to the other processes.
struct SharedTask {
    std::string backend;
    NumberFormat format = NumberFormat::Float32;
    std::size_t atoms = 0;
    std::size_t side = 0;
    bool hasLower = false;
    bool closesUpper = true;
    bool keepsInput = false;  ///< the lead's alone: results go above the diagonals, see SmoothingOptions
};

/// Of these matrices, without a backend and its blocks.
SharedTask taskOf(const AnyBoundMatrices& matrices);

/// Waits for the lead's task. Returns nothing if the lead works alone.
std::optional<SharedTask> receiveTask(ProcessTeam& team);
/// Works for the lead until its smoothing ends.
void serveSmoothing(Backend& backend, const SharedTask& task, ProcessTeam& team);

/// Smooths by one worker, whose blocks need not fit its device. Throws as smoothTogether.
SmoothingOutcome smoothInBlocks(SmoothingEngine& engine, const AnyBoundMatrices& matrices, Variant variant,
                                Progress& progress);

/// Smooths by the crew of `backend` or the team at work. `keepsInput`: leaves what is below the diagonals as
/// it was; the others of a crew then begin again without a device that fails. Throws as
/// SmoothingEngine::smooth, UnavailableError where the backend or the variant shares no blocks.
SmoothingOutcome smoothTogether(Backend& backend, SmoothingEngine& engine, const AnyBoundMatrices& matrices,
                                Variant variant, bool keepsInput, Progress& progress);

}  // namespace glycine::bounds
