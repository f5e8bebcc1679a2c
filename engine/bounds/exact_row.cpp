#include "engine/bounds/exact_row.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::bounds {

namespace {

/// Per atom: the largest number of rises of any walk that ends there.
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
            // Steps between atoms at equal distance are no rises.
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

/// Converts to Å. Sums are double for float formats and 64-bit integers for fixed point.
template <class T>
double angstromOfSum(SumOf<T> sum) {
    if (sum >= static_cast<SumOf<T>>(kUnknownUpper<T>)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(sum) * toAngstrom(T(1));
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

ExactRows::ExactRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, double step)
    : input_(input), smoothed_(smoothed), step_(step) {}

void ExactRows::compare(std::size_t row, const RowComparison& compare) const {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& given) {
            const auto& found = std::get<BoundMatrices<T>>(smoothed_);
            const bool isOutward = step_ > 0;
            const ExactRow<T> exact =
                smoothRow(given, row, isOutward ? Rounding::Outward : Rounding::Nearest);
            const bool isFixed = std::is_same_v<T, std::int32_t>;
            const double allowed = isFixed     ? 0
                                   : isOutward ? static_cast<double>(exact.steps + 1) * step_
                                               : exact.rounding;
            for (std::size_t j = 0; j < given.atoms(); ++j) {
                if (j == row) continue;
                compare("upper", j, angstromOrInfinity(found.upper(row, j)), angstromOfSum<T>(exact.upper[j]),
                        allowed);
                if (given.hasLower())
                    compare("lower", j, angstromOrInfinity(found.lower(row, j)),
                            angstromOfSum<T>(exact.lower[j]), allowed);
            }
        },
        input_);
}

void ExactRows::compareElement(std::size_t row, std::size_t column, const RowComparison& compare) const {
    std::visit(
        [&]<class T>(const BoundMatrices<T>& given) {
            using Sum = SumOf<T>;
            const auto& found = std::get<BoundMatrices<T>>(smoothed_);
            const std::size_t n = given.atoms();
            const bool haveOneMemory = given.upper.data() == found.upper.data();
            const auto known = [](MatrixView<T> matrix, std::size_t i, std::size_t j) {
                return static_cast<Sum>(matrix(std::max(i, j), std::min(i, j)));
            };
            const auto smooth = [haveOneMemory](MatrixView<T> matrix, std::size_t i, std::size_t j) {
                return haveOneMemory ? matrix(std::min(i, j), std::max(i, j)) : matrix(i, j);
            };
            Sum upper = known(given.upper, row, column);
            for (std::size_t k = 0; k < n; ++k) {
                if (k == row || k == column) continue;
                upper = std::min(upper, smooth(found.upper, row, k) + known(given.upper, column, k));
            }
            // A path has at most n − 1 bounds; each sum may be off by half a unit in the last place.
            double allowed = step_;
            if constexpr (std::is_floating_point_v<T>)
                if (step_ == 0)
                    allowed = static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              static_cast<double>(upper);
            compare("upper", column, angstromOrInfinity(smooth(found.upper, row, column)),
                    angstromOfSum<T>(upper), allowed);
            if (!given.hasLower()) return;
            Sum lower = known(given.lower, row, column);
            Sum largest = upper;  // of what is subtracted
            for (std::size_t k = 0; k < n; ++k) {
                if (k == row || k == column) continue;
                const auto path = static_cast<Sum>(smooth(found.upper, row, k));
                largest = std::max(largest, path);
                lower = std::max(
                    {lower, static_cast<Sum>(smooth(found.lower, row, k)) - smooth(found.upper, column, k),
                     known(given.lower, column, k) - path});
            }
            if constexpr (std::is_floating_point_v<T>)
                if (step_ == 0)
                    allowed = 2 * static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              static_cast<double>(largest);
            compare("lower", column, angstromOrInfinity(smooth(found.lower, row, column)),
                    angstromOfSum<T>(lower), allowed);
        },
        input_);
}

double roundingOfAllRows(const AnyBoundMatrices& input, Progress& progress) {
    return std::visit(
        [&]<class T>(const BoundMatrices<T>& typed) {
            const std::size_t n = typed.atoms();
            std::vector<double> rounding(n, 0);
            if (std::is_same_v<T, std::int32_t>) return 0.0;
            progress.begin("rounding of the reference", static_cast<double>(n));
            parallelFor(omp_get_max_threads(), n, [&](std::size_t row, std::size_t) {
                rounding[row] = smoothRow(typed, row, Rounding::Nearest).rounding;
                progress.advance(1);
            });
            return *std::max_element(rounding.begin(), rounding.end());
        },
        input);
}

double secondsForExactRow(std::size_t atoms, double step) {
    // Two searches of n² steps, and their starts; and where sums are rounded to nearest, two counts of ties.
    return (step > 0 ? 6e-9 : 12e-9) * static_cast<double>(atoms) * static_cast<double>(atoms);
}

double secondsForExactElement(std::size_t atoms) {
    return 6e-9 * static_cast<double>(atoms);
}

}  // namespace glycine::bounds
