#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <vector>

#include "engine/bounds/cpu/cpu_blocks.hpp"
#include "engine/bounds/cpu/dense_smoothing.hpp"
#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/bounds/cpu/sparse_search.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::bounds::cpu {

namespace {

template <class T>
SymmetricTiles<T> allocateTiles(std::size_t atoms) {
    try {
        return SymmetricTiles<T>(atoms, tileSideFor(atoms));
    } catch (const std::bad_alloc&) {
        const double n = static_cast<double>(atoms);
        throw UnavailableError(fmt::format(
            "smoothing {} atoms takes {:.1f} GiB of memory besides the matrices, more than the system gives",
            atoms, n * n / 2 * sizeof(T) / (1 << 30)));
    }
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {"float32", "float64", "fixed"},
        {{Variant::Dense,
          "blocked Floyd-Warshall for the upper bounds, pruned products for the lower",
          "",
          {},
          true},
         {Variant::Sparse, "searches over the known upper bounds only, pruned products for the lower"},
         {Variant::Recursive, "recursive Floyd-Warshall for the upper bounds, pruned products for the lower",
          "Park, Penner, Prasanna 2002"}},
        {Variant::Sparse});
    return table;
}

/// Closes the upper bounds as closeUpperBounds() does, by Floyd-Warshall that halves rows, columns and k
/// down to single tiles: at each depth it works on a part of the matrix that some cache holds, without
/// knowing its size. Sums are taken in another order than in `dense`, and tiles are updated in place. The
/// result does not depend on the number of threads or on the instruction set. Allocates four tiles per
/// thread.
///
/// Source: J.-S. Park, M. Penner, V. K. Prasanna, "Optimizing Graph Algorithms for Improved Cache
/// Performance", IPDPS 2002; IEEE Transactions on Parallel and Distributed Systems 15 (2004), 769–782
/// (procedure FWR). Of the symmetric matrix only the tiles on and above the diagonal are computed.
template <class T>
class RecursiveFloydWarshall {
  public:
    RecursiveFloydWarshall(SymmetricTiles<T>& tiles, const MinPlusKernel<T>& kernel, int threads,
                           Progress& progress)
        : tiles_(tiles),
          kernel_(kernel),
          products_(kernel, tiles.side()),
          side_(tiles.side()),
          threads_(threads),
          progress_(progress) {
        for (int thread = 0; thread < threads; ++thread)
            scratch_.emplace_back(4, packedSize<T>(side_, side_));
    }

    /// Throws CancelledError.
    void run() {
        const std::size_t count = tiles_.count();
        progress_.begin("upper bounds", static_cast<double>(count * count * (count + 1) / 2));
        const Range all{0, count};
#pragma omp parallel num_threads(threads_)
#pragma omp single
        relax(all, all, all);
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    /// Relaxes tiles of these rows and columns through those of k. Any two of the ranges are equal or
    /// disjoint. Another call relaxes the mirror image of the elements below the diagonal.
    void relax(Range rows, Range columns, Range through) {
        if (rows.size() == 0 || columns.size() == 0 || through.size() == 0 || rows.begin >= columns.end)
            return;
        if (rows.size() == 1 && columns.size() == 1 && through.size() == 1)
            return relaxTile(rows.begin, columns.begin, through.begin);
        const Halves i(rows), j(columns), k(through);
        if (rows == through && columns == through) {
            relax(i.first, j.first, k.first);
            relax(i.first, j.second, k.first);
            relax(i.second, j.second, k.first);
            relax(i.second, j.second, k.second);
            relax(i.first, j.second, k.second);
            relax(i.first, j.first, k.second);
        } else if (rows == through) {
            together({j.first, j.second}, [&](Range own) {
                relax(i.first, own, k.first);
                relax(i.second, own, k.first);
                relax(i.second, own, k.second);
                relax(i.first, own, k.second);
            });
        } else if (columns == through) {
            together({i.first, i.second}, [&](Range own) {
                relax(own, j.first, k.first);
                relax(own, j.second, k.first);
                relax(own, j.second, k.second);
                relax(own, j.first, k.second);
            });
        } else {
            for (const Range half : {k.first, k.second})
                together({i.first, i.second}, [&](Range own) {
                    together({j.first, j.second}, [&](Range other) { relax(own, other, half); });
                });
        }
    }

    struct Halves {
        explicit Halves(Range range) {
            const std::size_t middle = range.begin + (range.size() + 1) / 2;
            first = {range.begin, middle};
            second = {middle, range.end};
        }
        Range first, second;
    };

    /// Both parts of work at the same time; neither reads what the other writes.
    template <class Work>
    void together(const Range (&parts)[2], const Work& work) {
        const Range first = parts[0];
#pragma omp task shared(work) firstprivate(first)
        work(first);
        work(parts[1]);
#pragma omp taskwait
    }

    /// No exception may leave a task.
    void relaxTile(std::size_t row, std::size_t column, std::size_t through) {
        if (stopped_) return;
        try {
            Matrix<T>& scratch = scratch_[static_cast<std::size_t>(omp_get_thread_num())];
            if (row == through && column == through)
                products_.close(tiles_.tile(row, row), tiles_.range(row).size(), scratch);
            else
                multiply(row, column, through, scratch);
            progress_.advance(1);
        } catch (...) {
            if (!stopped_.exchange(true)) failure_ = std::current_exception();
        }
    }

    /// Tiles on the diagonal are computed on both sides of it, because they are operands as a whole.
    void multiply(std::size_t row, std::size_t column, std::size_t through, Matrix<T>& scratch) {
        T* const left = scratch.row(0);
        T* const right = scratch.row(1);
        pack(left, kernel_.rows, through, row, scratch.row(2));
        pack(right, kernel_.columns, through, column, scratch.row(3));
        products_.multiply(left, right, tiles_.range(through).size(), tiles_.tile(row, column),
                           paddedSize(row), paddedSize(column));
    }

    /// Packs the tile of rows `through` and of columns `block`.
    void pack(T* packed, std::size_t width, std::size_t through, std::size_t block, T* turned) {
        const bool isStored = through <= block;
        if (!isStored) products_.transpose(tiles_.tile(block, through), turned);
        const T* const tile = isStored ? tiles_.tile(through, block) : turned;
        packStrips<T>(
            packed, width, tiles_.range(through).size(), [&](std::size_t k) { return tile + k * side_; },
            paddedSize(block), paddedSize(block), T(0));
    }

    std::size_t paddedSize(std::size_t block) const {
        return roundUp(tiles_.range(block).size(), kMinPlusBlock);
    }

    SymmetricTiles<T>& tiles_;
    const MinPlusKernel<T>& kernel_;
    TileProducts<T> products_;
    std::size_t side_;
    int threads_;
    Progress& progress_;
    std::vector<Matrix<T>> scratch_;  ///< of a thread: two packed operands, and room to turn each
    std::atomic<bool> stopped_{false};
    std::exception_ptr failure_;
};

class CpuSmoothingEngine : public SmoothingEngine {
  public:
    explicit CpuSmoothingEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const SmoothingRequest& request) const override {
        return variants().supports(request.variant);
    }

    SmoothingOutcome smooth(const AnyBoundMatrices& matrices, Variant variant, Progress& progress) override {
        return std::visit([&](const auto& typed) { return run(typed, variant, progress); }, matrices);
    }

    /// Searches from atoms are left to the lead: they pay where they take little time.
    SmoothingOutcome beginShared(const AnyBoundMatrices& matrices, Variant variant, Progress& progress,
                                 SharedTask& task) override {
        task.side = tileSideFor(task.atoms);
        if (variant == Variant::Recursive)
            throw UnavailableError("variant 'recursive' is of one process; 'dense' shares its blocks");
        return std::visit(
            [&]<class T>(const BoundMatrices<T>& typed) {
                const Stopwatch watch;
                SmoothingOutcome outcome;
                const std::optional<KnownBounds<T>> known = decide(typed, variant, outcome);
                task.closesUpper = outcome.variant == Variant::Dense;
                if (!task.closesUpper)
                    smoothUpperBoundsSparse<T>(typed.upper, *known,
                                               kernelFor<MinPlusKernel<T>>(instructions_), threads_, progress,
                                               task.keepsInput);
                outcome.times.upper = watch.seconds();
                return outcome;
            },
            matrices);
    }
    std::unique_ptr<BlockWorker> worker(const WorkerPart& part) override {
        return makeBlockWorker(part, threads_, instructions_);
    }

    Support supportsTetrangles(std::size_t) const override { return Support::yes(); }

    TetrangleLimits tetrangleLimits(const AnyBoundMatrices& matrices, Progress& progress) override {
        const TetrangleBounds bounds(matrices);
        const PairTetrangles pairs(bounds, instructions_);
        const std::size_t n = bounds.atoms;
        TetrangleLimits limits(n);
        progress.begin("tetrangles", static_cast<double>(n * (n - 1) / 2));
        for (std::size_t i = 0; i + 1 < n; ++i) {
            parallelFor(threads_, n - 1 - i, [&](std::size_t place, std::size_t) {
                const std::size_t j = i + 1 + place;
                const TetrangleLimit limit = pairs.ofAll(i, j);
                limits.upper(i, j) = limit.upper;
                limits.lower(i, j) = limit.lower;
            });
            progress.advance(static_cast<double>(n - 1 - i));
        }
        return limits;
    }

  private:
    /// Which variant runs; the known bounds where that was in question.
    template <class T>
    std::optional<KnownBounds<T>> decide(const BoundMatrices<T>& matrices, Variant variant,
                                         SmoothingOutcome& outcome) const {
        outcome.variant = variant;
        if (variant == Variant::Dense || variant == Variant::Recursive) return std::nullopt;
        std::optional<KnownBounds<T>> known = findKnownBounds<T>(matrices.upper, threads_);
        if (variant == Variant::Default) {
            const double density = known->density(matrices.atoms());
            outcome.variant = variants().resolve(
                variant, [&](Variant) { return !isSparseFaster(matrices.atoms(), density); });
            outcome.note = fmt::format("{}: {} of the upper bounds are known", toString(outcome.variant),
                                       formatShare(density, 1));
        }
        return known;
    }

    template <class T>
    SmoothingOutcome run(const BoundMatrices<T>& matrices, Variant variant, Progress& progress) const {
        const MinPlusKernel<T> kernel = kernelFor<MinPlusKernel<T>>(instructions_);
        SmoothingOutcome outcome;
        Stopwatch watch;

        const std::optional<KnownBounds<T>> known = decide(matrices, variant, outcome);
        std::optional<SymmetricTiles<T>> tiles;
        const bool isSearch = outcome.variant == Variant::Sparse;
        if (!isSearch || matrices.hasLower()) tiles = allocateTiles<T>(matrices.atoms());

        if (!isSearch) {
            tiles->loadAll(matrices.upper, kUnknownUpper<T>, threads_);
            outcome.times.upload = watch.restart();
            if (outcome.variant == Variant::Recursive)
                RecursiveFloydWarshall<T>(*tiles, kernel, threads_, progress).run();
            else
                closeUpperBounds(*tiles, kernel, threads_, progress);
            outcome.times.upper = watch.restart();
            tiles->storeAll(matrices.upper, threads_);
            outcome.times.download = watch.restart();
        } else {
            smoothUpperBoundsSparse<T>(matrices.upper, *known, kernel, threads_, progress);
            outcome.times.upper = watch.restart();
        }
        if (matrices.hasLower()) {
            const double share =
                smoothLowerBounds<T>(matrices.lower, matrices.upper, *tiles, kernel, threads_, progress);
            outcome.times.lower = watch.restart();
            if (!outcome.note.empty()) outcome.note += "; ";
            outcome.note += fmt::format("lower pass: {} of the terms", formatShare(std::min(share, 1.0), 1));
        }
        return outcome;
    }

    int threads_;
    InstructionSet instructions_;
};

}  // namespace

Implementation<SmoothingEngine> smoothingEngine() {
    return implementWith<SmoothingEngine, CpuSmoothingEngine, HostBackend>(variants());
}

}  // namespace glycine::bounds::cpu
