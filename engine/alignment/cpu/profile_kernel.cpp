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

/// Registers at any place in memory.
template <class Number, std::size_t kBytes>
struct LooseRegisters {
    using Values = typename PosteriorLanes<Number, kBytes>::Values;
    typedef Number LooseValues __attribute__((vector_size(kBytes), aligned(sizeof(Number)), may_alias));

    static Values load(const Number* place) { return *reinterpret_cast<const LooseValues*>(place); }
    static void store(Number* place, Values values) { *reinterpret_cast<LooseValues*>(place) = values; }
};

/// The range of cells of an anti-diagonal.
struct Diagonal {
    std::size_t number, first, last;
    /// Whether there are rows before the first and after the last cell whose cells are not computed.
    bool isCutBefore = false, isCutAfter = false;

    template <class Number>
    Diagonal(std::size_t diagonal, const JoinedProfiles<Number>& pair)
        : number(diagonal),
          first(diagonal > pair.columns + 1 ? diagonal - pair.columns : 1),
          last(std::min(pair.rows, diagonal - 1)) {
        if (pair.path.empty()) return;
        const std::size_t center = pair.path[diagonal];
        isCutBefore = center > first + pair.reach;
        isCutAfter = center + pair.reach < last;
        if (isCutBefore) first = center - pair.reach;
        if (isCutAfter) last = center + pair.reach;
    }
    std::size_t count() const { return last - first + 1; }
};

/// One model's sums for a pair of profiles.
template <class Number, std::size_t kBytes, std::size_t kKinds>
class DiagonalSums : private LooseRegisters<Number, kBytes> {
    using Registers = LooseRegisters<Number, kBytes>;
    using Registers::load, Registers::store;

  public:
    using Lanes = PosteriorLanes<Number, kBytes>;
    using Values = typename Lanes::Values;
    static constexpr std::size_t kLanes = Lanes::kLanes;
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
        setBorder(1, true, true);
    }

    std::size_t stateSize() const { return kArrays * length_; }
    void save(Number* target) const { std::copy_n(states_, stateSize(), target); }
    void restore(const Number* source) { std::copy_n(source, stateSize(), states_); }

    /// Computes anti-diagonals in ascending order from 2. `isFirst`: the anti-diagonal is computed for the
    /// first time, so its scale and its share of the sum over all alignments are found. `cells` receives the
    /// sums of its pairs.
    void forward(const Diagonal& diagonal, Number* cells, const Number* odds, bool isFirst) {
        const std::size_t d = diagonal.number;
        if (isFirst) exponents_[d] = exponentFrom(exponents_[d - 1], forwardLargest_);
        const Number scale = power(exponents_[d - 1] - exponents_[d]);
        const Number scaleBefore = power(exponents_[d - 2] - exponents_[d]);
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
        cut(diagonal, ready, here);
        setBorder(d, !diagonal.isCutBefore, !diagonal.isCutAfter);
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
        cut(diagonal, target, behind);
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

    /// Sets the sums of cells next to a diagonal that is cut to 0. Registers may have reached past its last
    /// cell, and there may be sums of an earlier diagonal.
    void cut(const Diagonal& diagonal, Number* ready, Number* pairs) {
        const std::size_t slot = diagonal.number % 2;
        if (diagonal.isCutBefore) {
            ready[diagonal.first - 1] = pairs[diagonal.first - 1] = 0;
            for (std::size_t kind = 0; kind < kKinds; ++kind)
                inRows_[kind][slot][diagonal.first - 1] = inColumns_[kind][diagonal.first - 1] = 0;
        }
        if (!diagonal.isCutAfter) return;
        const std::size_t after = diagonal.last + 1;
        store(ready + after, Values{});
        store(pairs + after, Values{});
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            store(inRows_[kind][slot] + after, Values{});
            store(inColumns_[kind] + after, Values{});
        }
    }

    /// Sets the sums of alignments that have no pair yet. Only those that a pair can follow count as sums of
    /// the anti-diagonal.
    void setBorder(std::size_t d, bool isBeforeUsed, bool isAfterUsed) {
        Number* const ready = ready_[d % 3];
        if (d <= pair_.columns) ready[0] = scaled(model_.columnLeads[d], exponents_[d]);
        if (d <= pair_.rows) ready[d] = scaled(model_.rowLeads[d], exponents_[d]);
        if (d <= pair_.columns && isBeforeUsed) forwardLargest_ = std::max(forwardLargest_, ready[0]);
        if (d <= pair_.rows && isAfterUsed) forwardLargest_ = std::max(forwardLargest_, ready[d]);
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

/// The number of anti-diagonals whose odds are computed together, so that each load serves several products.
inline constexpr std::size_t kDiagonalsAtOnce = 4;

/// The odds of a block of anti-diagonals by both models.
template <class Number, std::size_t kBytes>
void findOdds(const JoinedProfiles<Number>& pair, const DiagonalBlock& block, Number* oddsOfOne,
              Number* oddsOfOther) {
    using Lanes = PosteriorLanes<Number, kBytes>;
    using Registers = LooseRegisters<Number, kBytes>;
    using Values = typename Lanes::Values;
    // The column of the first row on the first anti-diagonal; it is one less on each one after it.
    const std::ptrdiff_t column =
        static_cast<std::ptrdiff_t>(pair.columns + block.row) - static_cast<std::ptrdiff_t>(block.number);
    for (std::size_t i = 0; i < block.length; i += Lanes::kLanes) {
        const Number* rowsOfOne = pair.models[0].odds + block.row + i;
        const Number* rowsOfOther = pair.models[1].odds + block.row + i;
        const Number* columns = pair.shares + column + i;
        Values one[kDiagonalsAtOnce]{}, other[kDiagonalsAtOnce]{};
        for (std::size_t component = 0; component < pair.components; ++component) {
            const Values ofOne = Registers::load(rowsOfOne), ofOther = Registers::load(rowsOfOther);
            for (std::size_t k = 0; k < kDiagonalsAtOnce; ++k) {
                const Values shares = Registers::load(columns - k);
                one[k] += ofOne * shares;
                other[k] += ofOther * shares;
            }
            rowsOfOne += pair.rowStride;
            rowsOfOther += pair.rowStride;
            columns += pair.columnStride;
        }
        for (std::size_t k = 0; k < kDiagonalsAtOnce; ++k) {
            const std::size_t place = block.offset + k * block.length + i;
            *reinterpret_cast<Values*>(oddsOfOne + place) = one[k];
            *reinterpret_cast<Values*>(oddsOfOther + place) = other[k];
        }
    }
}

/// The anti-diagonals of a pair in blocks, and the number of cells of each block.
template <class Number, std::size_t kLanes>
class DiagonalBlocks {
  public:
    DiagonalBlocks(const JoinedProfiles<Number>& pair, std::vector<DiagonalBlock>& blocks)
        : pair_(pair), blocks_(blocks), end_(pair.rows + pair.columns + 1) {
        blocks_.clear();
        std::size_t cells = 0;
        for (std::size_t d = 2; d < end_; d += kDiagonalsAtOnce) {
            DiagonalBlock block{.number = d, .row = Diagonal(d, pair).first, .length = 0, .offset = 0};
            for (std::size_t k = d; k < std::min(d + kDiagonalsAtOnce, end_); ++k) {
                const Diagonal diagonal(k, pair);
                block.length =
                    std::max(block.length, diagonal.first - block.row + registersOf(diagonal.count()));
            }
            block.length = registersOf(block.length);
            const std::size_t count = kDiagonalsAtOnce * block.length;
            if (cells > 0 && cells + count > pair.cellsAtOnce) {
                stretches_.push_back(blocks_.size());
                cells = 0;
            }
            block.offset = cells;
            cells += count;
            most_ = std::max(most_, cells);
            blocks_.push_back(block);
        }
        stretches_.push_back(blocks_.size());
    }

    std::size_t stretches() const { return stretches_.size() - 1; }
    /// The most cells of a stretch.
    std::size_t mostCells() const { return most_; }
    /// Calls use(block) for each block of a stretch.
    template <class Use>
    void forward(std::size_t stretch, const Use& use) const {
        for (std::size_t b = stretches_[stretch]; b < stretches_[stretch + 1]; ++b) use(blocks_[b]);
    }
    template <class Use>
    void backward(std::size_t stretch, const Use& use) const {
        for (std::size_t b = stretches_[stretch + 1]; b-- > stretches_[stretch];) use(blocks_[b]);
    }
    /// The number of anti-diagonals of a block.
    std::size_t countOf(const DiagonalBlock& block) const {
        return std::min(kDiagonalsAtOnce, end_ - block.number);
    }
    /// The place of the first cell of a block's anti-diagonal in the arrays of cells.
    static std::size_t placeOf(const DiagonalBlock& block, const Diagonal& diagonal) {
        return block.offset + (diagonal.number - block.number) * block.length + (diagonal.first - block.row);
    }

  private:
    static std::size_t registersOf(std::size_t cells) { return (cells + kLanes - 1) / kLanes * kLanes; }

    const JoinedProfiles<Number>& pair_;
    std::vector<DiagonalBlock>& blocks_;
    std::size_t end_, most_ = 0;
    std::vector<std::size_t> stretches_{0};
};

/// Appends the cells whose squares of both posteriors sum to at least `limit`.
template <class Number, std::size_t kBytes>
void findEntries(const Diagonal& diagonal, const Number* first, const Number* second, Number limit,
                 ProfileEntries& found) {
    using Lanes = PosteriorLanes<Number, kBytes>;
    using Registers = LooseRegisters<Number, kBytes>;
    using Values = typename Lanes::Values;
    for (std::size_t i = diagonal.first; i <= diagonal.last; i += Lanes::kLanes) {
        const Values a = Registers::load(first + (i - diagonal.first));
        const Values b = Registers::load(second + (i - diagonal.first));
        const Values squares = a * a + b * b;
        for (unsigned bits = Lanes::lanesFrom(squares, limit); bits != 0; bits &= bits - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
            found.rowOf.push_back(static_cast<std::uint32_t>(i + lane - 1));
            found.entries.push_back({static_cast<std::uint32_t>(diagonal.number - i - lane - 1),
                                     static_cast<float>(std::sqrt(squares[lane] / 2))});
        }
    }
}

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

    using Blocks = DiagonalBlocks<Number, kLanes>;
    const Blocks blocks(pair, memory.blocks);
    const std::size_t most = blocks.mostCells();
    Number* const cellsOfOne = atLeast(memory.cells, 4 * most);
    Number* const oddsOfOne = cellsOfOne + most;
    Number* const cellsOfOther = oddsOfOne + most;
    Number* const oddsOfOther = cellsOfOther + most;
    const std::size_t count = blocks.stretches();
    Number* const kept = count > 1 ? atLeast(memory.kept, 2 * count * stateElements) : nullptr;
    const auto forwards = [&](std::size_t stretch, bool isFirst) {
        blocks.forward(stretch, [&](const DiagonalBlock& block) {
            findOdds<Number, kBytes>(pair, block, oddsOfOne, oddsOfOther);
            for (std::size_t k = 0; k < blocks.countOf(block); ++k) {
                const Diagonal diagonal(block.number + k, pair);
                const std::size_t place = Blocks::placeOf(block, diagonal);
                if (diagonal.isCutAfter) {
                    // The register that holds the last cell reaches past it.
                    const std::size_t beyond = (kLanes - diagonal.count() % kLanes) % kLanes;
                    std::fill_n(oddsOfOne + place + diagonal.count(), beyond, Number{0});
                    std::fill_n(oddsOfOther + place + diagonal.count(), beyond, Number{0});
                }
                one.forward(diagonal, cellsOfOne + place, oddsOfOne + place, isFirst);
                other.forward(diagonal, cellsOfOther + place, oddsOfOther + place, isFirst);
            }
        });
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
        blocks.backward(stretch, [&](const DiagonalBlock& block) {
            for (std::size_t k = blocks.countOf(block); k-- > 0;) {
                const Diagonal diagonal(block.number + k, pair);
                const std::size_t place = Blocks::placeOf(block, diagonal);
                Number* const first = cellsOfOne + place;
                Number* const second = cellsOfOther + place;
                one.backward(diagonal, first, oddsOfOne + place);
                other.backward(diagonal, second, oddsOfOther + place);
                findEntries<Number, kBytes>(diagonal, first, second, limit, found);
            }
        });
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
