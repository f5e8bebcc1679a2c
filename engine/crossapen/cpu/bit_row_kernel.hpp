#pragma once

#include "engine/crossapen/cpu/match_kernels.hpp"

/// The kernels that combine bit rows, written once for all instruction sets. `Words` gives
///   Register (kWords words)
///   load, store, zero, bitAnd, bitXor, xor3(a, b, c), majority(a, b, c)
///   Sums: numbers that belong to the words; noSums; addCounts(sums, s, l): adds the bits of s and of l
///   shortSum(sums), longSum(sums): their totals
namespace glycine::crossapen::cpu {

template <class Words>
struct BitRowKernel {
    using Register = typename Words::Register;

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

}  // namespace glycine::crossapen::cpu
