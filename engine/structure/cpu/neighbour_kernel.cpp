// Vectors wider than registers stay within this file.
#pragma GCC diagnostic ignored "-Wpsabi"

#include "engine/structure/cpu/neighbour_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/structure/cpu/kernel_vectors.hpp"

namespace glycine::structure {

namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kCopied = 16;
using Floats [[gnu::vector_size(4 * kLanes)]] = float;

Floats load(const float* from) {
    Floats lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
}

/// Copies kCopied numbers.
template <class Number>
void copyLanes(Number* to, const Number* from) {
    std::memcpy(to, from, kCopied * sizeof(Number));
}

/// Of the candidates from `first` on, lists the places of those within `reach` of a point. Returns how many.
std::size_t findNear(const CellCandidates candidates, std::size_t first, std::size_t count, float x, float y,
                     float z, float reach) {
    std::size_t found = 0;
    for (std::size_t k = first; k < count; k += kLanes) {
        const Floats dx = x - load(candidates.x + k);
        const Floats dy = y - load(candidates.y + k);
        const Floats dz = z - load(candidates.z + k);
        const Floats square = dx * dx + dy * dy + dz * dz;
        std::memcpy(candidates.square + k, &square, sizeof(square));
        const auto marks = square <= reach;
        for (std::size_t half = 0; half < kLanes; half += 4) {
            FourMarks four;
            std::memcpy(&four, reinterpret_cast<const char*>(&marks) + half * sizeof(float), sizeof(four));
            found +=
                appendPlaces(bitsOf(four), static_cast<std::uint32_t>(k + half), candidates.found + found);
        }
    }
    return found;
}

/// Collects the candidates of a cell: what its atoms, from `first` on, are compared with.
std::size_t collect(const CellGrid& grid, std::size_t first, const CellCandidates candidates) {
    constexpr std::size_t kAround = CellGrid::kAround;
    const std::uint32_t* const begin = grid.begin + grid.cell[first];
    std::size_t count = 0;
    const auto take = [&](std::size_t from, std::size_t to) {
        // Rows that hold more are few, and so are empty ones: no branch for them.
        do {
            copyLanes(candidates.x + count, grid.x + from);
            copyLanes(candidates.y + count, grid.y + from);
            copyLanes(candidates.z + count, grid.z + from);
            copyLanes(candidates.atom + count, grid.atom + from);
            copyLanes(candidates.kind + count, grid.kind + from);
            count += std::min(to - from, kCopied);
            from += kCopied;
        } while (from < to);
    };
    take(first + 1, begin[kAround + 1]);
    for (std::size_t row = 0; row < grid.rowCount; ++row) {
        const std::uint32_t* const middle = begin + grid.rows[row];
        take(middle[-static_cast<std::ptrdiff_t>(kAround)], middle[kAround + 1]);
    }
    // Out of reach.
    for (std::size_t k = 0; k < kLanes; ++k) candidates.x[count + k] = HUGE_VALF;
    return count;
}

// Structs by value: what is stored could change others.
std::size_t listNeighbours(const CellGrid grid, std::size_t first, const CellCandidates candidates,
                           NeighbourPairs& all) {
    NeighbourPairs pairs = all;
    std::size_t p = first;
    while (p < grid.count) {
        const std::size_t before = p;
        const std::size_t end = grid.begin[grid.cell[p] + 1];
        const std::size_t count = collect(grid, p, candidates);
        for (; p < end && pairs.count + grid.count <= pairs.room; ++p) {
            const AtomIndex i = grid.atom[p];
            const std::uint32_t kinds = grid.kind[p] * grid.kinds;
            const std::size_t found = findNear(candidates, p - before, count, grid.x[p], grid.y[p], grid.z[p],
                                               grid.longest[grid.kind[p]]);
            for (std::size_t k = 0; k < found; ++k) {
                const std::uint32_t at = candidates.found[k];
                const AtomIndex j = candidates.atom[at];
                const std::uint32_t both = kinds + candidates.kind[at];
                const AtomIndex a = i < j ? i : j;
                const AtomIndex b = i < j ? j : i;
                const AtomIndex gap = b - a;
                std::uint64_t isExcluded =
                    (gap < 64 ? ~std::uint64_t{} : 0) & (grid.near[a] >> (gap & 63U)) & 1U;
                if (grid.hasFar[a] != 0)
                    for (std::size_t e = 0; e < grid.farCount; ++e)
                        isExcluded |= grid.far[e].first == a && grid.far[e].second == b ? 1U : 0U;
                pairs.pairs[pairs.count] = {a, b};
                pairs.kinds[pairs.count] = both;
                pairs.contact[pairs.count] = grid.contact[both];
                pairs.count += (candidates.square[at] <= grid.reach[both] ? 1U : 0U) & ~isExcluded;
            }
        }
        if (p < end) break;
    }
    all = pairs;
    return p;
}

}  // namespace

template <InstructionSet set>
NeighbourKernel NeighbourKernel::compiled() {
    return {&listNeighbours};
}

template NeighbourKernel NeighbourKernel::compiled<kCompiledSet>();

}  // namespace glycine::structure
