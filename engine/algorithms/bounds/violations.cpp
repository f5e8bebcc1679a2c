#include <algorithm>
#include <vector>

#include "engine/algorithms/bounds/bounds.hpp"
#include "engine/algorithms/bounds/number_format.hpp"

namespace glycine::bounds {

namespace {

/// The order of the list. Total, so that the list does not depend on which thread saw a pair first.
bool isWorse(const Violation& a, const Violation& b) {
    if (a.excess() != b.excess()) return a.excess() > b.excess();
    return a.i != b.i ? a.i < b.i : a.j < b.j;
}

/// Keeps the worst `limit` of all violations given to it, in a heap whose front is the mildest kept.
class WorstViolations {
  public:
    explicit WorstViolations(std::size_t limit) : limit_(limit) {}

    void add(const Violation& violation) {
        if (limit_ == 0) return;
        if (kept_.size() == limit_) {
            if (!isWorse(violation, kept_.front())) return;
            std::pop_heap(kept_.begin(), kept_.end(), isWorse);
            kept_.pop_back();
        }
        kept_.push_back(violation);
        std::push_heap(kept_.begin(), kept_.end(), isWorse);
    }
    void merge(const WorstViolations& other) {
        for (const Violation& violation : other.kept_) add(violation);
    }
    std::vector<Violation> sorted() && {
        std::sort(kept_.begin(), kept_.end(), isWorse);
        return std::move(kept_);
    }

  private:
    std::size_t limit_;
    std::vector<Violation> kept_;
};

template <class T>
std::size_t find(const BoundMatrices<T>& matrices, double tolerance, WorstViolations& worst) {
    const std::size_t n = matrices.atoms();
    std::size_t count = 0;
    // Threads cost more than they bring to a small matrix.
#pragma omp parallel reduction(+ : count) if (n >= 512)
    {
        WorstViolations mine = worst;
#pragma omp for schedule(dynamic, 64)
        for (std::size_t i = 0; i < n; ++i) {
            const T* upper = matrices.upper.row(i);
            const T* lower = matrices.lower.row(i);
            for (std::size_t j = i + 1; j < n; ++j) {
                if (lower[j] <= upper[j] && tolerance >= 0) continue;  // nearly all pairs, in one comparison
                const Violation violation{i, j, toAngstrom(upper[j]), toAngstrom(lower[j])};
                if (!(violation.excess() > tolerance)) continue;
                ++count;
                mine.add(violation);
            }
        }
#pragma omp critical(glycine_bounds_violations)
        worst.merge(mine);
    }
    return count;
}

}  // namespace

std::size_t findViolations(const AnyBoundMatrices& matrices, double tolerance, std::size_t limit,
                           std::vector<Violation>& worst) {
    WorstViolations kept(limit);
    const std::size_t count = std::visit(
        [&](const auto& typed) { return typed.hasLower() ? find(typed, tolerance, kept) : 0; }, matrices);
    worst = std::move(kept).sorted();
    return count;
}

}  // namespace glycine::bounds
