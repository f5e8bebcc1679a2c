#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/crossapen/prepared_signals.hpp"

/// The arithmetic kernels of the `cpu` backend, one set per instruction set. All find exactly the same
/// matches, because all round x − y once and compare it with r.
namespace glycine::crossapen::cpu {

/// Ranks [begin, end) among the sorted samples of a partner: begin in the lower 16 bits, end in the upper.
using Interval = std::uint32_t;
constexpr std::uint32_t beginOf(Interval interval) {
    return interval & 0xffff;
}
constexpr std::uint32_t endOf(Interval interval) {
    return interval >> 16;
}
/// The most samples of a partner in one search. The last 16-bit number remains free for "none".
inline constexpr std::size_t kMaximumSearched = 0xffff;

/// For every template sample x, finds the sorted partner samples within `tolerance`. Rounding is monotone, so
/// the samples with x − y > r are a prefix of the sorted partner. So are the samples with x − y ≥ −r.
template <class T>
struct IntervalSearch {
    const T* templates = nullptr;  ///< ascending, padded to a multiple of kTemplatePadding with the last one
    std::size_t count = 0;         ///< number of templates without the padding
    const T* partners =
        nullptr;  ///< ascending, kMaximumSearched at most, followed by kPartnerPadding infinities
    T tolerance = 0;
    Interval* intervals = nullptr;  ///< output, one per template including the padding; begin ≤ end
};
inline constexpr std::size_t kPartnerPadding = 8;

/// Bit rows: row i of a match matrix as a bit set of partner positions. With W words, position w + W·t is bit
/// t of word w (w < W). Then follow m more words: word W + s is word s shifted down by one bit. So bit t of
/// word w + k is position w + W·t + k: a template's k-th sample is k words further, and no shift is needed.
/// Positions past the end are zero.
struct BitRows {
    std::uint64_t* rows = nullptr;
    std::size_t stride = 0;  ///< words from one row to the next, ≥ words + m
    std::size_t words = 0;   ///< W, a multiple of MatchKernels::words
    std::size_t m = 0;
    std::uint64_t* row(std::size_t i) const { return rows + i * stride; }
};

/// Computes bit rows by comparing samples.
template <class T>
struct RowComparison {
    const T* templates = nullptr;
    std::size_t count = 0;
    /// 64·W numbers, infinite past the end. Those of word w are at 64·w, in the kernel's own order.
    const T* partners = nullptr;
    T tolerance = 0;
    BitRows out;
};

/// Computes bit rows from prefix sets: row i is prefix[begin] xor prefix[end] of interval ranks[i].
struct RowSelection {
    const std::uint64_t* prefixes = nullptr;  ///< laid out like `out`
    const Interval* intervals = nullptr;
    const std::uint32_t* ranks = nullptr;
    std::size_t count = 0;
    BitRows out;
};

/// Counts matches of `count` templates, i = 0 … count − 1, from rows i … i + m.
struct WindowCounting {
    BitRows rows;
    std::size_t count = 0;
    const std::uint64_t* positions = nullptr;  ///< W words: the positions where a template of length m may
                                               ///< begin
};

/// Bit-sliced numbers: bit t of word w of plane k is bit k of the number at position w + W·t.
struct BitPlanes {
    std::uint64_t* planes = nullptr;  ///< `count` planes of W words
    std::size_t count = 0;
};
/// Templates that one call of `addColumns` processes, and the planes needed for their number.
inline constexpr std::size_t kColumnRows = 64;
inline constexpr std::size_t kColumnPlanes = 7;

/// Ranks of consecutive samples of a partner, for counting the points in a rectangle of ranks. Points are
/// (rank of sample j, rank of sample j + 1).
struct RankGrid {
    static constexpr std::size_t kCell = 32;        ///< ranks per cell
    static constexpr std::uint16_t kNone = 0xffff;  ///< no such sample
    const std::uint16_t* successors = nullptr;      ///< indexed by the rank of j; padded to whole cells plus
                                                    ///< one
    const std::uint16_t* predecessors = nullptr;    ///< indexed by the rank of j + 1; likewise
    const std::uint16_t* counts = nullptr;  ///< [p · side + q]: points with ranks below 32 p and 32 q
    std::size_t side = 0;
    /// Rank of the sample that is part of the block only as a successor; kNone if there is none.
    std::uint32_t excluded = kNone;
};

/// Short and long matches of all templates for m = 1.
struct RectangleCounting {
    const Interval* intervals = nullptr;
    const std::uint32_t* ranks = nullptr;  ///< of the template samples, in order of time
    std::size_t count = 0;                 ///< number of template samples
    RankGrid grid;
};

/// T: float or double.
template <class T>
struct MatchKernels {
    std::size_t words = 0;  ///< W must be a multiple of it; at most 8
    void (*findIntervals)(const IntervalSearch<T>& search) = nullptr;
    void (*compareRows)(const RowComparison<T>& comparison) = nullptr;
    void (*selectRows)(const RowSelection& selection) = nullptr;
    /// Adds the number of matches of every template to shortCounts[i] and longCounts[i].
    void (*countWindows)(const WindowCounting& windows, std::uint32_t* shortCounts,
                         std::uint32_t* longCounts) = nullptr;
    /// Adds to each position the number of templates that match it. `windows.count` ≤ kColumnRows; needs at
    /// least kColumnPlanes planes.
    void (*addColumns)(const WindowCounting& windows, BitPlanes shortPlanes, BitPlanes longPlanes) = nullptr;
    /// Adds to shortCounts[i], i < count, and longCounts[i], i < count − 1.
    void (*countRectangles)(const RectangleCounting& rectangles, std::uint32_t* shortCounts,
                            std::uint32_t* longCounts) = nullptr;

    /// The AVX-512 set also needs 16-bit comparisons and population counts.
    static constexpr KernelNeeds kNeeds{.bytesAndWords = true, .populationCount = true};
    template <InstructionSet set>
    static MatchKernels compiled();
};

}  // namespace glycine::crossapen::cpu
