#include "engine/bounds/exact_row.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::bounds {

namespace {

/// Per atom: the largest number of rises of any walk that ends there.
using Rises = std::int32_t;
constexpr Rises kNoWalk = -1;

/// The atoms that a search has reached, by ascending distance.
template <class T>
class Ascent {
  public:
    Ascent(const std::vector<double>& distance, double notReached)
        : distances_(distance), rounded_(distance.size(), std::numeric_limits<T>::infinity()) {
        for (std::size_t atom = 0; atom < distance.size(); ++atom) {
            if (!(distance[atom] < notReached)) continue;
            atoms_.push_back(static_cast<std::uint32_t>(atom));
            rounded_[atom] = static_cast<T>(distance[atom]);
            largest_ = std::max(largest_, std::abs(distance[atom]));
        }
        std::sort(atoms_.begin(), atoms_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return distance[a] < distance[b]; });
    }
    double farthest() const { return atoms_.empty() ? 0 : distances_[atoms_.back()]; }

    /// For each atom x the largest count among the atoms r with D_x ≤ D_r ≤ D_x + tolerance. Walks begin at
    /// any atom, with the rises that are `before` it.
    std::vector<Rises> count(MatrixView<const T> edges, const std::vector<Rises>& before,
                             double tolerance) const {
        const std::size_t reached = atoms_.size();
        std::vector<Rises> most(before.size(), kNoWalk);
        // Of some atoms at a time: those from which a step to them is nearly tied.
        std::vector<std::vector<std::uint32_t>> tied(std::min(kTogether, reached));
        std::size_t begin = 0;  // of the atoms at the distance of `place`
        Rises level = kNoWalk;
        for (const Range& some : splitRange(reached, kTogether)) {
            forEachAtom(some.size(), [&](std::size_t k) {
                findTied(edges.row(atoms_[some.begin + k]), distances_[atoms_[some.begin + k]], tolerance,
                         tied[k]);
            });
            for (std::size_t place = some.begin; place < some.end; ++place) {
                const double distance = at(place);
                if (distance != at(begin)) begin = place;
                if (begin == place) level = kNoWalk;
                Rises last = kNoWalk;
                for (const std::uint32_t from : tied[place - some.begin]) last = std::max(last, most[from]);
                level = std::max({level, before[atoms_[place]], last == kNoWalk ? kNoWalk : last + 1});
                if (place + 1 < reached && at(place + 1) == distance) continue;
                for (std::size_t near = place + 1; near-- > 0 && distance <= at(near) + tolerance;)
                    most[atoms_[near]] = std::max(most[atoms_[near]], level);
            }
        }
        return most;
    }

  private:
    /// Enough to keep all threads busy.
    static constexpr std::size_t kTogether = 512;

    double at(std::size_t place) const { return distances_[atoms_[place]]; }

    /// Finds the atoms x with D_x < `distance` and D_x + e ≤ `distance` + tolerance, e the edge from x. Steps
    /// between atoms at equal distance are no rises.
    void findTied(const T* edge, double distance, double tolerance, std::vector<std::uint32_t>& tied) const {
        tied.clear();
        const double limit = distance + tolerance;
        // Hardly any step is tied: most are ruled out several at a time, in the edges' own format. Its sums
        // and the rounded distances are off by three half units in the last place at most.
        const double slack = 2 * std::numeric_limits<T>::epsilon() * (2 * largest_ + tolerance);
        const T farLimit = static_cast<T>(limit + slack);
        constexpr std::size_t kAtOnce = 64;
        for (std::size_t first = 0; first < rounded_.size(); first += kAtOnce) {
            const std::size_t last = std::min(first + kAtOnce, rounded_.size());
            int near = 0;
            for (std::size_t x = first; x < last; ++x) near |= rounded_[x] + edge[x] <= farLimit ? 1 : 0;
            if (near == 0) continue;
            for (std::size_t x = first; x < last; ++x)
                if (distances_[x] < distance && distances_[x] + static_cast<double>(edge[x]) <= limit)
                    tied.push_back(static_cast<std::uint32_t>(x));
        }
    }

    const std::vector<double>& distances_;
    std::vector<T> rounded_;  ///< distances; infinite for atoms that are not reached
    double largest_ = 0;      ///< magnitude of the distances of `atoms_`
    std::vector<std::uint32_t> atoms_;
};

template <class T>
double largestLower(MatrixView<const T> lower) {
    const std::size_t n = lower.rows();
    std::vector<T> ofRows(n);
    forEachAtom(n, [&](std::size_t p) { ofRows[p] = *std::max_element(lower.row(p), lower.row(p) + n); });
    return static_cast<double>(*std::max_element(ofRows.begin(), ofRows.end()));
}

/// The most rises before each q, where walks come from p by l_pq.
template <class T>
std::vector<Rises> countBefore(MatrixView<const T> lower, const std::vector<double>& upper,
                               const std::vector<Rises>& rises, const std::vector<double>& negatedLower,
                               double tolerance) {
    const std::size_t n = upper.size();
    std::vector<Rises> before(n, kNoWalk);
    forEachAtom(n, [&](std::size_t q) {
        const T* const row = lower.row(q);
        const double limit = negatedLower[q] + tolerance;
        const auto mostAmong = [&](std::size_t begin, std::size_t end) {
            Rises most = kNoWalk;
            for (std::size_t p = begin; p < end; ++p) {
                const bool isNear = upper[p] - static_cast<double>(row[p]) <= limit;
                most = std::max(most, isNear ? rises[p] : kNoWalk);
            }
            return most;
        };
        before[q] = std::max(mostAmong(0, q), mostAmong(q + 1, n));  // there is no l_qq
    });
    return before;
}

Rises mostOf(const std::vector<Rises>& rises) {
    return *std::max_element(rises.begin(), rises.end());
}

/// Which elements of a symmetric matrix are its own. Another matrix may occupy the others.
enum class Half { Both, Below, Above };

/// A row of a symmetric matrix, its elements side by side.
template <class T>
class SymmetricRow {
  public:
    SymmetricRow(MatrixView<const T> matrix, std::size_t row, Half half) : values_(matrix.row(row)) {
        if (half == Half::Both) return;
        const std::size_t n = matrix.rows();
        copy_.assign(values_, values_ + n);
        if (half == Half::Below)
            for (std::size_t k = row + 1; k < n; ++k) copy_[k] = matrix(k, row);
        else
            for (std::size_t k = 0; k < row; ++k) copy_[k] = matrix(k, row);
        values_ = copy_.data();
    }
    T operator[](std::size_t k) const { return values_[k]; }

  private:
    std::vector<T> copy_;  ///< unless the whole row lies in the matrix
    const T* values_;
};

/// Converts to Å. Sums are double for float formats and 64-bit integers for fixed point.
template <class T>
double angstromOfSum(SumOf<T> sum) {
    if (sum >= static_cast<SumOf<T>>(kUnknownUpper<T>)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(sum) * toAngstrom(T(1));
}

}  // namespace

void forEachAtom(std::size_t atoms, const std::function<void(std::size_t)>& look) {
    parallelFor(omp_get_max_threads(), atoms, [&](std::size_t atom, std::size_t) { look(atom); });
}

template <class T>
double nearTieRounding(const BoundMatrices<T>& input, std::size_t i, const std::vector<double>& upper,
                       const std::vector<double>& negatedLower) {
    const std::size_t n = input.atoms();
    const NumberFormat format = numberFormat(input);
    const double unknown = kUnknownUpper<T>;
    const Ascent<T> fromRow(upper, unknown);
    const Ascent<T> fromLower(negatedLower, unknown);
    const double largest =
        std::max(fromRow.farthest(), negatedLower.empty() ? 0 : largestLower<T>(input.lower));
    std::vector<Rises> start(n, kNoWalk);
    start[i] = 0;
    auto sums = 2 * static_cast<Rises>(n - 1);
    for (int counted = 0; counted < 2; ++counted) {
        const double tolerance = pathRoundingBound(format, 2 * static_cast<std::size_t>(sums), largest);
        const std::vector<Rises> rises = fromRow.count(input.upper, start, tolerance);
        Rises found = std::max(mostOf(rises) - 1, 0);
        if (!negatedLower.empty()) {
            const std::vector<Rises> before =
                countBefore<T>(input.lower, upper, rises, negatedLower, tolerance);
            std::vector<Rises> lowerRises = fromLower.count(input.upper, before, tolerance);
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
            const Half ofInput = haveOneMemory ? Half::Below : Half::Both;
            const Half ofResult = haveOneMemory ? Half::Above : Half::Both;
            // A path by `row` is the element itself, and one by `column` ends with it.
            const auto forOthers = [&](auto&& look) {
                const auto [first, second] = std::minmax(row, column);
                for (std::size_t k = 0; k < first; ++k) look(k);
                for (std::size_t k = first + 1; k < second; ++k) look(k);
                for (std::size_t k = second + 1; k < n; ++k) look(k);
            };
            const SymmetricRow<T> paths(found.upper, row, ofResult);
            const SymmetricRow<T> edges(given.upper, column, ofInput);
            auto upper = static_cast<Sum>(edges[row]);
            forOthers([&](std::size_t k) {
                upper = std::min(upper, static_cast<Sum>(paths[k]) + static_cast<Sum>(edges[k]));
            });
            // A path has at most n − 1 bounds; each sum may be off by half a unit in the last place.
            double allowed = step_;
            if constexpr (std::is_floating_point_v<T>)
                if (step_ == 0)
                    allowed = static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              static_cast<double>(upper);
            compare("upper", column, angstromOrInfinity(paths[column]), angstromOfSum<T>(upper), allowed);
            if (!given.hasLower()) return;
            const SymmetricRow<T> fromColumn(found.upper, column, ofResult);
            const SymmetricRow<T> lowers(found.lower, row, ofResult);
            const SymmetricRow<T> known(given.lower, column, ofInput);
            auto lower = static_cast<Sum>(known[row]);
            Sum largest = upper;  // of what is subtracted
            forOthers([&](std::size_t k) {
                const auto path = static_cast<Sum>(paths[k]);
                largest = std::max(largest, path);
                lower = std::max({lower, static_cast<Sum>(lowers[k]) - static_cast<Sum>(fromColumn[k]),
                                  static_cast<Sum>(known[k]) - path});
            });
            if constexpr (std::is_floating_point_v<T>)
                if (step_ == 0)
                    allowed = 2 * static_cast<double>(n) * std::numeric_limits<T>::epsilon() *
                              static_cast<double>(largest);
            compare("lower", column, angstromOrInfinity(lowers[column]), angstromOfSum<T>(lower), allowed);
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
    // On one thread: two searches of n² steps, and their starts; and where sums are rounded to nearest, two
    // counts of ties.
    return (step > 0 ? 4e-9 : 9e-9) * static_cast<double>(atoms) * static_cast<double>(atoms);
}

double secondsForExactElement(std::size_t atoms) {
    return 6e-9 * static_cast<double>(atoms);
}

}  // namespace glycine::bounds
