#include "engine/bounds/near_ties.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/bounds/number_format.hpp"

namespace glycine::bounds {

namespace {

/// Of an atom: the most rises with which a walk arrives.
using Rises = std::int32_t;
constexpr Rises kNoWalk = -1;

/// The atoms that a search has reached, by ascending distance.
class Ascent {
  public:
    Ascent(const std::vector<double>& distance, double notReached) {
        for (std::size_t atom = 0; atom < distance.size(); ++atom)
            if (distance[atom] < notReached) atoms_.push_back(static_cast<std::uint32_t>(atom));
        std::sort(atoms_.begin(), atoms_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return distance[a] < distance[b]; });
        for (const std::uint32_t atom : atoms_) distances_.push_back(distance[atom]);
    }
    double farthest() const { return distances_.empty() ? 0 : distances_.back(); }

    /// For each atom x the largest count among the atoms r with D_x ≤ D_r ≤ D_x + tolerance. Walks begin at
    /// any atom, with the rises that are `before` it.
    template <class T>
    std::vector<Rises> count(MatrixView<const T> edges, const std::vector<Rises>& before,
                             double tolerance) const {
        const std::size_t reached = atoms_.size();
        std::vector<Rises> most(reached, kNoWalk);
        std::size_t end = 0;
        for (std::size_t begin = 0; begin < reached; begin = end) {
            // Atoms at one distance are no rises for each other.
            Rises level = kNoWalk;
            for (end = begin; end < reached && distances_[end] == distances_[begin]; ++end) {
                const T* const edge = edges.row(atoms_[end]);
                const double limit = distances_[end] + tolerance;
                Rises last = kNoWalk;
                for (std::size_t slot = 0; slot < begin; ++slot)
                    if (distances_[slot] + static_cast<double>(edge[atoms_[slot]]) <= limit)
                        last = std::max(last, most[slot]);
                level = std::max({level, before[atoms_[end]], last == kNoWalk ? kNoWalk : last + 1});
            }
            for (std::size_t slot = end; slot-- > 0 && distances_[begin] <= distances_[slot] + tolerance;)
                most[slot] = std::max(most[slot], level);
        }
        std::vector<Rises> ofAtom(before.size(), kNoWalk);
        for (std::size_t slot = 0; slot < reached; ++slot) ofAtom[atoms_[slot]] = most[slot];
        return ofAtom;
    }

  private:
    std::vector<std::uint32_t> atoms_;
    std::vector<double> distances_;  ///< of atoms_
};

template <class T>
double largestLower(const BoundMatrices<T>& input) {
    T largest = 0;
    for (std::size_t p = 0; p < input.atoms(); ++p)
        largest =
            std::max(largest, *std::max_element(input.lower.row(p), input.lower.row(p) + input.atoms()));
    return static_cast<double>(largest);
}

/// The most rises before each q, where walks come from p by l_pq. `limit`: negatedLower and the tolerance.
template <class T>
std::vector<Rises> countBefore(MatrixView<const T> lower, const std::vector<double>& upper,
                               const std::vector<Rises>& rises, const std::vector<double>& limit) {
    const std::size_t n = upper.size();
    std::vector<Rises> before(n, kNoWalk);
    for (std::size_t p = 0; p < n; ++p) {
        if (rises[p] == kNoWalk) continue;
        const Rises own = before[p];
        const T* const row = lower.row(p);
        for (std::size_t q = 0; q < n; ++q) {
            const bool isNear = upper[p] - static_cast<double>(row[q]) <= limit[q];
            before[q] = std::max(before[q], isNear ? rises[p] : kNoWalk);
        }
        before[p] = own;  // there is no l_pp
    }
    return before;
}

Rises mostOf(const std::vector<Rises>& rises) {
    return *std::max_element(rises.begin(), rises.end());
}

}  // namespace

template <class T>
double nearTieRounding(const BoundMatrices<T>& input, std::size_t i, const std::vector<double>& upper,
                       const std::vector<double>& negatedLower) {
    const std::size_t n = input.atoms();
    const NumberFormat format = numberFormat(input);
    const double unknown = kUnknownUpper<T>;
    const Ascent fromRow(upper, unknown);
    const Ascent fromLower(negatedLower, unknown);
    const double largest = std::max(fromRow.farthest(), negatedLower.empty() ? 0 : largestLower(input));
    std::vector<Rises> start(n, kNoWalk);
    start[i] = 0;
    auto sums = 2 * static_cast<Rises>(n - 1);
    for (int counted = 0; counted < 2; ++counted) {
        const double tolerance = pathRoundingBound(format, 2 * static_cast<std::size_t>(sums), largest);
        const std::vector<Rises> rises = fromRow.count<T>(input.upper, start, tolerance);
        Rises found = std::max(mostOf(rises) - 1, 0);
        if (!negatedLower.empty()) {
            std::vector<double> limit(negatedLower);
            for (double& distance : limit) distance += tolerance;
            std::vector<Rises> lowerRises =
                fromLower.count<T>(input.upper, countBefore<T>(input.lower, upper, rises, limit), tolerance);
            lowerRises[i] = kNoWalk;  // L_ii is no result
            found = std::max(found, mostOf(lowerRises));
        }
        sums = std::min(found, sums);
    }
    return pathRoundingBound(format, static_cast<std::size_t>(sums), largest);
}

template double nearTieRounding(const BoundMatrices<float>&, std::size_t, const std::vector<double>&,
                                const std::vector<double>&);
template double nearTieRounding(const BoundMatrices<double>&, std::size_t, const std::vector<double>&,
                                const std::vector<double>&);

}  // namespace glycine::bounds
