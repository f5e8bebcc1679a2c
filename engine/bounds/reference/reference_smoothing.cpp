#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/smoothing_engine.hpp"
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

/// A point next to the line from k to l: x along it from k, y its height; NaN where no triangle has these
/// sides.
struct Point {
    double x, y;
};

/// Limits of d²_ij by one quadruple: all arrangements in a plane, distinguished by the signs of the weights
/// (w_i > 0).
void limitByQuadruple(const TetrangleBounds& bounds, std::size_t i, std::size_t j, std::size_t k,
                      std::size_t l, TetrangleLimit& limit) {
    const auto square = [&](std::size_t a, std::size_t b, bool isLower) {
        return (isLower ? bounds.lower : bounds.upper)[a * bounds.atoms + b];
    };
    for (const bool plusJ : {true, false})
        for (const bool plusK : {true, false})
            for (const bool plusL : {true, false}) {
                const double acrossSquare = square(k, l, plusK == plusL);
                const double halfPerAcross =
                    (plusK == plusL ? bounds.halfPerLower : bounds.halfPerUpper)[k * bounds.atoms + l];
                const auto place = [&](std::size_t atom, bool isPlus) {
                    const double toK = square(atom, k, isPlus == plusK);
                    const double toL = square(atom, l, isPlus == plusL);
                    const double x = (toK + acrossSquare - toL) * halfPerAcross;
                    return Point{x, std::sqrt(toK - x * x)};
                };
                const Point a = place(i, true);
                const Point b = place(j, plusJ);
                if (!(a.y > kLeastTetrangleHeight && b.y > kLeastTetrangleHeight)) continue;
                // i and j on two sides of the line if both weights are positive, else on one.
                const double wi = b.y;
                const double wj = plusJ ? a.y : -a.y;
                const double wl = -2 * halfPerAcross * (wi * a.x + wj * b.x);
                const double wk = -(wi + wj) - wl;
                const auto hasSign = [](double w, bool isPlus) {
                    return isPlus ? w > kLeastTetrangleWeight : w < -kLeastTetrangleWeight;
                };
                if (!hasSign(wk, plusK) || !hasSign(wl, plusL)) continue;
                const double dx = a.x - b.x;
                const double dy = plusJ ? a.y + b.y : a.y - b.y;
                const double d2 = dx * dx + dy * dy;
                if (plusJ)
                    limit.upper = std::min(limit.upper, d2);
                else
                    limit.lower = std::max(limit.lower, d2);
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

class ReferenceSmoothingEngine : public SmoothingEngine {
  public:
    Support supports(const SmoothingRequest& request) const override {
        return variants().supports(request.variant);
    }

    SmoothingOutcome smooth(const AnyBoundMatrices& matrices, Variant, Progress& progress) override {
        SmoothingOutcome outcome;
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

    Support supportsTetrangles(std::size_t) const override { return Support::yes(); }

    TetrangleLimits tetrangleLimits(const AnyBoundMatrices& matrices, Progress& progress) override {
        const TetrangleBounds bounds(matrices);
        const std::size_t n = bounds.atoms;
        TetrangleLimits limits(n);
        progress.begin("tetrangles", static_cast<double>(n * (n - 1) / 2));
        for (std::size_t i = 0; i + 1 < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                const double upper = bounds.upper[i * n + j];
                TetrangleLimit limit{std::isnan(upper) ? HUGE_VAL : upper, bounds.lower[i * n + j]};
                for (std::size_t k = 0; k < n; ++k)
                    for (std::size_t l = k + 1; l < n; ++l)
                        if (k != i && k != j && l != i && l != j) limitByQuadruple(bounds, i, j, k, l, limit);
                limits.upper(i, j) = limit.upper;
                limits.lower(i, j) = limit.lower;
                progress.advance(1);
            }
        return limits;
    }
};

}  // namespace

Implementation<SmoothingEngine> smoothingEngine() {
    return implementWith<SmoothingEngine, ReferenceSmoothingEngine, Backend>(variants());
}

}  // namespace glycine::bounds::reference
