#include "engine/alignment/cpu/posterior_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/alignment/cpu/posterior_lanes.hpp"
#include "engine/pairwise/cpu/lane_registers.hpp"

namespace glycine::align::cpu {

namespace {

/// One model's sums for a block of pairs.
template <class Number, std::size_t kBytes, std::size_t kKinds>
class ModelSums {
  public:
    using Lanes = PosteriorLanes<Number, kBytes>;
    using Values = typename Lanes::Values;
    using Integers = typename Lanes::Integers;
    using Integer = typename Lanes::Integer;
    static constexpr std::size_t kLanes = Lanes::kLanes;

    /// `states`: (2 + 2 kMaxGapKinds) · (width + 1) registers; `exponents`: 2 (rows + 2) registers; `pairs`:
    /// (rowsAtOnce + 1) · width registers.
    ModelSums(const PosteriorBlock<Number>& block, const ModelNumbers<Number>& model, Number* states,
              Integer* exponents, Number* pairs)
        : block_(block),
          model_(model),
          pairs_(reinterpret_cast<Values*>(pairs)),
          forwardExponents_(reinterpret_cast<Integers*>(exponents)) {
        Values* const state = reinterpret_cast<Values*>(states);
        const std::size_t width = block.width + 1;
        before_ = state;
        behind_ = state + width;
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            below_[kind] = state + (2 + kind) * width;
            above_[kind] = state + (2 + kMaxGapKinds + kind) * width;
        }
    }

    std::size_t stateSize() const { return (1 + kKinds + 1) * (block_.width + 1); }
    Values* pairsOf(std::size_t place) const { return pairs_ + place * block_.width; }

    void beginForwards() {
        const Integers begin = Integers{} - NumberFormat<Number>::kTarget;
        for (std::size_t j = 0; j <= block_.width; ++j)
            before_[j] = scaled(model_.leads[j], NumberFormat<Number>::kTarget) - Values{};
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            std::fill_n(below_[kind], block_.width + 1, Values{});
        std::fill_n(pairsOf(0), block_.width, Values{});
        forwardExponents_[0] = forwardExponents_[1] = begin;
        largest_ = Values{};
    }

    /// Saves the state needed to start again at the next row. Position 0 of the pairs holds the previous row.
    void save(Values* target, std::size_t place) const {
        const std::size_t width = block_.width + 1;
        target = std::copy_n(before_, width, target);
        for (std::size_t kind = 0; kind < kKinds; ++kind) target = std::copy_n(below_[kind], width, target);
        std::copy_n(pairsOf(place), block_.width, target);
    }
    void restore(const Values* source) {
        const std::size_t width = block_.width + 1;
        std::copy_n(source, width, before_);
        source += width;
        for (std::size_t kind = 0; kind < kKinds; ++kind, source += width)
            std::copy_n(source, width, below_[kind]);
        std::copy_n(source, block_.width, pairsOf(0));
    }

    /// Computes rows in ascending order. Row `row` is written to `place` of the pairs; the previous row is at
    /// place − 1. `isFirst`: the row is computed for the first time, so its scale and its share of the sum
    /// over all alignments are found.
    void forward(std::size_t row, std::size_t place, bool isFirst) {
        // Exponents are numbered from 1: 0 is the border.
        const Integers exponent = forwardExponents_[row];
        Integers* const next = forwardExponents_ + row + 1;
        const Integers shiftBefore = row == 0 ? Integers{} : exponent - forwardExponents_[row - 1];
        if (isFirst) {
            // The scale comes from the previous row's sums, so that it is known before this row begins.
            const Integers shift = Lanes::exponentsOf(largest_) - shiftBefore - NumberFormat<Number>::kTarget;
            *next = exponent + (largest_ > Values{} ? shift : Integers{});
        }
        const Values scaleBefore = Lanes::powers(-shiftBefore), scale = Lanes::powers(exponent - *next);
        Values openBefore[kKinds], extendBefore[kKinds], open[kKinds], extend[kKinds], close[kKinds];
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            openBefore[kind] = model_.open[kind] * scaleBefore;
            extendBefore[kind] = model_.extend[kind] * scaleBefore;
            open[kind] = model_.open[kind] - Values{};
            extend[kind] = model_.extend[kind] - Values{};
            close[kind] = model_.close[kind] * scale;
        }
        const Values match = model_.match * scale;
        const Number* const odds = model_.odds.row(block_.query[row]);
        const Values* const above = pairsOf(place - 1);
        Values* const target = pairsOf(place);
        const std::uint8_t* code = block_.columns;
        Values diagonal = before_[0], left{}, beside[kKinds]{}, largest{};
        for (std::size_t j = 0; j < block_.width; ++j, code += kLanes) {
            const Values pair = Lanes::lookUp(odds, Lanes::codesAt(code)) * diagonal;
            diagonal = before_[j + 1];
            Values follows = match * pair;
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                beside[kind] = extend[kind] * beside[kind] + open[kind] * left;
                const Values gap = extendBefore[kind] * below_[kind][j] + openBefore[kind] * above[j];
                below_[kind][j] = gap;
                follows += close[kind] * (gap + beside[kind]);
            }
            before_[j + 1] = follows;
            target[j] = pair;
            left = pair;
            largest = pair > largest ? pair : largest;
        }
        largest_ = largest;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            before_[0][lane] = scaled(model_.leads[row + 1], -(*next)[lane]);
        if (isFirst) addEnds(row, target, exponent);
    }

    void beginBackwards() {
        std::fill_n(behind_, block_.width + 1, Values{});
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            std::fill_n(above_[kind], block_.width + 1, Values{});
        shift_ = shiftNext_ = Integers{};
        backwardExponent_ = Integers{} - NumberFormat<Number>::kTarget;
        shortest_ = block_.width;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            last_[lane] = static_cast<Integer>(block_.lengths[lane]) - 1;
            if (block_.lengths[lane] > 0) shortest_ = std::min<std::size_t>(shortest_, block_.lengths[lane]);
        }
    }

    /// Rows in descending order: found(column, posteriors) for each column of the row, from the last one.
    template <class Found>
    void backward(std::size_t row, std::size_t place, Found&& found) {
        // The scale from the row below to this one comes from the row two below.
        const Values scale = Lanes::powers(-shift_);
        Values open[kKinds], openBelow[kKinds], extend[kKinds], extendBelow[kKinds], close[kKinds];
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            open[kind] = model_.open[kind] - Values{};
            extend[kind] = model_.extend[kind] - Values{};
            openBelow[kind] = model_.open[kind] * scale;
            extendBelow[kind] = model_.extend[kind] * scale;
            close[kind] = model_.close[kind] * scale;
        }
        const Values match = model_.match * scale;
        backwardExponent_ += shift_;
        // The factor for the product of both directions, split in two: a small factor alone would leave the
        // range of float32, and so would the product.
        Values half{}, weight{}, trail{};
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (block_.lengths[lane] == 0) continue;
            int exponent = 0;
            const double factor = std::frexp(1 / total_[lane].mantissa, &exponent);
            exponent += static_cast<int>(forwardExponents_[row][lane] + backwardExponent_[lane]) -
                        total_[lane].exponent;
            const int first = std::min(exponent / 2, 0);
            half[lane] = scaled({1, 0}, first);
            weight[lane] = static_cast<Number>(std::ldexp(factor, exponent - first));
            trail[lane] = scaled(model_.trails[block_.rows - 1 - row], -backwardExponent_[lane]);
        }
        const Number* const odds = model_.odds.row(block_.query[row]);
        Values* const pairs = pairsOf(place);
        Values next{}, beside[kKinds]{}, largest{};
        const auto compute = [&](std::size_t j, auto&& ends) {
            Values behind = match * next + ends(j);
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                const Values gap = above_[kind][j], closed = close[kind] * next;
                behind += open[kind] * beside[kind] + openBelow[kind] * gap;
                above_[kind][j] = closed + extendBelow[kind] * gap;
                beside[kind] = closed + extend[kind] * beside[kind];
            }
            next = behind_[j];
            behind_[j] = Lanes::lookUp(odds, Lanes::codesAt(block_.columns + j * kLanes)) * behind;
            largest = behind > largest ? behind : largest;
            found(j, pairs[j], pairs[j] * half * behind * weight);
        };
        std::size_t j = block_.width;
        if (row + 1 == block_.rows) {
            while (j-- > 0)
                compute(j, [&](std::size_t column) {
                    Values ends{};
                    for (std::size_t lane = 0; lane < kLanes; ++lane)
                        if (last_[lane] >= static_cast<Integer>(column))
                            ends[lane] = scaled(model_.trails[static_cast<std::size_t>(last_[lane]) - column],
                                                NumberFormat<Number>::kTarget);
                    return ends;
                });
        } else {
            while (j > 0 && j >= shortest_) {
                --j;
                compute(j, [&](std::size_t column) {
                    const Integers here = Integers{} + static_cast<Integer>(column);
                    return last_ == here ? trail : Values{};
                });
            }
            while (j-- > 0) compute(j, [](std::size_t) { return Values{}; });
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) addBegins(row, lane);
        // For the row after the next one.
        Integers nextShift = Lanes::exponentsOf(largest) - NumberFormat<Number>::kTarget - shiftNext_;
        nextShift = largest > Values{} ? nextShift : Integers{};
        shift_ = shiftNext_;
        shiftNext_ = nextShift;
    }

    /// Whether both directions found the same sum in a lane.
    bool isSound(std::size_t lane) const {
        constexpr double kTolerance = 1e-3;
        if (!(total_[lane].mantissa > 0)) return false;
        const double ratio = std::ldexp(backwardTotal_[lane].mantissa / total_[lane].mantissa,
                                        backwardTotal_[lane].exponent - total_[lane].exponent);
        return std::abs(ratio - 1) <= kTolerance;
    }

  private:
    static Number scaled(const ScaledNumber& value, Integer shift) {
        return static_cast<Number>(value.times2To(static_cast<int>(shift)));
    }

    /// Adds the alignments that end with a pair of this row.
    void addEnds(std::size_t row, const Values* pairs, Integers exponent) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::size_t length = block_.lengths[lane];
            if (length == 0) continue;
            const auto add = [&](std::size_t column, const ScaledNumber& trail) {
                total_[lane].add(static_cast<double>(pairs[column][lane]) * trail.mantissa,
                                 static_cast<int>(exponent[lane]) + trail.exponent);
            };
            add(length - 1, model_.trails[block_.rows - 1 - row]);
            if (row + 1 == block_.rows)
                for (std::size_t column = 0; column + 1 < length; ++column)
                    add(column, model_.trails[length - 1 - column]);
        }
    }

    /// Adds the alignments that begin with a pair of this row.
    void addBegins(std::size_t row, std::size_t lane) {
        const std::size_t columns = row == 0 ? block_.lengths[lane] : 1;
        for (std::size_t column = 0; column < columns; ++column) {
            const ScaledNumber& lead = model_.leads[row + column];
            backwardTotal_[lane].add(static_cast<double>(behind_[column][lane]) * lead.mantissa,
                                     static_cast<int>(backwardExponent_[lane]) + lead.exponent);
        }
    }

    const PosteriorBlock<Number>& block_;
    const ModelNumbers<Number>& model_;
    Values* pairs_;
    Values *before_ = nullptr, *behind_ = nullptr;
    Values* below_[kKinds] = {};
    Values* above_[kKinds] = {};
    Integers* forwardExponents_;
    Integers shift_{}, shiftNext_{}, backwardExponent_{}, last_{};
    Values largest_{};
    ScaledNumber total_[kLanes], backwardTotal_[kLanes];
    std::size_t shortest_ = 0;
};

/// All rows of a block of pairs. Forward sums are kept for as many rows as fit in a fixed amount of memory.
/// If they do not all fit, the state before each such stretch is kept and the stretch is computed again (J.
/// A. Grice, R. Hughey, D. Speck, "Reduced space sequence alignment", CABIOS 13 (1997), 45–53).
template <class Number, std::size_t kBytes, std::size_t kFirstKinds, std::size_t kSecondKinds>
void computeBlock(const PosteriorBlock<Number>& block, PosteriorMemory<Number>& memory) {
    using Lanes = PosteriorLanes<Number, kBytes>;
    using Values = typename Lanes::Values;
    constexpr std::size_t kLanes = Lanes::kLanes;
    constexpr std::size_t kRegisters = (std::size_t{1} << 20) / kBytes;
    const std::size_t atOnce = std::clamp<std::size_t>(kRegisters / block.width, 16, block.rows + 15);
    const std::size_t stretches = (block.rows + atOnce - 1) / atOnce;
    const std::size_t stateElements = (2 + 2 * kMaxGapKinds) * (block.width + 1) * kLanes;
    const std::size_t pairElements = (atOnce + 1) * block.width * kLanes;
    const std::size_t exponentElements = (block.rows + 2) * kLanes;
    Number* const states = atLeast(memory.states, 2 * stateElements);
    Number* const pairs = atLeast(memory.rowsOfPairs, 2 * pairElements);
    auto* const exponents = atLeast(memory.exponents, 2 * exponentElements);
    ModelSums<Number, kBytes, kFirstKinds> one(block, *block.models[0], states, exponents, pairs);
    ModelSums<Number, kBytes, kSecondKinds> other(block, *block.models[1], states + stateElements,
                                                  exponents + exponentElements, pairs + pairElements);
    const std::size_t keptEach = one.stateSize() + other.stateSize();
    Values* const kept = reinterpret_cast<Values*>(atLeast(memory.kept, stretches * keptEach * kLanes));

    one.beginForwards();
    other.beginForwards();
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
        const std::size_t first = stretch * atOnce, last = std::min(first + atOnce, block.rows);
        if (stretch > 0) {
            one.save(kept + stretch * keptEach, atOnce);
            other.save(kept + stretch * keptEach + one.stateSize(), atOnce);
            one.restore(kept + stretch * keptEach);
            other.restore(kept + stretch * keptEach + one.stateSize());
        } else {
            one.save(kept, 0);
            other.save(kept + one.stateSize(), 0);
        }
        for (std::size_t row = first; row < last; ++row) one.forward(row, row - first + 1, true);
        for (std::size_t row = first; row < last; ++row) other.forward(row, row - first + 1, true);
    }
    memory.lanes.resize(kLanes);
    for (LanePosterior& lane : memory.lanes) {
        lane.rowOf.clear();
        lane.entries.clear();
    }
    one.beginBackwards();
    other.beginBackwards();
    const Number limit = 2 * block.cutoff * block.cutoff;
    for (std::size_t stretch = stretches; stretch-- > 0;) {
        const std::size_t first = stretch * atOnce, last = std::min(first + atOnce, block.rows);
        if (stretch + 1 < stretches) {
            one.restore(kept + stretch * keptEach);
            other.restore(kept + stretch * keptEach + one.stateSize());
            for (std::size_t row = first; row < last; ++row) one.forward(row, row - first + 1, false);
            for (std::size_t row = first; row < last; ++row) other.forward(row, row - first + 1, false);
        }
        for (std::size_t row = last; row-- > first;) {
            const std::size_t place = row - first + 1;
            const Values* const firstOnes = one.pairsOf(place);
            one.backward(row, place, [](std::size_t, Values& pair, Values value) { pair = value; });
            other.backward(row, place, [&](std::size_t column, Values&, Values value) {
                const Values before = firstOnes[column];
                const Values squares = before * before + value * value;
                for (unsigned bits = Lanes::lanesFrom(squares, limit); bits != 0; bits &= bits - 1) {
                    const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
                    memory.lanes[lane].rowOf.push_back(static_cast<std::uint32_t>(row));
                    memory.lanes[lane].entries.push_back({static_cast<std::uint32_t>(column),
                                                          static_cast<float>(std::sqrt(squares[lane] / 2))});
                }
            });
        }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        memory.lanes[lane].isSound = block.lengths[lane] == 0 || (one.isSound(lane) && other.isSound(lane));
}

template <class Number, std::size_t kBytes>
void computePosteriorBlock(const PosteriorBlock<Number>& block, PosteriorMemory<Number>& memory) {
    static_assert(kMaxGapKinds == 2);
    const FlushToZero flush;
    if (block.models[0]->gapKinds == 2 && block.models[1]->gapKinds == 1)
        computeBlock<Number, kBytes, 2, 1>(block, memory);
    else
        computeBlock<Number, kBytes, 2, 2>(block, memory);
}

}  // namespace

/// Offers the set's own register width, and narrower ones for fewer pairs.
template <class Number>
template <InstructionSet set>
PosteriorKernel<Number> PosteriorKernel<Number>::compiled() {
    PosteriorKernel<Number> kernel;
    kernel.widths.push_back({16 / sizeof(Number), &computePosteriorBlock<Number, 16>});
    if constexpr (kRegisterBytes >= 32)
        kernel.widths.push_back({32 / sizeof(Number), &computePosteriorBlock<Number, 32>});
    if constexpr (kRegisterBytes >= 64)
        kernel.widths.push_back({64 / sizeof(Number), &computePosteriorBlock<Number, 64>});
    return kernel;
}

template PosteriorKernel<float> PosteriorKernel<float>::compiled<kCompiledSet>();
template PosteriorKernel<double> PosteriorKernel<double>::compiled<kCompiledSet>();

}  // namespace glycine::align::cpu
