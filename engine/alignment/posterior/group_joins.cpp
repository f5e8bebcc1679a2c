#include "engine/alignment/posterior/group_joins.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/alignment/posterior/heaviest_chain.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::align {

namespace {

class JoinsOnHost final : public GroupJoins {
  public:
    JoinsOnHost(const PosteriorSet& posteriors, std::span<const double> weights)
        : posteriors_(posteriors), weights_(weights), sums_(posteriors, weights) {}

    std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins, const PlacedResidues& residues,
                                            Progress& progress) override {
        std::vector<ColumnChain> chains(joins.size());
        sums_.find(joins, residues, progress, [&](std::size_t k, const JoinGains& gains) {
            chains[k] = heaviestChainOf(gains, joins[k].secondWidth);
        });
        return chains;
    }

    ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) override {
        ResidueValues sums(residues.size());
        parallelFor(omp_get_max_threads(), residues.size(), [&](std::size_t x, std::size_t) {
            progress.throwIfCancelled();
            sums[x].resize(residues[x].size(), 0);
            for (std::size_t y = 0; y < residues.size(); ++y)
                if (y != x) addPairWithin(x, y, residues, sums[x]);
        });
        return sums;
    }

  private:
    void addPairWithin(std::size_t x, std::size_t y, const PlacedResidues& residues,
                       std::vector<double>& sums) const {
        const PosteriorView pair = posteriors_.pair(x, y);
        for (std::size_t row = 0; row < pair.rows(); ++row)
            for (const PosteriorEntry& entry : pair.row(row))
                if (residues[y][entry.column] == residues[x][row])
                    sums[row] += weights_[y] * static_cast<double>(entry.value);
    }

    const PosteriorSet& posteriors_;
    std::span<const double> weights_;
    JoinSums sums_;
};

}  // namespace

std::unique_ptr<GroupJoins> joinsOnHost(const PosteriorSet& posteriors, std::span<const double> weights) {
    return std::make_unique<JoinsOnHost>(posteriors, weights);
}

// ---- sums of posteriors

namespace {

/// Columns of the first group that are summed at once.
constexpr std::size_t kColumnsAtOnce = 16;
/// The least number of sequence pairs times columns for which several threads pay off.
constexpr std::size_t kWorthThreads = 20'000;

}  // namespace

/// The gains of a range of columns of the first group, in ascending order.
std::vector<JoinGain> JoinSums::gainsOf(const GroupJoin& join, Range columns, const PlacedResidues& residues,
                                        Sums& sums) const {
    constexpr std::size_t kBits = 64;
    const std::size_t words = (join.secondWidth + kBits - 1) / kBits;
    if (sums.values.size() < columns.size() * join.secondWidth)
        sums.values.resize(columns.size() * join.secondWidth, 0);
    if (sums.present.size() < columns.size() * words) sums.present.resize(columns.size() * words, 0);
    // Pair by pair, because neighbouring rows of one posterior are adjacent in memory.
    for (const std::size_t x : join.first) {
        const auto begin = std::ranges::lower_bound(residues[x], columns.begin);
        const auto end = std::lower_bound(begin, residues[x].end(), columns.end);
        if (begin == end) continue;
        for (const std::size_t y : join.second) {
            const auto weight = static_cast<float>(weights_[x] * weights_[y]);
            const PosteriorView pair = posteriors_.pair(x, y);
            const std::uint32_t* const others = residues[y].data();
            for (auto place = begin; place != end; ++place) {
                const std::size_t row = *place - columns.begin;
                float* const values = sums.values.data() + row * join.secondWidth;
                std::uint64_t* const present = sums.present.data() + row * words;
                for (const PosteriorEntry& entry :
                     pair.row(static_cast<std::size_t>(place - residues[x].begin()))) {
                    const std::uint32_t other = others[entry.column];
                    values[other] += weight * entry.value;
                    present[other / kBits] |= std::uint64_t{1} << other % kBits;
                }
            }
        }
    }
    std::vector<JoinGain> gains;
    for (std::size_t row = 0; row < columns.size(); ++row)
        for (std::size_t word = 0; word < words; ++word)
            for (std::uint64_t bits = std::exchange(sums.present[row * words + word], 0); bits != 0;
                 bits &= bits - 1) {
                const std::size_t other = word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
                gains.push_back({static_cast<std::uint32_t>(columns.begin + row),
                                 static_cast<std::uint32_t>(other),
                                 std::exchange(sums.values[row * join.secondWidth + other], 0.0F)});
            }
    return gains;
}

/// Uses `threads` threads, numbered from `firstThread`: a single one, or all.
JoinGains JoinSums::gainsBy(const GroupJoin& join, const PlacedResidues& residues, int threads,
                            std::size_t firstThread) {
    const std::vector<Range> parts = splitRange(join.firstWidth, kColumnsAtOnce);
    JoinGains gains(parts.size());
    parallelFor(threads, parts.size(), [&](std::size_t part, std::size_t thread) {
        gains[part] = gainsOf(join, parts[part], residues, sums_[firstThread + thread]);
    });
    return gains;
}

void JoinSums::find(std::span<const GroupJoin> joins, const PlacedResidues& residues, Progress& progress,
                    const std::function<void(std::size_t join, JoinGains&& gains)>& take) {
    std::vector<std::size_t> small;
    const int threads = omp_get_max_threads();
    sums_.resize(static_cast<std::size_t>(threads));
    for (std::size_t k = 0; k < joins.size(); ++k) {
        const GroupJoin& join = joins[k];
        if (join.firstWidth * join.first.size() * join.second.size() < kWorthThreads) {
            small.push_back(k);
            continue;
        }
        progress.throwIfCancelled();
        take(k, gainsBy(join, residues, threads, 0));
    }
    parallelFor(threads, small.size(), [&](std::size_t k, std::size_t thread) {
        take(small[k], gainsBy(joins[small[k]], residues, 1, thread));
    });
}

ColumnChain heaviestChainOf(const JoinGains& gains, std::size_t columns) {
    HeaviestChain chain(columns);
    for (const std::vector<JoinGain>& part : gains)
        for (std::size_t k = 0; k < part.size(); ++k) {
            chain.offer(part[k].row, part[k].column, static_cast<double>(part[k].sum));
            if (k + 1 == part.size() || part[k + 1].row != part[k].row) chain.endRow();
        }
    return chain.best();
}

}  // namespace glycine::align
