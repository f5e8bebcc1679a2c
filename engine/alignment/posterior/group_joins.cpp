#include "engine/alignment/posterior/group_joins.hpp"

#include <omp.h>

#include "engine/alignment/posterior/join_gains.hpp"
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

    std::vector<double> sumsWithin(const PlacedResidues& residues, std::size_t width,
                                   Progress& progress) override {
        // Sums of some sequences with those before them, added up in an order that does not depend on the
        // threads.
        constexpr std::size_t kSequencesAtOnce = 16;
        const std::vector<Range> parts = splitRange(residues.size(), kSequencesAtOnce);
        std::vector<std::vector<double>> sums(parts.size());
        parallelFor(omp_get_max_threads(), parts.size(), [&](std::size_t part, std::size_t) {
            progress.throwIfCancelled();
            sums[part].resize(width, 0);
            for (std::size_t x = parts[part].begin; x < parts[part].end; ++x)
                for (std::size_t y = 0; y < x; ++y) addPairWithin(x, y, residues, sums[part]);
        });
        std::vector<double> all(width, 0);
        for (const std::vector<double>& part : sums)
            for (std::size_t column = 0; column < width; ++column) all[column] += part[column];
        return all;
    }

  private:
    void addPairWithin(std::size_t x, std::size_t y, const PlacedResidues& residues,
                       std::vector<double>& sums) const {
        const PosteriorView pair = posteriors_.pair(x, y);
        for (std::size_t row = 0; row < pair.rows(); ++row)
            for (const PosteriorEntry& entry : pair.row(row))
                if (residues[y][entry.column] == residues[x][row])
                    sums[residues[x][row]] += weights_[x] * weights_[y] * static_cast<double>(entry.value);
    }

    const PosteriorSet& posteriors_;
    std::span<const double> weights_;
    JoinSums sums_;
};

}  // namespace

std::unique_ptr<GroupJoins> joinsOnHost(const PosteriorSet& posteriors, std::span<const double> weights) {
    return std::make_unique<JoinsOnHost>(posteriors, weights);
}

}  // namespace glycine::align
