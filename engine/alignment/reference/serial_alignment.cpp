#include "engine/alignment/reference/serial_alignment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::align::reference {

namespace {

using GapRow = std::vector<std::array<double, kMaxGapKinds>>;

/// Divides a row by a power of two near its largest value; returns the exponent.
int rescale(std::span<double> pairs, GapRow& gaps) {
    const double largest = std::ranges::max(pairs);
    if (largest == 0) return 0;
    const int exponent = std::ilogb(largest);
    for (double& value : pairs) value = std::ldexp(value, -exponent);
    for (auto& kinds : gaps)
        for (double& value : kinds) value = std::ldexp(value, -exponent);
    return exponent;
}

/// Sums over all alignments of the first i and j residues that end with the pair (i, j); each row is divided
/// by 2^exponents[i].
struct Forward {
    Matrix<double> pairs;
    std::vector<int> exponents;
    ScaledNumber total;
};

Forward sumForwards(const PairModel& model, std::span<const std::uint8_t> first,
                    std::span<const std::uint8_t> second) {
    const std::size_t n = first.size(), m = second.size();
    const std::vector<ScaledNumber> leads = model.leads(std::max(n, m));
    const std::vector<ScaledNumber> trails = model.trails(std::max(n, m));
    Forward forward{Matrix<double>(n, m), std::vector<int>(n), {}};
    // Gaps that end with a residue of the first sequence, by the column that they follow, in this row and the
    // previous one; and gaps that end with a residue of the second sequence.
    GapRow below(m), belowBefore(m), beside(m), besideBefore(m);
    int exponent = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::span<double> row(forward.pairs.row(i), m);
        for (std::size_t j = 0; j < m; ++j) {
            double before = 0;
            if (i == 0 || j == 0) before = leads[i + j].times2To(-exponent);
            if (i > 0 && j > 0) {
                before = model.match * forward.pairs(i - 1, j - 1);
                for (std::size_t kind = 0; kind < model.gapKinds; ++kind)
                    before += model.close[kind] * (belowBefore[j - 1][kind] + besideBefore[j - 1][kind]);
            }
            row[j] = model.odds[first[i]][second[j]] * before;
            for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
                below[j][kind] = i == 0 ? 0
                                        : model.open[kind] * forward.pairs(i - 1, j) +
                                              model.extend[kind] * belowBefore[j][kind];
                beside[j][kind] =
                    j == 0 ? 0 : model.open[kind] * row[j - 1] + model.extend[kind] * beside[j - 1][kind];
            }
        }
        const int shift = rescale(row, below);
        for (auto& kinds : beside)
            for (double& value : kinds) value = std::ldexp(value, -shift);
        exponent += shift;
        forward.exponents[i] = exponent;
        const auto addEnd = [&](double sum, const ScaledNumber& trail) {
            forward.total.add(sum * trail.mantissa, exponent + trail.exponent);
        };
        addEnd(row[m - 1], trails[n - 1 - i]);
        if (i + 1 == n)
            for (std::size_t j = 0; j + 1 < m; ++j) addEnd(row[j], trails[m - 1 - j]);
        std::swap(below, belowBefore);
        std::swap(beside, besideBefore);
    }
    return forward;
}

}  // namespace

Matrix<double> pairPosteriors(const PairModel& model, std::span<const std::uint8_t> first,
                              std::span<const std::uint8_t> second) {
    const std::size_t n = first.size(), m = second.size();
    const std::vector<ScaledNumber> trails = model.trails(std::max(n, m));
    Forward forward = sumForwards(model, first, second);
    Matrix<double> result(n, m);
    // Sums of everything after the pair (i, j), and after gaps that end there.
    std::vector<double> pairs(m), weighedBelow(m), weighed(m);
    GapRow below(m);
    int exponent = 0;
    for (std::size_t i = n; i-- > 0;) {
        std::array<double, kMaxGapKinds> beside{};
        for (std::size_t j = m; j-- > 0;) {
            const double next = i + 1 < n && j + 1 < m ? weighedBelow[j + 1] : 0;
            double behind = model.match * next;
            if (i + 1 == n || j + 1 == m) behind += trails[n - 1 - i + m - 1 - j].times2To(-exponent);
            for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
                behind += model.open[kind] * (below[j][kind] + beside[kind]);
                below[j][kind] = model.close[kind] * next + model.extend[kind] * below[j][kind];
                beside[kind] = model.close[kind] * next + model.extend[kind] * beside[kind];
            }
            pairs[j] = behind;
        }
        const int shift = rescale(pairs, below);
        exponent += shift;
        for (std::size_t j = 0; j < m; ++j) {
            weighed[j] = model.odds[first[i]][second[j]] * pairs[j];
            result(i, j) = std::ldexp(forward.pairs(i, j) * pairs[j] / forward.total.mantissa,
                                      forward.exponents[i] + exponent - forward.total.exponent);
        }
        std::swap(weighed, weighedBelow);
    }
    return result;
}

SparsePosterior mergedPosterior(const PairModel& one, const PairModel& other,
                                std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
    // The loss of a row, whose sums span more than the range of double, grows with the number of columns.
    if (first.size() < second.size())
        return mergedPosterior(one, other, second, first).transposed(first.size());
    const Matrix<double> p = pairPosteriors(one, first, second), q = pairPosteriors(other, first, second);
    std::vector<std::uint32_t> begins{0};
    std::vector<PosteriorEntry> entries;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < second.size(); ++j) {
            const auto merged = static_cast<float>(std::sqrt((p(i, j) * p(i, j) + q(i, j) * q(i, j)) / 2));
            if (merged >= kSmallestPosterior) entries.push_back({static_cast<std::uint32_t>(j), merged});
        }
        begins.push_back(static_cast<std::uint32_t>(entries.size()));
    }
    return {std::move(begins), std::move(entries)};
}

SparsePosterior mergedPosterior(const Sequences& sequences, std::size_t first, std::size_t second) {
    return mergedPosterior(hiddenMarkovModel(sequences.alphabet), partitionModel(sequences.alphabet),
                           sequences.codes[first], sequences.codes[second]);
}

// ---- common subsequences

std::size_t commonSubsequence(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
    std::vector<std::size_t> row(second.size() + 1, 0);
    for (const std::uint8_t code : first) {
        std::size_t diagonal = 0;
        for (std::size_t j = 1; j <= second.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = code == second[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
            diagonal = above;
        }
    }
    return row.back();
}

// ---- the engine

namespace {

/// Transforms one pair after another, reusing its memory.
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
    /// The columns of a row from its first to its last entry, and the offset of their sums.
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

    PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
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

Implementation<PosteriorEngine> posteriorEngine() {
    return implementWith<PosteriorEngine, PosteriorReference, HostBackend>(posteriorVariants());
}

}  // namespace glycine::align::reference
