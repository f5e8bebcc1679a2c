#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "engine/bounds/cpu/cpu_blocks.hpp"
#include "engine/bounds/cpu/dense_smoothing.hpp"
#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/bounds/cpu/recursive_smoothing.hpp"
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
          "Park, Penner, Prasanna 2002"}});
    return table;
}

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
            outcome.variant =
                isSparseFaster(matrices.atoms(), density) ? Variant::Sparse : variants().defaultVariant();
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
                closeUpperBoundsRecursively(*tiles, kernel, threads_, progress);
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

SmoothingEngineEntry smoothingEngine() {
    return implementWith<SmoothingEngine, CpuSmoothingEngine, HostBackend>(variants());
}

}  // namespace glycine::bounds::cpu
