#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/check_shapes.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/arguments.hpp"

namespace glycine::bounds {

namespace {

/// The order of the list. Total, so that the list does not depend on which thread saw a pair first.
bool isWorse(const Violation& a, const Violation& b) {
    if (a.excess() != b.excess()) return a.excess() > b.excess();
    return a.i != b.i ? a.i < b.i : a.j < b.j;
}

/// Keeps the worst `limit`, descending.
void keepWorst(std::vector<Violation>& violations, std::size_t limit) {
    const auto end = violations.begin() + static_cast<std::ptrdiff_t>(std::min(limit, violations.size()));
    std::partial_sort(violations.begin(), end, violations.end(), isWorse);
    violations.erase(end, violations.end());
}

template <class T>
std::size_t find(const BoundMatrices<T>& matrices, double tolerance, std::size_t limit,
                 std::vector<Violation>& worst) {
    // Lists are cut down when they have grown well beyond the limit: no pair is looked at often.
    const std::size_t n = matrices.atoms();
    const std::size_t most = limit < n * n ? 2 * limit + 1024 : limit;
    std::size_t count = 0;
    // Threads cost more than they bring to a small matrix.
#pragma omp parallel reduction(+ : count) if (n >= 512)
    {
        std::vector<Violation> mine;
#pragma omp for schedule(dynamic, 64)
        for (std::size_t i = 0; i < n; ++i) {
            const T* upper = matrices.upper.row(i);
            const T* lower = matrices.lower.row(i);
            for (std::size_t j = i + 1; j < n; ++j) {
                if (lower[j] <= upper[j] && tolerance >= 0) continue;  // nearly all pairs, in one comparison
                const Violation violation{i, j, toAngstrom(upper[j]), toAngstrom(lower[j])};
                if (!(violation.excess() > tolerance)) continue;
                ++count;
                mine.push_back(violation);
                if (mine.size() > most) keepWorst(mine, limit);
            }
        }
#pragma omp critical(glycine_bounds_violations)
        worst.insert(worst.end(), mine.begin(), mine.end());
    }
    keepWorst(worst, limit);
    return count;
}

}  // namespace

std::size_t findViolations(const AnyBoundMatrices& matrices, double tolerance, std::size_t limit,
                           std::vector<Violation>& worst) {
    checkNumber("the tolerance of violations", tolerance, std::isfinite(tolerance), "a finite number of Å");
    checkShapes(matrices);
    worst.clear();
    return std::visit(
        [&](const auto& typed) { return typed.hasLower() ? find(typed, tolerance, limit, worst) : 0; },
        matrices);
}

}  // namespace glycine::bounds
