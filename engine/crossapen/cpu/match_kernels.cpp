#include "engine/crossapen/cpu/match_kernels.hpp"

#include <algorithm>

#include "engine/crossapen/cpu/match_vectors.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// Compares samples.
template <class T>
struct ComparisonKernel {
    static void findIntervals(const IntervalSearch<T>& search) {
        static_assert(kTemplatePadding % Lanes<T>::kLanes == 0);
        const T r = search.tolerance;
        std::size_t beginCursor = 0;
        std::size_t endCursor = 0;
        for (std::size_t k = 0; k < search.count; k += Lanes<T>::kLanes) {
            const T* templates = search.templates + k;
            const auto begins = walk<false>(templates, search.partners, r, beginCursor);
            const auto ends = walk<true>(templates, search.partners, -r, endCursor);
            Lanes<T>::storeIntervals(search.intervals + k, begins, ends);
        }
    }

    static void compareRows(const RowComparison<T>& comparison) {
        const auto r = Lanes<T>::broadcast(comparison.tolerance);
        const BitRows& out = comparison.out;
        for (std::size_t i = 0; i < comparison.count; ++i) {
            const auto x = Lanes<T>::broadcast(comparison.templates[i]);
            std::uint64_t* row = out.row(i);
            for (std::size_t w = 0; w < out.words; ++w)
                row[w] = Lanes<T>::compareWord(comparison.partners + 64 * w, x, r);
            for (std::size_t w = out.words; w < out.words + out.m; ++w) row[w] = row[w - out.words] >> 1;
        }
    }

  private:
    /// How many partners y have x − y > bound (or ≥), for kLanes ascending x. All y before `cursor` have it
    /// for every x; on return, for every x to come.
    template <bool orEqual>
    static typename Lanes<T>::Count walk(const T* templates, const T* partners, T bound,
                                         std::size_t& cursor) {
        const auto x = Lanes<T>::load(templates);
        const auto bounds = Lanes<T>::broadcast(bound);
        const T largest = templates[Lanes<T>::kLanes - 1];
        auto count = Lanes<T>::counts(static_cast<std::uint32_t>(cursor));
        const T* y = partners + cursor;
        for (;; y += kPartnerPadding) {
            for (std::size_t step = 0; step < kPartnerPadding; ++step) {
                const auto partner = Lanes<T>::broadcast(y[step]);
                count = orEqual ? Lanes<T>::addGreaterOrEqual(count, x, partner, bounds)
                                : Lanes<T>::addGreater(count, x, partner, bounds);
            }
            const T difference = largest - y[kPartnerPadding - 1];
            if (!(orEqual ? difference >= bound : difference > bound)) break;
        }
        cursor = static_cast<std::size_t>(y - partners);
        return count;
    }
};

/// Combines bit rows.
struct BitRowKernel {
    using Register = Words::Register;

    static void selectRows(const RowSelection& selection) {
        const BitRows& out = selection.out;
        for (std::size_t i = 0; i < selection.count; ++i) {
            const Interval interval = selection.intervals[selection.ranks[i]];
            const std::uint64_t* begin = selection.prefixes + beginOf(interval) * out.stride;
            const std::uint64_t* end = selection.prefixes + endOf(interval) * out.stride;
            std::uint64_t* row = out.row(i);
            for (std::size_t w = 0; w < out.stride; w += Words::kWords)
                Words::store(row + w, Words::bitXor(Words::load(begin + w), Words::load(end + w)));
        }
    }

    static void countWindows(const WindowCounting& windows, std::uint32_t* shortCounts,
                             std::uint32_t* longCounts) {
        // The usual lengths with loops that the compiler unrolls.
        switch (windows.rows.m) {
            case 1:
                return countWindowsOf<1>(windows, shortCounts, longCounts);
            case 2:
                return countWindowsOf<2>(windows, shortCounts, longCounts);
            case 3:
                return countWindowsOf<3>(windows, shortCounts, longCounts);
            default:
                return countWindowsOf<0>(windows, shortCounts, longCounts);
        }
    }

    static void addColumns(const WindowCounting& windows, BitPlanes shortPlanes, BitPlanes longPlanes) {
        const std::size_t words = windows.rows.words;
        for (std::size_t w = 0; w < words; w += Words::kWords) {
            Slices shortSlices;
            Slices longSlices;
            for (std::size_t k = 0; k < kColumnPlanes; ++k)
                shortSlices.planes[k] = longSlices.planes[k] = Words::zero();
            for (std::size_t i = 0; i < windows.count; i += 4) {
                Register shortRows[4];
                Register longRows[4];
                for (std::size_t row = 0; row < 4; ++row) {
                    shortRows[row] = longRows[row] = Words::zero();
                    if (i + row >= windows.count) continue;
                    shortRows[row] = shortWindow<0>(windows, i + row, w);
                    longRows[row] = longWindow<0>(windows, i + row, w, shortRows[row]);
                }
                addFour(shortSlices, shortRows);
                addFour(longSlices, longRows);
            }
            addSlices(shortPlanes, words, w, shortSlices);
            addSlices(longPlanes, words, w, longSlices);
        }
    }

  private:
    struct Slices {
        Register planes[kColumnPlanes];
    };

    /// Partners from word w on that match the first m samples of template i. length: m, 0: any.
    template <std::size_t length>
    static Register shortWindow(const WindowCounting& windows, std::size_t i, std::size_t w) {
        const std::size_t m = length == 0 ? windows.rows.m : length;
        const std::uint64_t* word = windows.rows.row(i) + w;
        Register matches = Words::bitAnd(Words::load(windows.positions + w), Words::load(word));
        for (std::size_t k = 1; k < m; ++k) {
            word += windows.rows.stride + 1;
            matches = Words::bitAnd(matches, Words::load(word));
        }
        return matches;
    }
    /// Of those, the ones that match one sample more.
    template <std::size_t length>
    static Register longWindow(const WindowCounting& windows, std::size_t i, std::size_t w,
                               Register shortMatches) {
        const std::size_t m = length == 0 ? windows.rows.m : length;
        return Words::bitAnd(shortMatches, Words::load(windows.rows.row(i + m) + w + m));
    }

    template <std::size_t length>
    static void countWindowsOf(const WindowCounting& windows, std::uint32_t* shortCounts,
                               std::uint32_t* longCounts) {
        for (std::size_t i = 0; i < windows.count; ++i) {
            auto sums = Words::noSums();
            for (std::size_t w = 0; w < windows.rows.words; w += Words::kWords) {
                const Register matches = shortWindow<length>(windows, i, w);
                sums = Words::addCounts(sums, matches, longWindow<length>(windows, i, w, matches));
            }
            shortCounts[i] += Words::shortSum(sums);
            longCounts[i] += Words::longSum(sums);
        }
    }

    /// Adds four bits to every number of seven bits. The numbers stay below 128.
    static void addFour(Slices& slices, const Register (&bits)[4]) {
        Register(&planes)[kColumnPlanes] = slices.planes;
        const Register carryA = Words::majority(planes[0], bits[0], bits[1]);
        planes[0] = Words::xor3(planes[0], bits[0], bits[1]);
        const Register carryB = Words::majority(planes[0], bits[2], bits[3]);
        planes[0] = Words::xor3(planes[0], bits[2], bits[3]);
        Register carry = Words::majority(planes[1], carryA, carryB);
        planes[1] = Words::xor3(planes[1], carryA, carryB);
        for (std::size_t k = 2; k < kColumnPlanes; ++k) {
            const Register next = Words::bitAnd(planes[k], carry);
            planes[k] = Words::bitXor(planes[k], carry);
            carry = next;
        }
    }

    static void addSlices(BitPlanes target, std::size_t words, std::size_t w, const Slices& slices) {
        Register carry = Words::zero();
        for (std::size_t k = 0; k < target.count; ++k) {
            std::uint64_t* place = target.planes + k * words + w;
            const Register old = Words::load(place);
            const Register added = k < kColumnPlanes ? slices.planes[k] : Words::zero();
            Words::store(place, Words::xor3(old, added, carry));
            carry = Words::majority(old, added, carry);
        }
    }
};

/// Counts points in rectangles of ranks.
struct RectangleKernel {
    static void countRectangles(const RectangleCounting& rectangles, std::uint32_t* shortCounts,
                                std::uint32_t* longCounts) {
        const RankGrid& grid = rectangles.grid;
        const std::size_t last = rectangles.count - 1;
        Interval current = rectangles.intervals[rectangles.ranks[0]];
        for (std::size_t i = 0; i < last; ++i) {
            const Interval next = rectangles.intervals[rectangles.ranks[i + 1]];
            shortCounts[i] += countShort(current, grid);
            longCounts[i] += countPoints(current, next, grid);
            current = next;
        }
        shortCounts[last] += countShort(current, grid);
    }

  private:
    static std::uint32_t countShort(Interval interval, const RankGrid& grid) {
        const std::uint32_t width = endOf(interval) - beginOf(interval);
        return width - (grid.excluded - beginOf(interval) < width);
    }

    /// Points whose first rank lies in `first` and whose second in `second`: whole cells from the prefix
    /// counts, the rest by looking at the cells that hold the four edges.
    static std::uint32_t countPoints(Interval first, Interval second, const RankGrid& grid) {
        constexpr std::size_t kCell = RankGrid::kCell;
        const std::size_t firstBegin = beginOf(first) / kCell;
        const std::size_t firstEnd = endOf(first) / kCell;
        const std::size_t secondBegin = beginOf(second) / kCell;
        const std::size_t secondEnd = endOf(second) / kCell;
        const std::uint16_t* lower = grid.counts + firstBegin * grid.side;
        const std::uint16_t* upper = grid.counts + firstEnd * grid.side;
        const int whole = (upper[secondEnd] - upper[secondBegin]) - (lower[secondEnd] - lower[secondBegin]);

        const auto base = static_cast<std::uint16_t>(beginOf(second));
        const auto width = static_cast<std::uint16_t>(endOf(second) - beginOf(second));
        const auto cellBase = static_cast<std::uint16_t>(firstBegin * kCell);
        const auto cellWidth = static_cast<std::uint16_t>((firstEnd - firstBegin) * kCell);
        const int added =
            Cell::countInside(grid.successors + firstEnd * kCell, endOf(first) % kCell, base, width) +
            Cell::countInside(grid.predecessors + secondEnd * kCell, endOf(second) % kCell, cellBase,
                              cellWidth);
        const int removed =
            Cell::countInside(grid.successors + firstBegin * kCell, beginOf(first) % kCell, base, width) +
            Cell::countInside(grid.predecessors + secondBegin * kCell, beginOf(second) % kCell, cellBase,
                              cellWidth);
        return static_cast<std::uint32_t>(whole + added - removed);
    }
};

}  // namespace

template <class T>
template <InstructionSet set>
MatchKernels<T> MatchKernels<T>::compiled() {
    static_assert(8 % Words::kWords == 0);
    return {Words::kWords,
            ComparisonKernel<T>::findIntervals,
            ComparisonKernel<T>::compareRows,
            BitRowKernel::selectRows,
            BitRowKernel::countWindows,
            BitRowKernel::addColumns,
            RectangleKernel::countRectangles};
}

template MatchKernels<float> MatchKernels<float>::compiled<kCompiledSet>();
template MatchKernels<double> MatchKernels<double>::compiled<kCompiledSet>();

}  // namespace glycine::crossapen::cpu
