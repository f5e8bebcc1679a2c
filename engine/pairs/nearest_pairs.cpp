#include "engine/pairs/nearest_pairs.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/stored_value.hpp"

namespace glycine::pairs {

NearestPairs::NearestPairs(std::size_t instances, ValueType type, NearestRequest wanted, double diagonalValue,
                           std::size_t references, SampledValues samples)
    : type_(type),
      wanted_(wanted),
      references_(references),
      samples_(std::move(samples)),
      summary_(diagonalValue) {
    // Also refuses more instances than fit into 32 bits, before memory is taken for them.
    storedBytes({instances, StoreLayout::Triangle}, type);
    const std::size_t others = references > 0 ? references : std::max<std::size_t>(instances, 1) - 1;
    wanted_.count = std::min(wanted.count, others);
    sizes_.resize(instances, 0);
    nearest_.resize(instances * wanted_.count);
}

bool NearestPairs::isNearer(const Neighbour& a, const Neighbour& b) const {
    if (a.value != b.value) return (a.value < b.value) != wanted_.isSimilarity;
    return a.other < b.other;
}

void NearestPairs::add(std::size_t instance, std::size_t other, double value) {
    if (std::isnan(value)) return;
    const Neighbour candidate{value, static_cast<std::uint32_t>(other)};
    const auto begin = nearest_.begin() + static_cast<std::ptrdiff_t>(instance * wanted_.count);
    std::uint32_t& size = sizes_[instance];
    const auto nearer = [this](const Neighbour& a, const Neighbour& b) { return isNearer(a, b); };
    if (size == wanted_.count) {
        if (size == 0 || !isNearer(candidate, *begin)) return;
        std::pop_heap(begin, begin + size, nearer);
        --size;
    }
    begin[size++] = candidate;
    std::push_heap(begin, begin + size, nearer);
}

void NearestPairs::store(const PairTile& tile, MatrixView<const double> values) {
    std::vector<ValueSummarizer> parts(partsOfStoredRows(tile), ValueSummarizer(summary_.diagonalValue()));
    visitStoredRows(tile, values, type_,
                    [&](std::size_t part, std::size_t row, std::size_t first, std::span<const double> held) {
                        parts[part].add(row, first, held);
                        if (samples_.take) samples_.take(row, first, held);
                        for (std::size_t k = 0; k < held.size(); ++k) add(row, first + k, held[k]);
                    });
    for (const ValueSummarizer& part : parts) summary_.add(part);
    if (references_ == 0) addColumns(tile, values);
}

/// Adds the rows as neighbours of the columns. Each thread has columns of its own.
void NearestPairs::addColumns(const PairTile& tile, MatrixView<const double> values) {
    constexpr std::size_t kColumns = 64;
    const std::vector<Range> ranges = splitRange(tile.columns.size(), kColumns);
    parallelFor(omp_get_max_threads(), ranges.size(), [&](std::size_t index, std::size_t) {
        const Range& range = ranges[index];
        double buffer[kColumns];
        for (std::size_t r = 0; r < tile.rows.size(); ++r) {
            const std::size_t end = std::min(range.end, tile.columnsOf(r));
            if (end <= range.begin) continue;
            const std::span<double> held(buffer, end - range.begin);
            convertToStored(type_, {values.row(r) + range.begin, held.size()}, held);
            for (std::size_t k = 0; k < held.size(); ++k)
                add(tile.columns.begin + range.begin + k, tile.rows.begin + r, held[k]);
        }
    });
}

void NearestPairs::moveToLead(ProcessTeam& team) {
    struct Found {
        std::uint32_t instance;
        Neighbour neighbour;
    };
    // The lead has room for the neighbours of all instances, but not once for every process.
    constexpr std::size_t kBytes = std::size_t{64} << 20;
    const std::size_t bytesOfInstance =
        std::max<std::size_t>(1, wanted_.count) * sizeof(Found) * team.processes();
    summary_.addOthers(team);
    for (const Range& range : splitRange(instances(), std::max<std::size_t>(1, kBytes / bytesOfInstance))) {
        std::vector<Found> found;
        if (!team.leads())
            for (std::size_t instance = range.begin; instance < range.end; ++instance)
                for (std::size_t k = 0; k < sizes_[instance]; ++k)
                    found.push_back(
                        {static_cast<std::uint32_t>(instance), nearest_[instance * wanted_.count + k]});
        glycine::moveToLead(team, found);
        for (const Found& one : found) add(one.instance, one.neighbour.other, one.neighbour.value);
    }
}

std::vector<Neighbour> NearestPairs::neighboursOf(std::size_t instance) const {
    const auto begin = nearest_.begin() + static_cast<std::ptrdiff_t>(instance * wanted_.count);
    std::vector<Neighbour> sorted(begin, begin + sizes_[instance]);
    std::ranges::sort(sorted, [this](const Neighbour& a, const Neighbour& b) { return isNearer(a, b); });
    return sorted;
}

}  // namespace glycine::pairs
