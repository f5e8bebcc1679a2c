#include <fmt/format.h>

#include <algorithm>

#include "engine/bounds/smoother.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::bounds::reference {

namespace {

/// Algorithm 43-1 of the chapter, its line 4 replaced for upper bounds (section 43.2):
/// u_ij ← min{u_ij, u_ik + u_kj}.
template <class T>
void smoothUpperBounds(MatrixView<T> u, Progress& progress) {
    const std::size_t n = u.rows();
    progress.begin("upper bounds", static_cast<double>(n));
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i + 1 < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                const T path = u(i, k) + u(k, j);
                if (path < u(i, j)) u(i, j) = u(j, i) = path;
            }
        progress.advance(1);
    }
}

/// Algorithm 43-1, its line 4 replaced for lower bounds: l_ij ← max{l_ij, l_ik − u_kj, l_kj − u_ik}.
/// One sweep is exact once the upper bounds are smooth: after step k, l_ij is the largest l_pq − u_ip − u_qj
/// with p in {i, 1 … k} and q in {j, 1 … k}. This holds for contradictory bounds too. They would lift l_ii
/// above zero, but what would follow, l_pi − u_pi − u_ij, is at most l_ip − u_pj by the triangle inequality,
/// which is there already.
template <class T>
void smoothLowerBounds(MatrixView<T> l, MatrixView<const T> u, Progress& progress) {
    const std::size_t n = l.rows();
    progress.begin("lower bounds", static_cast<double>(n));
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i + 1 < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                const T difference = std::max(l(i, k) - u(k, j), l(k, j) - u(i, k));
                if (difference > l(i, j)) l(i, j) = l(j, i) = difference;
            }
        progress.advance(1);
    }
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "reference", {"float32", "float64", "fixed"},
        {{Variant::Serial,
          "the chapter's loops: Floyd-Warshall for the upper bounds, then one sweep for the lower",
          "GPU Gems 2, Algorithm 43-1",
          {},
          true}});
    return table;
}

class ReferenceSmoother : public Smoother {
  public:
    Support supports(const SmoothingRequest& request) const override {
        return variants().supports(request.variant);
    }

    SmootherOutcome smooth(const AnyBoundMatrices& matrices, Variant, Progress& progress) override {
        SmootherOutcome outcome;
        outcome.variant = Variant::Serial;
        std::visit(
            [&]<class T>(const BoundMatrices<T>& typed) {
                Stopwatch watch;
                smoothUpperBounds<T>(typed.upper, progress);
                outcome.times.upper = watch.restart();
                if (!typed.hasLower()) return;
                smoothLowerBounds<T>(typed.lower, typed.upper, progress);
                outcome.times.lower = watch.restart();
            },
            matrices);
        return outcome;
    }
};

}  // namespace

SmootherEntry smoother() {
    return implementWith<Smoother, ReferenceSmoother, Backend>(variants());
}

}  // namespace glycine::bounds::reference
