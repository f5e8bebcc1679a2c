#include "engine/alignment/cpu/profile_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/alignment/cpu/posterior_lanes.hpp"

// Row i = 1 … rows and column j = 1 … columns meet on anti-diagonal i + j; arrays of an anti-diagonal are
// indexed by i. Registers may reach past the last cell. The odds there are 0; values that are not multiplied
// by them stay bounded and are never read.
namespace glycine::align::cpu {

namespace {

/// The range of cells of an anti-diagonal.
struct Diagonal {
    std::size_t number, first, last;
    Diagonal(std::size_t diagonal, std::size_t rows, std::size_t columns)
        : number(diagonal),
          first(diagonal > columns + 1 ? diagonal - columns : 1),
          last(std::min(rows, diagonal - 1)) {}
};

/// One model's sums for a pair of profiles.
template <class Number, std::size_t kBytes, std::size_t kKinds>
class DiagonalSums {
  public:
    using Lanes = PosteriorLanes<Number, kBytes>;
    using Values = typename Lanes::Values;
    static constexpr std::size_t kLanes = Lanes::kLanes;
    typedef Number LooseValues __attribute__((vector_size(kBytes), aligned(sizeof(Number)), may_alias));
    /// Arrays that a direction needs: those of pairs, or of what follows them, and those of each kind of gap.
    static constexpr std::size_t kArrays = 5 + 3 * kMaxGapKinds;

    static std::size_t arrayLength(const JoinedProfiles<Number>& pair) {
        return (pair.rows + 2 * kProfilePadding + kLanes) / kLanes * kLanes;
    }

    /// `states`: kArrays · arrayLength numbers; `exponents`: rows + columns + 1.
    DiagonalSums(const JoinedProfiles<Number>& pair, const ProfileModel<Number>& model, Number* states,
                 int* exponents)
        : pair_(pair), model_(model), states_(states), exponents_(exponents), length_(arrayLength(pair)) {
        Number* next = states;
        const auto take = [&] {
            Number* const taken = next;
            next += length_;
            return taken;
        };
        for (Number*& array : ready_) array = take();
        for (Number*& array : pairs_) array = take();
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            for (Number*& array : inRows_[kind]) array = take();
            inColumns_[kind] = take();
        }
    }

    void beginForwards() {
        clear();
        const int begin = -NumberFormat<Number>::kTarget;
        exponents_[0] = exponents_[1] = begin;
        ready_[0][0] = scaled(model_.rowLeads[0], begin);
        forwardLargest_ = 0;
        setBorder(1);
    }

    std::size_t stateSize() const { return kArrays * length_; }
    void save(Number* target) const { std::copy_n(states_, stateSize(), target); }
    void restore(const Number* source) { std::copy_n(source, stateSize(), states_); }

    /// Computes anti-diagonals in ascending order from 2. `isFirst`: the anti-diagonal is computed for the
    /// first time, so its scale and its share of the sum over all alignments are found. `cells` receives the
    /// sums of its pairs, `odds` their odds.
    void forward(const Diagonal& diagonal, Number* cells, Number* odds, bool isFirst) {
        const std::size_t d = diagonal.number;
        if (isFirst) exponents_[d] = exponentFrom(exponents_[d - 1], forwardLargest_);
        const Number scale = power(exponents_[d - 1] - exponents_[d]);
        const Number scaleBefore = power(exponents_[d - 2] - exponents_[d]);
        findOdds(diagonal, odds);
        const Number* const before = ready_[(d - 2) % 3] - 1;
        Number* const ready = ready_[d % 3];
        const Number* const above = pairs_[(d - 1) % 2];
        Number* const here = pairs_[d % 2];
        const std::ptrdiff_t shift = signedOf(pair_.columns) - signedOf(d);
        Values largest{};
        for (std::size_t i = diagonal.first; i <= diagonal.last; i += kLanes) {
            const Values pairs = scaleBefore * load(odds + (i - diagonal.first)) * load(before + i);
            Values next = model_.match * pairs;
            const Values fromAbove = scale * load(above + i - 1), fromLeft = scale * load(above + i);
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                const Values row =
                    load(model_.rowOpen[kind] + i) * fromAbove +
                    load(model_.rowExtend[kind] + i) * (scale * load(inRows_[kind][(d - 1) % 2] + i - 1));
                const Values column = load(model_.columnOpen[kind] + (signedOf(i) + shift)) * fromLeft +
                                      load(model_.columnExtend[kind] + (signedOf(i) + shift)) *
                                          (scale * load(inColumns_[kind] + i));
                store(inRows_[kind][d % 2] + i, row);
                store(inColumns_[kind] + i, column);
                next += model_.close[kind] * (row + column);
            }
            store(here + i, pairs);
            store(cells + (i - diagonal.first), pairs);
            store(ready + i, next);
            largest = largest < next ? next : largest;
        }
        forwardLargest_ = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            forwardLargest_ = std::max(forwardLargest_, largest[lane]);
        setBorder(d);
        if (isFirst) addEnds(diagonal, cells);
    }

    void beginBackwards() {
        clear();
        exponent_ = -NumberFormat<Number>::kTarget;
        largest_ = 0;
        before_ = beforeThat_ = exponent_;
    }

    /// Computes anti-diagonals in descending order; `cells` are replaced by posteriors.
    void backward(const Diagonal& diagonal, Number* cells, const Number* odds) {
        const std::size_t d = diagonal.number;
        beforeThat_ = before_;
        before_ = exponent_;
        exponent_ = exponentFrom(before_, largest_);
        const Number scale = power(before_ - exponent_);
        const Number scaleBefore = power(beforeThat_ - exponent_);
        const Number* const nextPairs = ready_[(d + 2) % 3] + 1;
        Number* const target = ready_[d % 3];
        Number* const behind = pairs_[0];
        // Of the next column; the padding lies after the last one.
        const std::ptrdiff_t shift = signedOf(pair_.columns) - signedOf(d) - 1;
        Values largest{};
        for (std::size_t i = diagonal.first; i <= diagonal.last; i += kLanes) {
            const Values pairs = scaleBefore * load(nextPairs + i);
            Values all = model_.match * pairs;
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                const Values row = scale * load(inRows_[kind][(d + 1) % 2] + i + 1);
                const Values column = scale * load(inColumns_[kind] + i);
                all += load(model_.rowOpen[kind] + i + 1) * row +
                       load(model_.columnOpen[kind] + (signedOf(i) + shift)) * column;
                const Values closed = model_.close[kind] * pairs;
                const Values newRow = load(model_.rowExtend[kind] + i + 1) * row + closed;
                const Values newColumn =
                    load(model_.columnExtend[kind] + (signedOf(i) + shift)) * column + closed;
                store(inRows_[kind][d % 2] + i, newRow);
                store(inColumns_[kind] + i, newColumn);
                const Values gaps = newRow + newColumn;
                largest = largest < gaps ? gaps : largest;
            }
            store(behind + i, all);
        }
        if (diagonal.last == pair_.rows)
            behind[pair_.rows] += scaled(model_.columnTrails[pair_.columns - (d - pair_.rows)], exponent_);
        if (d - diagonal.first == pair_.columns && diagonal.first < pair_.rows)
            behind[diagonal.first] += scaled(model_.rowTrails[pair_.rows - diagonal.first], exponent_);
        // Split in two: the product of both sums may leave the range of the numbers.
        const int exponent = exponents_[d] + exponent_ - total_.exponent;
        const auto one = static_cast<Number>(std::ldexp(1 / total_.mantissa, exponent / 2));
        const auto other = static_cast<Number>(std::ldexp(1.0, exponent - exponent / 2));
        for (std::size_t i = diagonal.first; i <= diagonal.last; i += kLanes) {
            const Values here = load(behind + i);
            const Values pairs = load(odds + (i - diagonal.first)) * here;
            store(target + i, pairs);
            Number* const cell = cells + (i - diagonal.first);
            store(cell, (load(cell) * one) * (here * other));
            largest = largest < pairs ? pairs : largest;
        }
        largest_ = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane) largest_ = std::max(largest_, largest[lane]);
        addBegins(diagonal, target);
    }

    /// Whether both directions found the same sum over all alignments.
    bool isSound() const {
        if (!(total_.mantissa > 0) || !(backwardTotal_.mantissa > 0)) return false;
        const double ratio = std::ldexp(backwardTotal_.mantissa / total_.mantissa,
                                        std::clamp(backwardTotal_.exponent - total_.exponent, -2000, 2000));
        return std::abs(ratio - 1) < 1e-3;
    }

  private:
    static std::ptrdiff_t signedOf(std::size_t number) { return static_cast<std::ptrdiff_t>(number); }
    static Values load(const Number* place) { return *reinterpret_cast<const LooseValues*>(place); }
    static void store(Number* place, Values values) { *reinterpret_cast<LooseValues*>(place) = values; }
    static Number power(int exponent) {
        return static_cast<Number>(std::ldexp(1.0, std::clamp(exponent, -1022, 1023)));
    }
    static Number scaled(const ScaledNumber& value, int exponent) {
        return static_cast<Number>(value.times2To(-exponent));
    }

    void clear() { std::fill_n(states_, kArrays * length_, Number{0}); }

    /// The exponent of the next anti-diagonal. It stays that of the last one unless its largest sum has
    /// drifted from the target.
    static int exponentFrom(int last, Number largest) {
        constexpr int kTarget = NumberFormat<Number>::kTarget, kSlack = kTarget / 3;
        if (!(largest > 0)) return last;
        const int off = std::max(std::ilogb(largest) - kTarget, -3 * kTarget / 2);
        return std::abs(off) > kSlack ? last + off : last;
    }

    /// The odds of all cells, several registers at once.
    void findOdds(const Diagonal& diagonal, Number* odds) const {
        const Number* const rows = model_.odds + diagonal.first;
        const Number* const columns = pair_.shares + (pair_.columns + diagonal.first - diagonal.number);
        const std::size_t count = diagonal.last - diagonal.first + 1;
        constexpr std::size_t kAtOnce = 4;
        std::size_t i = 0;
        for (; i + kAtOnce * kLanes <= count; i += kAtOnce * kLanes) {
            Values sums[kAtOnce]{};
            for (std::size_t component = 0; component < pair_.components; ++component)
                for (std::size_t k = 0; k < kAtOnce; ++k)
                    sums[k] += load(rows + component * pair_.rowStride + i + k * kLanes) *
                               load(columns + component * pair_.columnStride + i + k * kLanes);
            for (std::size_t k = 0; k < kAtOnce; ++k) store(odds + i + k * kLanes, sums[k]);
        }
        for (; i < count; i += kLanes) {
            Values sum{};
            for (std::size_t component = 0; component < pair_.components; ++component)
                sum += load(rows + component * pair_.rowStride + i) *
                       load(columns + component * pair_.columnStride + i);
            store(odds + i, sum);
        }
    }

    /// Sets the sums of alignments that have no pair yet.
    void setBorder(std::size_t d) {
        Number* const ready = ready_[d % 3];
        if (d <= pair_.columns) ready[0] = scaled(model_.columnLeads[d], exponents_[d]);
        if (d <= pair_.rows) ready[d] = scaled(model_.rowLeads[d], exponents_[d]);
        if (d <= pair_.columns) forwardLargest_ = std::max(forwardLargest_, ready[0]);
        if (d <= pair_.rows) forwardLargest_ = std::max(forwardLargest_, ready[d]);
    }

    void addEnds(const Diagonal& diagonal, const Number* cells) {
        const auto add = [&](std::size_t row, const ScaledNumber& trail) {
            total_.add(static_cast<double>(cells[row - diagonal.first]) * trail.mantissa,
                       exponents_[diagonal.number] + trail.exponent);
        };
        if (diagonal.last == pair_.rows)
            add(pair_.rows, model_.columnTrails[pair_.columns - (diagonal.number - pair_.rows)]);
        if (diagonal.number - diagonal.first == pair_.columns && diagonal.first < pair_.rows)
            add(diagonal.first, model_.rowTrails[pair_.rows - diagonal.first]);
    }

    void addBegins(const Diagonal& diagonal, const Number* pairs) {
        const auto add = [&](std::size_t row, const ScaledNumber& lead) {
            backwardTotal_.add(static_cast<double>(pairs[row]) * lead.mantissa, exponent_ + lead.exponent);
        };
        if (diagonal.first == 1 && diagonal.number - 1 <= pair_.columns)
            add(1, model_.columnLeads[diagonal.number - 2]);
        if (diagonal.last == diagonal.number - 1 && diagonal.last > 1)
            add(diagonal.last, model_.rowLeads[diagonal.last - 1]);
    }

    const JoinedProfiles<Number>& pair_;
    const ProfileModel<Number>& model_;
    Number* states_;
    int* exponents_;
    std::size_t length_;
    Number* ready_[3];  ///< sums that a pair may follow; backwards: pairs with all that follows
    Number* pairs_[2];
    Number* inRows_[kKinds][2];
    Number* inColumns_[kKinds];
    Number forwardLargest_ = 0, largest_ = 0;
    int exponent_ = 0, before_ = 0, beforeThat_ = 0;
    ScaledNumber total_, backwardTotal_;
};

/// All anti-diagonals. If not all sums can be kept, the state before each stretch is kept and the stretch is
/// computed again (J. A. Grice, R. Hughey, D. Speck, "Reduced space sequence alignment", CABIOS 13 (1997),
/// 45–53).
template <class Number, std::size_t kBytes, std::size_t kFirstKinds, std::size_t kSecondKinds>
void computeDiagonals(const JoinedProfiles<Number>& pair, ProfileMemory<Number>& memory,
                      ProfileEntries& found) {
    using One = DiagonalSums<Number, kBytes, kFirstKinds>;
    using Other = DiagonalSums<Number, kBytes, kSecondKinds>;
    using Lanes = PosteriorLanes<Number, kBytes>;
    constexpr std::size_t kLanes = Lanes::kLanes;
    const std::size_t diagonals = pair.rows + pair.columns + 1;
    const std::size_t stateElements = One::kArrays * One::arrayLength(pair);
    Number* const states = atLeast(memory.states, 2 * stateElements);
    memory.exponents.resize(2 * diagonals);
    One one(pair, pair.models[0], states, memory.exponents.data());
    Other other(pair, pair.models[1], states + stateElements, memory.exponents.data() + diagonals);

    // Stretches of anti-diagonals, and the offset of each anti-diagonal among the cells of its stretch.
    std::vector<std::size_t>& begins = memory.begins;
    begins.assign(diagonals, 0);
    std::vector<std::size_t> stretches{2};
    std::size_t cells = 0, most = 0;
    for (std::size_t d = 2; d < diagonals; ++d) {
        const Diagonal diagonal(d, pair.rows, pair.columns);
        const std::size_t count = (diagonal.last - diagonal.first + kLanes) / kLanes * kLanes;
        if (cells > 0 && cells + count > pair.cellsAtOnce) {
            stretches.push_back(d);
            cells = 0;
        }
        begins[d] = cells;
        cells += count;
        most = std::max(most, cells);
    }
    stretches.push_back(diagonals);
    Number* const cellsOfOne = atLeast(memory.cells, 4 * most);
    Number* const oddsOfOne = cellsOfOne + most;
    Number* const cellsOfOther = oddsOfOne + most;
    Number* const oddsOfOther = cellsOfOther + most;
    const std::size_t count = stretches.size() - 1;
    Number* const kept = count > 1 ? atLeast(memory.kept, 2 * count * stateElements) : nullptr;
    const auto forwards = [&](std::size_t stretch, bool isFirst) {
        for (std::size_t d = stretches[stretch]; d < stretches[stretch + 1]; ++d) {
            const Diagonal diagonal(d, pair.rows, pair.columns);
            one.forward(diagonal, cellsOfOne + begins[d], oddsOfOne + begins[d], isFirst);
            other.forward(diagonal, cellsOfOther + begins[d], oddsOfOther + begins[d], isFirst);
        }
    };
    one.beginForwards();
    other.beginForwards();
    for (std::size_t stretch = 0; stretch < count; ++stretch) {
        if (kept != nullptr) {
            one.save(kept + 2 * stretch * stateElements);
            other.save(kept + (2 * stretch + 1) * stateElements);
        }
        forwards(stretch, true);
    }
    found.rowOf.clear();
    found.entries.clear();
    const Number limit = 2 * pair.cutoff * pair.cutoff;
    one.beginBackwards();
    other.beginBackwards();
    for (std::size_t stretch = count; stretch-- > 0;) {
        if (stretch + 1 < count) {
            // Meanwhile, the backward states wait in the space of the next stretch, which is done.
            Number* const waiting = kept + 2 * (stretch + 1) * stateElements;
            one.save(waiting);
            other.save(waiting + stateElements);
            one.restore(kept + 2 * stretch * stateElements);
            other.restore(kept + (2 * stretch + 1) * stateElements);
            forwards(stretch, false);
            one.restore(waiting);
            other.restore(waiting + stateElements);
        }
        for (std::size_t d = stretches[stretch + 1]; d-- > stretches[stretch];) {
            const Diagonal diagonal(d, pair.rows, pair.columns);
            Number* const first = cellsOfOne + begins[d];
            Number* const second = cellsOfOther + begins[d];
            one.backward(diagonal, first, oddsOfOne + begins[d]);
            other.backward(diagonal, second, oddsOfOther + begins[d]);
            for (std::size_t i = diagonal.first; i <= diagonal.last; i += kLanes) {
                using Values = typename Lanes::Values;
                const Values a = *reinterpret_cast<const Values*>(first + (i - diagonal.first));
                const Values b = *reinterpret_cast<const Values*>(second + (i - diagonal.first));
                const Values squares = a * a + b * b;
                for (unsigned bits = Lanes::lanesFrom(squares, limit); bits != 0; bits &= bits - 1) {
                    const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
                    found.rowOf.push_back(static_cast<std::uint32_t>(i + lane - 1));
                    found.entries.push_back({static_cast<std::uint32_t>(d - i - lane - 1),
                                             static_cast<float>(std::sqrt(squares[lane] / 2))});
                }
            }
        }
    }
    found.isSound = one.isSound() && other.isSound();
}

template <class Number, std::size_t kBytes>
void computeProfilePair(const JoinedProfiles<Number>& pair, ProfileMemory<Number>& memory,
                        ProfileEntries& found) {
    static_assert(kMaxGapKinds == 2);
    const FlushToZero flush;
    if (pair.models[0].gapKinds == 2 && pair.models[1].gapKinds == 1)
        computeDiagonals<Number, kBytes, 2, 1>(pair, memory, found);
    else
        computeDiagonals<Number, kBytes, 2, 2>(pair, memory, found);
}

}  // namespace

template <class Number>
template <InstructionSet set>
ProfileKernel<Number> ProfileKernel<Number>::compiled() {
    return {&computeProfilePair<Number, kRegisterBytes>};
}

template ProfileKernel<float> ProfileKernel<float>::compiled<kCompiledSet>();
template ProfileKernel<double> ProfileKernel<double>::compiled<kCompiledSet>();

}  // namespace glycine::align::cpu
