#include <utility>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/reference/serial_posterior.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::align::reference {

namespace {

/// The new posteriors of one pair after another.
class Transformation {
  public:
    Transformation(const PosteriorSet& posteriors, const ConsistencyRound& round)
        : posteriors_(posteriors), round_(round) {}

    SparsePosterior transformed(std::size_t x, std::size_t y) {
        SparsePosterior result(posteriors_.pair(x, y));
        openWindows(result);
        const double self = round_.selfWeight * (round_.weights[x] + round_.weights[y]);
        round_.thirds.find(x, y, thirds_);
        const double all = self + ThirdSequences::weightOf(thirds_, round_.weights);
        for (const std::size_t z : thirds_)
            addThrough(posteriors_.pair(x, z), posteriors_.pair(z, y), round_.weights[z]);
        for (std::size_t row = 0; row < result.rows(); ++row)
            for (PosteriorEntry& entry : result.row(row)) {
                const double sum = sums_[windows_[row].begin + entry.column - windows_[row].column];
                entry.value = static_cast<float>((self * static_cast<double>(entry.value) + sum) / all);
            }
        return result;
    }

  private:
    /// The columns of a row from its first entry to its last one, and where their sums lie.
    struct Window {
        std::uint32_t column = 0, count = 0;
        std::size_t begin = 0;
    };

    void openWindows(const PosteriorView& pair) {
        windows_.resize(pair.rows());
        std::size_t begin = 0;
        for (std::size_t row = 0; row < pair.rows(); ++row) {
            const auto entries = pair.row(row);
            Window& window = windows_[row];
            window = {.begin = begin};
            if (entries.empty()) continue;
            window.column = entries.front().column;
            window.count = entries.back().column - window.column + 1;
            begin += window.count;
        }
        sums_.assign(begin, 0);
    }

    void addThrough(const PosteriorView& first, const PosteriorView& second, double weight) {
        for (std::size_t row = 0; row < windows_.size(); ++row) {
            const Window window = windows_[row];
            if (window.count == 0) continue;
            double* const sums = sums_.data() + window.begin;
            for (const PosteriorEntry& step : first.row(row)) {
                const double share = weight * static_cast<double>(step.value);
                for (const PosteriorEntry& entry : second.row(step.column)) {
                    const std::uint32_t place = entry.column - window.column;
                    if (place < window.count) sums[place] += share * static_cast<double>(entry.value);
                }
            }
        }
    }

    const PosteriorSet& posteriors_;
    ConsistencyRound round_;
    std::vector<std::size_t> thirds_;
    std::vector<Window> windows_;
    std::vector<double> sums_;
};

const VariantTable<pairwise::Variant>& posteriorVariants() {
    static const VariantTable<pairwise::Variant> table(
        "reference", {"float64"},
        {{pairwise::Variant::Serial,
          "one pair after another, rows scaled by powers of two",
          "C. B. Do et al. (2005), U. Roshan & D. R. Livesay (2006), Y. Liu et al. (2010)",
          {},
          true}});
    return table;
}

class SerialPosteriors final : public PosteriorRun {
  public:
    explicit SerialPosteriors(const Sequences& sequences)
        : PosteriorRun(sequences.size()), sequences_(sequences) {}
    std::string_view variantName() const override { return toString(pairwise::Variant::Serial); }

    void complete(PosteriorSet& posteriors, Progress& progress) override {
        const std::size_t n = sequences_.size();
        progress.begin("posteriors", cellsOfPairs(sequences_, posteriors));
        for (std::size_t x = 1; x < n; ++x)
            for (std::size_t y = 0; y < x; ++y) {
                if (posteriors.has(x, y)) continue;
                const std::size_t rows = sequences_.codes[x].size(), columns = sequences_.codes[y].size();
                posteriors.setPair(x, y, mergedPosterior(sequences_, x, y), columns);
                progress.advance(static_cast<double>(rows) * static_cast<double>(columns));
            }
    }

    PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                Progress& progress) override {
        const std::size_t n = posteriors.sequences();
        PosteriorSet result(n);
        Transformation transformation(posteriors, round);
        progress.begin("consistency", static_cast<double>(n * (n - 1) / 2));
        for (std::size_t x = 1; x < n; ++x)
            for (std::size_t y = 0; y < x; ++y) {
                result.setPair(x, y, transformation.transformed(x, y), sequences_.codes[y].size());
                progress.advance(1);
            }
        return result;
    }

  private:
    const Sequences& sequences_;
};

class PosteriorReference final : public PosteriorEngine {
  public:
    Support supports(const PosteriorRequest& request) const override {
        return posteriorVariants().supports(request.variant);
    }
    std::unique_ptr<PosteriorRun> start(const Sequences& sequences) override {
        return std::make_unique<SerialPosteriors>(sequences);
    }
};

}  // namespace

SparsePosterior consistentPosterior(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                    std::size_t first, std::size_t second) {
    return Transformation(posteriors, round).transformed(first, second);
}

PosteriorEngineEntry posteriorEngine() {
    return implementWith<PosteriorEngine, PosteriorReference, HostBackend>(posteriorVariants());
}

}  // namespace glycine::align::reference
